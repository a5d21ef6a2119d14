package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walk of one packet through the chains of policies, rule by rule, in both readings at once: what
 * the packet meets, in its order.
 *
 * <p>The readings are those of {@link FlatPolicy}: lower takes unknown denials, upper unknown
 * permissions. Where a packet meets several alternatives of a condition, this walk may know what
 * the look-ups leave open, never the other way round.
 */
public final class PacketWalk {
    private final int[] header;
    private final List<Step> steps = new ArrayList<>();
    private final Stage stage;
    private final Unmarked unmarked;
    private final ConditionTruth truth;
    private boolean lower;
    private boolean upper;
    private @Nullable PolicyRule lowerRule;
    private @Nullable PolicyRule upperRule;

    /**
     * Rule that a packet comes to, or the end of a chain.
     *
     * @param chain the chain in the user's words
     * @param rule the user's rule; null: the chain ends
     * @param truth whether the packet meets the rule's condition
     * @param doubtful whether a rule before, whose condition is unknown, may keep the packet away:
     *     it may decide, or leave the chain
     */
    public record Step(String chain, @Nullable PolicyRule rule, Truth truth, boolean doubtful) {
        /** Returns whether the rule acts on the packet, and nothing unknown may prevent it. */
        public boolean acts() {
            return rule != null && truth == Truth.YES && !doubtful;
        }

        /** Returns whether the rule begins on a line. */
        public boolean isOn(int line) {
            return rule != null && rule.origin().line() == line;
        }
    }

    /**
     * Passage through a stage.
     *
     * @param comes whether the packet comes to the stage
     * @param lower the rule that decides in the lower reading; null: none does, since that reading
     *     ended before or the packet does not come
     * @param upper as {@code lower}, of the upper reading
     */
    public record Passage(
            Stage stage,
            Truth comes,
            List<Step> steps,
            @Nullable PolicyRule lower,
            @Nullable PolicyRule upper) {}

    /**
     * Passage through a policy under a state of the packet's connection.
     *
     * @param comes whether the packet comes to the policy
     * @param assumed the assumptions, with that state
     * @param lower whether the lower reading permits; null: no rule decides about the packet
     * @param upper as {@code lower}, of the upper reading
     */
    public record Reading(
            Policy policy,
            Truth comes,
            Assumptions assumed,
            List<Passage> passages,
            @Nullable Boolean lower,
            @Nullable Boolean upper) {}

    private PacketWalk(int[] header, Stage stage, Assumptions assumed) {
        this.header = header;
        this.stage = stage;
        unmarked = Marks.of(stage, assumed);
        truth = new ConditionTruth(assumed, unmarked.stage().vantage());
    }

    /**
     * The passages of a packet through policies, of which each may be the one that it comes to.
     *
     * @param given as {@link FlatPolicy#of(List, Assumptions)} takes them
     * @return those that the packet may take
     */
    public static List<Reading> of(List<Policy> policies, Assumptions given, int[] header) {
        List<Reading> readings = new ArrayList<>();
        for (Policy policy : policies) {
            Assumptions assumed = given.meeting(policy.name());
            Truth comes = permits(FlatPolicy.judged(policy), assumed, header);
            if (comes == Truth.NO) {
                continue;
            }
            boolean asks = FlatPolicy.asksStates(policy, false);
            Truth skipped = Truth.NO;
            Stage skips = asks ? policy.untracked() : null;
            if (skips != null) {
                Assumptions untracked = assumed.withState(ConnectionState.UNTRACKED);
                skipped = permits(skips, untracked, header);
                if (skipped != Truth.NO) {
                    readings.add(through(policy, comes, untracked, header));
                }
            }
            if (skipped != Truth.YES) {
                for (Assumptions tried : FlatPolicy.tried(assumed, asks)) {
                    readings.add(through(policy, comes, tried, header));
                }
            }
        }
        return readings;
    }

    /**
     * The passages in each possible world of a policy; of policies without, those of {@link #of}.
     *
     * @param flat the policies under these assumptions
     */
    public static List<Reading> inWorlds(
            List<Policy> policies, FlatPolicy flat, Assumptions given, int[] header) {
        List<Reading> readings = new ArrayList<>();
        for (Policy policy : policies) {
            List<Assumptions> worlds = flat.worlds(policy);
            for (Assumptions world : worlds.isEmpty() ? List.of(given) : worlds) {
                readings.addAll(of(List.of(policy), world, header));
            }
        }
        return readings;
    }

    private static Truth permits(Stage stage, Assumptions assumed, int[] header) {
        Passage passage = new PacketWalk(header, stage, assumed).through(true, true);
        boolean lower = permits(Objects.requireNonNull(passage.lower));
        boolean upper = permits(Objects.requireNonNull(passage.upper));
        return lower && upper ? Truth.YES : lower || upper ? Truth.MAYBE : Truth.NO;
    }

    private static boolean permits(PolicyRule rule) {
        return rule.effect() instanceof Effect.Decide decide && decide.outcome() == Outcome.PERMIT;
    }

    /** The passage through a policy under known assumptions, the state among them. */
    public static Reading through(Policy policy, Truth comes, Assumptions assumed, int[] header) {
        List<Passage> passages = new ArrayList<>();
        boolean lower = true;
        boolean upper = true;
        PolicyRule lowerRule = null;
        PolicyRule upperRule = null;
        for (Stage stage : policy.stages()) {
            if (!lower && !upper) {
                break;
            }
            Passage passage = new PacketWalk(header, stage, assumed).through(lower, upper);
            passages.add(passage);
            lowerRule = passage.lower == null ? lowerRule : passage.lower;
            upperRule = passage.upper == null ? upperRule : passage.upper;
            lower &= passage.lower == null || permits(passage.lower);
            upper &= passage.upper == null || permits(passage.upper);
        }
        return new Reading(
                policy,
                comes,
                assumed,
                passages,
                lowerRule == null ? null : Boolean.valueOf(permits(lowerRule)),
                upperRule == null ? null : Boolean.valueOf(permits(upperRule)));
    }

    private Passage through(boolean ofLower, boolean ofUpper) {
        Truth comes = truth.of(stage.judges(), header);
        lower = ofLower && comes != Truth.NO;
        upper = ofUpper && comes == Truth.YES; // else it may pass by, which upper takes
        if (lower || upper) {
            boolean doubtful = comes == Truth.MAYBE;
            walk(unmarked.stage().base(), doubtful);
            if (lower || upper) {
                steps.add(step(stage.base(), stage.end(), Truth.YES, doubtful));
                settle(stage.end(), false);
            }
        }
        return new Passage(stage, comes, List.copyOf(steps), lowerRule, upperRule);
    }

    private void walk(String chain, boolean entered) {
        boolean doubtful = entered;
        boolean isBase = chain.equals(unmarked.stage().base());
        String name = chain;
        for (PolicyRule rule : unmarked.stage().chains().getOrDefault(chain, List.of())) {
            Truth met = unmarked.truth(rule, truth, header);
            boolean nobodys = Unmarked.isNobodys(rule);
            PolicyRule user = user(rule);
            name = nobodys ? name : user.origin().chain();
            boolean unsure = doubtful || met == Truth.MAYBE;
            if (!nobodys) {
                steps.add(step(name, user, met, doubtful));
            }
            boolean ends = isBase && rule.effect() instanceof Effect.Return;
            if (met != Truth.NO && (ends || rule.effect() instanceof Effect.Decide)) {
                settle(ends ? stage.end() : rule, unsure);
            }
            String target = Stage.target(rule);
            if (met != Truth.NO && target != null) {
                walk(target, unsure);
            }
            boolean leaves =
                    rule.effect() instanceof Effect.Return && !ends
                            || rule.effect() instanceof Effect.Goto;
            if (!lower && !upper || met == Truth.YES && leaves) {
                return;
            }
            doubtful |= met == Truth.MAYBE && leaves;
        }
        if (!isBase && !name.equals(stage.base())) {
            steps.add(step(name, null, Truth.YES, doubtful));
        }
    }

    private Step step(String chain, @Nullable PolicyRule rule, Truth met, boolean doubtful) {
        return new Step(chain, rule, met, doubtful || !lower || !upper);
    }

    /** Lets a rule decide in the readings that take it. */
    private void settle(PolicyRule rule, boolean unsure) {
        boolean permits = permits(rule);
        if (lower && (!unsure || !permits)) {
            lower = false;
            lowerRule = user(rule);
        }
        if (upper && (!unsure || permits)) {
            upper = false;
            upperRule = user(rule);
        }
    }

    /** The user's rule that a rule stands for. */
    private PolicyRule user(PolicyRule rule) {
        return unmarked.original(rule);
    }
}
