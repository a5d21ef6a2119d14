package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Ways of a walk, made of the steps of its stages. */
final class WalkWays {
    private final List<Step> stages;
    private final IntUnaryOperator segment;
    private final LongFunction<Integer> user;
    private final Function<String, UnsupportedRulesException> refusal;

    /**
     * A way that packets may take.
     *
     * @param judges permits the packets that take it; null: all
     * @param skips permits the packets that connection tracking skips; null: none
     * @param untracked stages of these packets
     * @param states stages under each connection state that is tried
     */
    record Way(@Nullable Stage judges, @Nullable Stage skips, Stage[] untracked, Stage[][] states) {
        /** The most stages that a packet passes. */
        int stages() {
            return Arrays.stream(states)
                    .mapToInt(state -> state.length)
                    .reduce(untracked.length, Math::max);
        }
    }

    /** A stage: the segment that packets enter, and what its end does. */
    record Stage(int first, boolean permits, int end) {}

    /**
     * Ways of steps.
     *
     * @param segment index of a segment by its number
     * @param user index of a user's rule by its key
     * @param refusal exception that says what is wrong with the rules
     */
    WalkWays(
            List<Step> stages,
            IntUnaryOperator segment,
            LongFunction<Integer> user,
            Function<String, UnsupportedRulesException> refusal) {
        this.stages = stages;
        this.segment = segment;
        this.user = user;
        this.refusal = refusal;
    }

    /** The ways, or those through possible worlds. */
    List<Way> ways(boolean worlds) {
        TreeMap<Integer, TreeSet<Integer>> tried = new TreeMap<>();
        Set<Integer> possible = new TreeSet<>();
        for (Step stage : stages) {
            if (stage.kind() == Step.Kind.STAGE) {
                tried.computeIfAbsent(stage.segment() / Step.STATES, way -> new TreeSet<>())
                        .add(stage.segment());
            } else if (stage.kind() == Step.Kind.JUDGES && stage.unknown() == Step.WORLD) {
                possible.add(stage.segment());
            }
        }
        List<Way> ways = new ArrayList<>();
        tried.forEach(
                (way, states) -> {
                    if (possible.contains(way) == worlds) {
                        ways.add(way(way, states));
                    }
                });
        return ways;
    }

    private Way way(int number, Set<Integer> states) {
        Stage skips = one(Step.Kind.SKIPS, number);
        Stage[] untracked = stages(Step.Kind.UNTRACKED, number);
        if (skips != null && untracked.length == 0) {
            throw refusal.apply("it has no stage that decides about packets without tracking");
        }
        return new Way(
                one(Step.Kind.JUDGES, number),
                skips,
                untracked,
                states.stream()
                        .map(state -> stages(Step.Kind.STAGE, state))
                        .toArray(Stage[][]::new));
    }

    private @Nullable Stage one(Step.Kind kind, int way) {
        Stage[] all = stages(kind, way);
        return all.length == 0 ? null : all[0];
    }

    private Stage[] stages(Step.Kind kind, int state) {
        return stages.stream()
                .filter(stage -> stage.kind() == kind && stage.segment() == state)
                .map(
                        stage ->
                                new Stage(
                                        segment.applyAsInt(stage.to()),
                                        stage.permits(),
                                        user.apply(stage.rule())))
                .toArray(Stage[]::new);
    }
}
