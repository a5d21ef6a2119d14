package dev.sluice.job.explain;

import dev.sluice.job.EscapedText;
import dev.sluice.policy.explain.Explanation;
import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.Explanation.Passed;
import dev.sluice.policy.explain.Explanation.Way;
import dev.sluice.policy.explain.Need;
import dev.sluice.policy.explain.WhyNot;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Explanations as lines for people. */
public final class ExplanationText {
    /** Most rules of a stage that are listed because one field alone keeps the packet from them. */
    private static final int MOST_NEAR = 20;

    private static final int MOST_LINES = 10;

    private ExplanationText() {}

    /**
     * The lines of an explanation; the first has the verdict.
     *
     * @param all whether each rule that the packet misses is listed, too
     */
    public static List<String> of(Explanation of, boolean all) {
        List<String> lines = new ArrayList<>();
        lines.add(verdict(of));
        lines.add("packet: " + of.packet());
        boolean several = of.ways().size() > 1;
        for (Way way : of.ways()) {
            String name =
                    way.policy()
                            + (way.states().isEmpty()
                                    ? ""
                                    : (way.policy().isEmpty() ? "" : ", ")
                                            + "connection "
                                            + String.join(" or ", way.states()));
            if (!name.isEmpty() && (several || !way.states().isEmpty())) {
                lines.add(name + (way.certain() ? "" : ", if the packet comes this way") + ":");
            }
            for (Passed stage : way.stages()) {
                add(lines, stage, all);
            }
        }
        return lines.stream().map(EscapedText::line).toList();
    }

    /** The verdict as a line. */
    private static String verdict(Explanation of) {
        Line rule = of.rule();
        if (rule == null) {
            String needs =
                    of.needs().stream()
                            .map(ExplanationText::words)
                            .collect(Collectors.joining("; ", " (", ")"));
            return of.action() + ": the packet comes to no hook of the policy" + needs;
        }
        if (of.outcome() == Outcome.DEPENDS) {
            return "depends on " + named(rule);
        }
        Outcome outcome = of.outcome();
        String words = outcome == null ? of.action() : outcome.label() + " (" + of.action() + ")";
        return words
                + " by "
                + named(rule)
                + (of.sure() ? "" : "; another rule of the same outcome may come first");
    }

    private static String named(Line rule) {
        String text = rule.text().strip();
        return rule.number() == 0
                ? "'" + text + "'"
                : "line " + rule.number() + (text.isEmpty() ? "" : ": " + text);
    }

    private static void add(List<String> lines, Passed stage, boolean all) {
        String margin = stage.stage().isEmpty() ? "  " : "    ";
        if (!stage.stage().isEmpty()) {
            lines.add("  " + stage.stage() + ":");
        }
        int near = 0;
        int missed = 0;
        for (Met met : stage.met()) {
            Line line = met.line();
            boolean misses = met.acts().equals("no");
            boolean lists = misses && (all || met.isNear() && near < MOST_NEAR);
            near += lists && !all ? 1 : 0;
            if (misses && !lists) {
                missed++;
            } else if (line == null) {
                lines.add(margin + "end of chain " + met.chain() + ": goes back");
            } else {
                lines.add(margin + named(line));
                lines.add(margin + "  " + answer(met, stage.deciding().contains(line)));
            }
        }
        if (missed > 0) {
            lines.add(
                    "%s(%,d more %s; --all lists them)"
                            .formatted(
                                    margin,
                                    missed,
                                    missed == 1
                                            ? "rule that the packet misses"
                                            : "rules that the packet misses"));
        }
    }

    private static String answer(Met met, boolean deciding) {
        String reach = met.certain() ? "" : "; the packet may not come here";
        if (met.acts().equals("no")) {
            Need first = met.needs().get(0);
            long more =
                    met.needs().stream()
                            .map(Need::field)
                            .distinct()
                            .filter(field -> !field.equals(first.field()))
                            .count();
            return "misses "
                    + words(first)
                    + (more == 0
                            ? ""
                            : more == 1 ? ", and 1 field more" : ", and " + more + " fields more")
                    + reach;
        }
        if (met.acts().equals("maybe")) {
            return "may match, depending on "
                    + String.join(" and ", met.unknown())
                    + ": "
                    + met.effect()
                    + reach;
        }
        return (deciding && met.certain() ? "decides: " : "matches: ") + met.effect() + reach;
    }

    private static String words(Need need) {
        return "%s: %s, wants %s".formatted(need.field(), need.has(), need.wants());
    }

    /** The lines of an answer to {@code --why-not}. */
    public static List<String> of(WhyNot of) {
        List<String> lines = new ArrayList<>();
        String name = named(of.line());
        switch (of.kind()) {
            case ACTS ->
                    lines.add(
                            name
                                    + (of.depends().isEmpty() ? " acts" : " may act")
                                    + " on this packet");
            case NEEDS -> {
                lines.add(name + " would act if the packet had:");
                of.needs().forEach(need -> lines.add("  " + words(need)));
                lines.add("as in: " + of.packet());
            }
            case TAKEN -> {
                if (of.needs().isEmpty()) {
                    lines.add(name + " matches this packet, but comes too late");
                } else {
                    lines.add(name + " does not match this packet:");
                    of.needs().forEach(need -> lines.add("  " + words(need)));
                }
                if (!of.before().isEmpty()) {
                    lines.add("before it such a packet is taken by:");
                    addLines(lines, of.before());
                }
                lines.add("it acts on a packet that differs in:");
                for (Need change : of.changes()) {
                    lines.add(
                            "  %s: %s, there %s"
                                    .formatted(change.field(), change.has(), change.wants()));
                }
                lines.add("as in: " + of.packet());
            }
            case NEVER -> {
                boolean none = of.before().isEmpty();
                lines.add(
                        name
                                + (none
                                        ? " never acts: no packet meets its conditions"
                                        : " never acts: these lines leave it no packet:"));
                addLines(lines, of.before());
            }
            case UNKNOWN -> {
                lines.add(name + " does not act on this packet:");
                of.needs().forEach(need -> lines.add("  " + words(need)));
                addLines(lines, of.before());
                lines.add("no packet that it acts on was found under these options");
            }
        }
        if (!of.depends().isEmpty()) {
            lines.add("whether it acts then depends on " + String.join(" and ", of.depends()));
        }
        return lines.stream().map(EscapedText::line).toList();
    }

    private static void addLines(List<String> lines, List<Line> of) {
        of.stream().limit(MOST_LINES).forEach(line -> lines.add("  " + named(line)));
        if (of.size() > MOST_LINES) {
            lines.add("  and %,d more".formatted(of.size() - MOST_LINES));
        }
    }
}
