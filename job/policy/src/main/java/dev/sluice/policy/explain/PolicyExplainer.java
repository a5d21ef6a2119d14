package dev.sluice.policy.explain;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.Explanation.Passed;
import dev.sluice.policy.explain.Explanation.Way;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.flatten.PacketWalk;
import dev.sluice.policy.flatten.PacketWalk.Passage;
import dev.sluice.policy.flatten.PacketWalk.Reading;
import dev.sluice.policy.flatten.PacketWalk.Step;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explainer by the policies of a file. */
public final class PolicyExplainer extends Explainer {
    private final PolicyFile file;
    private final Assumptions assumed;

    /** The policies under the states that packets state. */
    private final Map<ConnectionState, FlatPolicy> flat = new EnumMap<>(ConnectionState.class);

    /** An explainer by a policy. */
    public PolicyExplainer(PolicyFile file) {
        this.file = file;
        assumed = file.asked().isEmpty() ? file.assumed() : file.assumed().telling(file.asked());
    }

    @Override
    public AskedFacts asked() {
        return file.asked();
    }

    @Override
    public long wordBits() {
        return file.flat().rules().layout().wordBits();
    }

    private Assumptions assumed(JudgedPacket packet) {
        return packet.state() == null ? assumed : assumed.withState(packet.state());
    }

    private FlatPolicy flat(@Nullable ConnectionState state) {
        return state == null
                ? file.flat()
                : flat.computeIfAbsent(
                        state, of -> FlatPolicy.of(file.policies(), assumed.withState(of)));
    }

    @Override
    public Explanation explain(JudgedPacket packet) {
        FlatPolicy.Answer answer = flat(packet.state()).judge(packet.header());
        List<Way> ways = new ArrayList<>();
        WorldsOfPacket worlds = worlds(packet);
        for (Reading reading : readings(packet)) {
            addWay(ways, way(reading, packet, worlds));
        }
        String words = packet.words(file.asked());
        if (answer == null) {
            Needs of = new Needs(assumed(packet), Vantage.PLAIN, packet);
            List<Need> needs =
                    file.policies().stream()
                            .map(policy -> of.of(policy.judges()))
                            .min(Comparator.comparingLong(Needs::count))
                            .orElse(List.of());
            return new Explanation(words, null, FlatPolicy.NOT_JUDGED, null, true, ways, needs);
        }
        boolean depends = answer.outcome() == Outcome.DEPENDS;
        return new Explanation(
                words,
                answer.outcome(),
                depends ? answer.outcome().label() : answer.rule().action(),
                Line.of(answer.rule()),
                answer.sure(),
                ways,
                List.of());
    }

    private List<Reading> readings(JudgedPacket packet) {
        return PacketWalk.of(file.policies(), assumed(packet), packet.header());
    }

    private WorldsOfPacket worlds(JudgedPacket packet) {
        return new WorldsOfPacket(
                PacketWalk.inWorlds(
                        file.policies(), flat(packet.state()), assumed(packet), packet.header()));
    }

    /** Adds a way; one that differs from another by its state alone joins it. */
    private static void addWay(List<Way> ways, Way way) {
        for (int i = 0; i < ways.size(); i++) {
            Way other = ways.get(i);
            if (other.policy().equals(way.policy())
                    && other.certain() == way.certain()
                    && other.stages().equals(way.stages())) {
                List<String> states =
                        Stream.concat(other.states().stream(), way.states().stream())
                                .distinct()
                                .toList();
                ways.set(i, new Way(way.policy(), states, way.certain(), way.stages()));
                return;
            }
        }
        ways.add(way);
    }

    private Way way(Reading reading, JudgedPacket packet, WorldsOfPacket worlds) {
        List<Passed> stages = new ArrayList<>();
        for (Passage passage : reading.passages()) {
            if (worlds.comes(reading, passage)) {
                stages.add(passed(passage, reading, packet, worlds));
            }
        }
        boolean asks = reading.policy().stages().stream().anyMatch(stage -> stage.asksState(false));
        ConnectionState state = reading.assumed().state();
        boolean told = HeaderFields.isPresent(packet.header(), Field.CONNECTION_STATE);
        String label =
                told
                        ? new Needs(reading.assumed(), Vantage.PLAIN, packet).states()
                        : state == null ? "" : state.label();
        return new Way(
                reading.policy().name(),
                asks && !label.isEmpty() ? List.of(label) : List.of(),
                reading.comes() == Truth.YES,
                stages);
    }

    private static Passed passed(
            Passage passage, Reading reading, JudgedPacket packet, WorldsOfPacket worlds) {
        Needs needs = new Needs(reading.assumed(), passage.stage().vantage(), packet);
        List<Met> met = new ArrayList<>();
        for (Step step : worlds.steps(reading, passage)) {
            PolicyRule rule = step.rule();
            String acts = step.truth().name().toLowerCase(Locale.ROOT);
            met.add(
                    rule == null
                            ? new Met(
                                    null,
                                    step.chain(),
                                    acts,
                                    "ends",
                                    !step.doubtful(),
                                    List.of(),
                                    List.of())
                            : new Met(
                                    Line.of(rule),
                                    step.chain(),
                                    acts,
                                    effect(rule),
                                    !step.doubtful(),
                                    needs.of(rule.condition()),
                                    unknown(step, rule, needs)));
        }
        List<Line> deciding =
                worlds.deciding(reading, passage).stream().map(Line::of).distinct().toList();
        return new Passed(passage.stage().name(), met, deciding);
    }

    private static List<String> unknown(Step step, PolicyRule rule, Needs needs) {
        List<String> unknown = needs.unknown(rule.condition());
        return unknown.isEmpty() && step.truth() == Truth.MAYBE
                ? List.of("the mark that rules of chains before may have set")
                : unknown;
    }

    private static String effect(PolicyRule rule) {
        Effect effect = rule.effect();
        if (effect instanceof Effect.Jump jump) {
            return "jumps to " + jump.chain();
        }
        if (effect instanceof Effect.Goto move) {
            return "goes to " + move.chain();
        }
        if (effect instanceof Effect.Return) {
            return "returns";
        }
        if (effect instanceof Effect.Mark mark) {
            return "marks: clears 0x%x, flips 0x%x".formatted(mark.mask(), mark.flipped());
        }
        return effect instanceof Effect.Continue
                ? (rule.action() + ", goes on").replaceFirst("^, ", "")
                : rule.action();
    }

    @Override
    Stream<Line> all() {
        return file.rules().stream().map(Line::of).filter(line -> line.number() > 0);
    }

    @Override
    Truth acts(JudgedPacket packet, int line) {
        return worlds(packet).acts(line);
    }

    @Override
    List<Line> deciding(JudgedPacket packet) {
        WorldsOfPacket worlds = worlds(packet);
        List<Line> lines = new ArrayList<>();
        for (Reading reading : readings(packet)) {
            for (Passage passage : reading.passages()) {
                worlds.deciding(reading, passage).stream().map(Line::of).forEach(lines::add);
            }
        }
        return lines.stream().distinct().toList();
    }

    @Override
    List<Attempt> attempts(JudgedPacket packet, int line) {
        return new RulePaths(file, assumed(packet), packet).to(line);
    }
}
