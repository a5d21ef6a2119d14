package dev.sluice.policy.explain;

import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.Explanation.Passed;
import dev.sluice.policy.explain.Explanation.Way;
import dev.sluice.policy.explain.WhyNot.Kind;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleFinding.Reach;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Search for what a packet would need for a line to act on it. Each packet that is told was judged
 * again.
 *
 * <p>First the fields are changed that the packet misses. Where a line before takes such a packet,
 * lint's packet for the line is changed back towards the packet that was asked about, field by
 * field, as long as the line acts.
 */
public final class WhyNotSearch {
    private static final List<Truth> LEVELS = List.of(Truth.YES, Truth.MAYBE);

    private final Explainer rules;
    private final JudgedPacket packet;
    private final int number;
    private final Line line;

    private WhyNotSearch(Explainer rules, JudgedPacket packet, int number) {
        this.rules = rules;
        this.packet = packet;
        this.number = number;
        List<Line> lines = rules.on(number);
        if (lines.isEmpty()) {
            IntSummaryStatistics known =
                    rules.all().mapToInt(Line::number).filter(of -> of > 0).summaryStatistics();
            throw new SluiceException(
                    "--why-not %s; %s"
                            .formatted(
                                    number == 0
                                            ? "default: a policy has one for each base chain; name the line that states it"
                                            : number + ": no rule begins on that line",
                                    known.getCount() == 0
                                            ? "the rules that judge packets have no lines in the file"
                                            : "rules that judge packets are on lines %d to %d"
                                                    .formatted(known.getMin(), known.getMax())));
        }
        line = lines.get(0);
    }

    /**
     * Tells what a packet would need for a line to decide.
     *
     * @param lint findings about the same rules, asked for only where no change of the packet's
     *     missing fields suffices
     * @throws SluiceException if no rule begins on the line
     */
    public static WhyNot of(
            Explainer rules, JudgedPacket packet, int line, Supplier<List<LintRule>> lint) {
        return new WhyNotSearch(rules, packet, line).answer(lint);
    }

    private WhyNot answer(Supplier<List<LintRule>> lint) {
        if (rules.acts(packet, number) != Truth.NO) {
            return found(Kind.ACTS, List.of(), List.of(), packet);
        }
        List<Attempt> attempts = rules.attempts(packet, number);
        for (Truth least : LEVELS) {
            for (Attempt attempt : attempts) {
                JudgedPacket changed = acting(attempt.packet(), least);
                if (changed != null) {
                    return found(Kind.NEEDS, attempt.needs(), List.of(), changed);
                }
            }
        }
        List<Need> needs = attempts.isEmpty() ? List.of() : attempts.get(0).needs();
        JudgedPacket nearest = attempts.isEmpty() ? null : attempts.get(0).packet();
        List<Line> before = nearest == null ? List.of() : rules.deciding(nearest);
        List<LintRule> findings =
                lint.get().stream().filter(rule -> rule.line().number() == number).toList();
        for (Truth least : LEVELS) {
            for (LintRule rule : findings) {
                JudgedPacket witness =
                        rule.witness().isEmpty()
                                ? null
                                : acting(PacketLine.read(rule.witness(), rules.asked()), least);
                if (witness != null) {
                    return found(Kind.TAKEN, needs, before, towards(witness, least));
                }
            }
        }
        boolean dead =
                !findings.isEmpty()
                        && findings.stream().allMatch(rule -> rule.reach() == Reach.DEAD);
        List<Line> covering =
                findings.stream().flatMap(rule -> rule.covering().stream()).distinct().toList();
        return new WhyNot(
                line,
                dead ? Kind.NEVER : Kind.UNKNOWN,
                needs,
                dead ? covering : before,
                "",
                List.of(),
                List.of());
    }

    private WhyNot found(Kind kind, List<Need> needs, List<Line> before, JudgedPacket of) {
        boolean itself = kind == Kind.ACTS;
        return new WhyNot(
                line,
                kind,
                needs,
                before,
                itself ? "" : of.words(rules.asked()),
                itself ? List.of() : differences(of),
                rules.acts(of, number) == Truth.YES ? List.of() : depends(of));
    }

    /** Facts that no header tells of the rules that a packet comes to up to the line. */
    private List<String> depends(JudgedPacket of) {
        List<String> words = new ArrayList<>();
        List<Way> ways = rules.explain(of).ways();
        List<Way> others = ways.stream().filter(way -> !upToLine(way, new ArrayList<>())).toList();
        for (Way way : ways) {
            if (others.stream().anyMatch(other -> other.policy().equals(way.policy()))
                    && !others.contains(way)) {
                words.add("a connection that is " + String.join(" or ", way.states()));
            }
            upToLine(way, words);
        }
        return words.isEmpty() ? List.of("the packet's way") : words.stream().distinct().toList();
    }

    /** Adds what no header tells of the rules up to the line; whether the way leads there. */
    private boolean upToLine(Way way, List<String> words) {
        List<String> unknown = new ArrayList<>();
        boolean comes = false;
        for (Passed stage : way.stages()) {
            for (Met met : stage.met()) {
                Line at = met.line();
                unknown.addAll(met.unknown());
                if (at != null && at.number() == number && !met.acts().equals("no")) {
                    words.addAll(unknown);
                    comes = true;
                }
            }
        }
        return comes;
    }

    /**
     * The packet as its words tell it, if the line acts on that; else null.
     *
     * @param least how certain that must be
     */
    private @Nullable JudgedPacket acting(@Nullable JudgedPacket of, Truth least) {
        if (of == null) {
            return null;
        }
        try {
            JudgedPacket told = PacketLine.read(of.words(rules.asked()), rules.asked());
            return rules.acts(told, number).compareTo(least) <= 0 ? told : null;
        } catch (SluiceException e) {
            return null; // no packet can be so, as TCP without ports
        }
    }

    /** The packet with as many fields of the one that was asked about as the line allows. */
    private JudgedPacket towards(JudgedPacket from, Truth least) {
        JudgedPacket sameState = acting(packet.with(from.header(), packet.state()), least);
        JudgedPacket now = sameState == null ? from : sameState;
        for (boolean goesOn = true; goesOn; ) {
            goesOn = false;
            for (Field field : Field.values()) {
                int[] back = now.header().clone();
                HeaderFields.copy(packet.header(), back, field);
                JudgedPacket nearer = acting(packet.with(back, now.state()), least);
                if (nearer != null && distance(nearer) < distance(now)) {
                    now = nearer;
                    goesOn = true;
                }
            }
        }
        return now;
    }

    private long distance(JudgedPacket of) {
        return Stream.of(Field.values()).filter(field -> differs(of, field)).count();
    }

    private boolean differs(JudgedPacket of, Field field) {
        return !FieldWords.isPresence(field)
                && (HeaderFields.isPresent(packet.header(), field)
                                != HeaderFields.isPresent(of.header(), field)
                        || !HeaderValues.of(packet.header(), field)
                                .equals(HeaderValues.of(of.header(), field)));
    }

    /** The fields in which a packet differs from the one that was asked about. */
    private List<Need> differences(JudgedPacket of) {
        List<Need> differences = new ArrayList<>();
        boolean icmp = HeaderFields.isIcmp(of.header());
        for (Field field : Field.values()) {
            boolean isInterface =
                    field.equals(Field.IN_INTERFACE) || field.equals(Field.OUT_INTERFACE);
            if (differs(of, field)
                    && !(isInterface && name(packet, field).equals(name(of, field)))) {
                differences.add(
                        new Need(
                                FieldWords.name(field, icmp),
                                isInterface ? name(packet, field) : has(packet, field),
                                isInterface ? name(of, field) : has(of, field),
                                null,
                                true));
            }
        }
        if (of.state() != packet.state() && of.state() != null) {
            differences.add(Needs.state(packet.state(), of.state()));
        }
        return differences;
    }

    private static String has(JudgedPacket of, Field field) {
        return FieldWords.value(of.header(), field);
    }

    private String name(JudgedPacket of, Field field) {
        String name = of.interfaceName(field, rules.asked());
        return name.isEmpty() ? "unknown" : name;
    }
}
