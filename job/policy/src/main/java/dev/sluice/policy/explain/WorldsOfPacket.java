package dev.sluice.policy.explain;

import dev.sluice.policy.flatten.PacketWalk.Passage;
import dev.sluice.policy.flatten.PacketWalk.Reading;
import dev.sluice.policy.flatten.PacketWalk.Step;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Walks of a packet in all possible worlds: the rules that it meets in one, and that decide. */
final class WorldsOfPacket {
    private final List<Reading> readings;

    WorldsOfPacket(List<Reading> readings) {
        this.readings = readings;
    }

    /** Tells how the rule of a line acts: for certain, if it does in all worlds. */
    Truth acts(int line) {
        IdentityHashMap<Policy, Truth> acts = new IdentityHashMap<>();
        for (Reading reading : readings) {
            Truth here = acts(reading, line);
            acts.merge(reading.policy(), here, (a, b) -> a == b ? a : Truth.MAYBE);
        }
        return acts.values().stream().min(Comparator.naturalOrder()).orElse(Truth.NO);
    }

    private static Truth acts(Reading reading, int line) {
        Truth acts = Truth.NO;
        for (Passage passage : reading.passages()) {
            for (Step step : passage.steps()) {
                if (step.isOn(line) && step.truth() != Truth.NO) {
                    if (step.acts() && reading.comes() == Truth.YES) {
                        return Truth.YES;
                    }
                    acts = Truth.MAYBE;
                }
            }
        }
        return acts;
    }

    /** Returns whether the packet comes to a passage in some world. */
    boolean comes(Reading of, Passage passage) {
        return like(of, passage).anyMatch(one -> one.comes() != Truth.NO);
    }

    /**
     * The steps of a passage that the packet takes in a world; a rule that it may meet, and meets
     * in none, is not met.
     */
    List<Step> steps(Reading of, Passage passage) {
        IdentityHashMap<PolicyRule, Truth> met = new IdentityHashMap<>();
        like(of, passage).flatMap(one -> one.steps().stream()).forEach(step -> note(step, met));
        List<Step> steps = new ArrayList<>();
        for (Step step : passage.steps()) {
            PolicyRule rule = step.rule();
            Truth truth = rule == null ? Truth.YES : met.get(rule);
            if (truth == Truth.NO && step.truth() == Truth.MAYBE) {
                steps.add(new Step(step.chain(), rule, truth, step.doubtful()));
            } else if (truth != null) {
                steps.add(step);
            }
        }
        return steps;
    }

    private static void note(Step step, IdentityHashMap<PolicyRule, Truth> met) {
        PolicyRule rule = step.rule();
        if (rule != null) {
            met.merge(rule, step.truth(), WorldsOfPacket::surer);
        }
    }

    private static Truth surer(Truth one, Truth other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The rules that decide about a packet in a passage, in some world. */
    List<PolicyRule> deciding(Reading of, Passage passage) {
        List<PolicyRule> all = like(of, passage).flatMap(WorldsOfPacket::deciding).toList();
        List<PolicyRule> read = deciding(passage).filter(all::contains).distinct().toList();
        return read.isEmpty() ? all.stream().distinct().toList() : read;
    }

    private static Stream<PolicyRule> deciding(Passage passage) {
        return Stream.of(passage.lower(), passage.upper()).filter(Objects::nonNull);
    }

    /** The passages through the same stage, in the same state, of all worlds. */
    @SuppressWarnings("ReferenceEquality") // readings share policies and stages
    private Stream<Passage> like(Reading of, Passage passage) {
        return readings.stream()
                .filter(one -> one.policy() == of.policy())
                .filter(one -> one.assumed().state() == of.assumed().state())
                .flatMap(one -> one.passages().stream())
                .filter(one -> one.stage() == passage.stage());
    }
}
