package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.flatten.LookUp.Boxed;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A policy as look-ups. A packet's answer needs the position of the first match in each list of
 * boxes: {@link #lists} are rule sets for the engine, {@link #answer} puts their verdicts together.
 *
 * <p>Not thread-safe.
 */
public final class FlatPolicy {
    private final List<RuleSet> lists;
    private final State judged;
    private final List<State> states = new ArrayList<>();

    /** Facts about packets that connection tracking skips; null: it skips none. */
    private final @Nullable State untracked;

    /** Readings of the stage that tells these packets. */
    private final @Nullable State skipping;

    /** Readings of all stages under one connection state, in stage order. */
    private record State(List<Reading> lower, List<Reading> upper) {}

    /**
     * Answer about a packet.
     *
     * @param outcome its fate
     * @param rule the rule that decides, which the last stage has for a packet that passes; of a
     *     packet that depends the rule that it depends on
     * @param sure whether the rule decides whatever unknown conditions are; else another rule of
     *     the same outcome may come first
     */
    public record Answer(Outcome outcome, PolicyRule rule, boolean sure) {}

    private FlatPolicy(Policy policy, Assumptions assumed) {
        Map<Boxed, Integer> numbers = new LinkedHashMap<>();
        boolean asksStates =
                policy.stages().stream()
                        .flatMap(stage -> stage.chains().values().stream())
                        .flatMap(List::stream)
                        .anyMatch(rule -> asksState(rule.condition()));
        List<ConnectionState> tried =
                assumed.state() != null
                        ? List.of(assumed.state())
                        : asksStates
                                ? List.of(ConnectionState.NEW, ConnectionState.ESTABLISHED)
                                : List.of(ConnectionState.NEW);
        judged = readings(List.of(judged(policy)), assumed, numbers);
        for (ConnectionState state : tried) {
            states.add(readings(policy.stages(), assumed.withState(state), numbers));
        }
        Stage skips = asksStates ? policy.untracked() : null;
        Assumptions skipped = assumed.withState(ConnectionState.UNTRACKED);
        skipping = skips == null ? null : readings(List.of(skips), skipped, numbers);
        untracked = skips == null ? null : readings(policy.stages(), skipped, numbers);
        List<RuleSet> sets = new ArrayList<>();
        for (Boxed list : numbers.keySet()) {
            sets.add(ruleSet(policy.stages().get(0).end().origin().file(), list));
        }
        lists = List.copyOf(sets);
    }

    /**
     * Flattens a policy.
     *
     * @throws SluiceException naming the chain or rule that makes it too large
     */
    public static FlatPolicy of(Policy policy, Assumptions assumed) {
        return new FlatPolicy(policy, assumed);
    }

    /** A stage that permits the packets that come to a policy. */
    private static Stage judged(Policy policy) {
        Origin origin = new Origin(policy.name(), 0, "", "", "", null);
        Effect no = new Effect.Decide(Outcome.DENY);
        Effect yes = new Effect.Decide(Outcome.PERMIT);
        PolicyRule rule = new PolicyRule(origin, policy.judges(), yes, "");
        PolicyRule end = new PolicyRule(origin, Condition.ALWAYS, no, "");
        return new Stage(policy.name(), "", Map.of("", List.of(rule)), end, Vantage.PLAIN);
    }

    private static State readings(
            List<Stage> stages, Assumptions assumed, Map<Boxed, Integer> numbers) {
        State readings = new State(new ArrayList<>(), new ArrayList<>());
        for (Stage stage : stages) {
            Segment from = Segments.of(stage, assumed);
            readings.lower.add(new Reading(from, Outcome.DENY, stage.end(), numbers));
            readings.upper.add(new Reading(from, Outcome.PERMIT, stage.end(), numbers));
        }
        return readings;
    }

    private static boolean asksState(Condition condition) {
        if (condition instanceof Condition.Not not) {
            return asksState(not.condition());
        }
        if (condition instanceof Condition.All all) {
            return all.conditions().stream().anyMatch(FlatPolicy::asksState);
        }
        if (condition instanceof Condition.Any any) {
            return any.conditions().stream().anyMatch(FlatPolicy::asksState);
        }
        return condition instanceof Condition.InState;
    }

    private static RuleSet ruleSet(String name, Boxed list) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < list.boxes().size(); i++) {
            PolicyRule rule = list.rules().get(i);
            Match box = list.boxes().get(i);
            rules.add(new Rule(i, 0, box, rule.action(), rule.origin().line()));
        }
        try {
            return RuleSet.of(name, 1, RuleSet.DROP, rules);
        } catch (IllegalArgumentException e) {
            throw new SluiceException(name + ": " + e.getMessage(), e);
        }
    }

    /** The lists of boxes, each a rule set whose first match counts. */
    public List<RuleSet> lists() {
        return lists;
    }

    /** The rules with an unknown condition. */
    public Set<PolicyRule> asking() {
        Set<PolicyRule> asking = Collections.newSetFromMap(new IdentityHashMap<>());
        states.forEach(state -> state.lower.forEach(stage -> asking.addAll(stage.asking())));
        if (untracked != null) {
            untracked.lower.forEach(stage -> asking.addAll(stage.asking()));
        }
        return asking;
    }

    /** Returns whether packets may depend on something that is not assumed. */
    public boolean mayDepend() {
        return states.size() > 1 || skipping != null || !asking().isEmpty();
    }

    /** Number of boxes in all lists. */
    public int alternatives() {
        return lists.stream().mapToInt(RuleSet::size).sum();
    }

    /**
     * The answer about a packet, by linear search.
     *
     * @param header its words
     * @return null: the packet does not come to the policy
     */
    public @Nullable Answer judge(int[] header) {
        return answer(
                list -> {
                    List<Rule> rules = lists.get(list).rules();
                    for (int i = 0; i < rules.size(); i++) {
                        if (rules.get(i).match().matches(header)) {
                            return i;
                        }
                    }
                    return -1;
                });
    }

    /**
     * The answer about a packet.
     *
     * @param found position of the first rule that matches it, by number of the list; negative:
     *     none
     * @return null: the packet does not come to the policy
     */
    public @Nullable Answer answer(IntUnaryOperator found) {
        if (!Reading.permits(decide(judged.lower, found).rule)) {
            return null;
        }
        Sum sum = new Sum();
        boolean tracks = true;
        if (untracked != null && skipping != null) {
            if (Reading.permits(decide(skipping.upper, found).rule)) {
                sum.add(untracked, found);
            }
            tracks = !Reading.permits(decide(skipping.lower, found).rule);
        }
        for (State state : tracks ? states : List.<State>of()) {
            sum.add(state, found);
        }
        return sum.answer();
    }

    /** Answers of several connection states, put together. */
    @SuppressWarnings("ReferenceEquality") // rules of equal words are different ones
    private static final class Sum {
        private boolean mayPass;
        private boolean mayFail;
        private @Nullable PolicyRule permits;
        private @Nullable PolicyRule denies;
        private @Nullable PolicyRule asks;
        private @Nullable PolicyRule first;
        private boolean sure = true;

        void add(State state, IntUnaryOperator found) {
            Decision lower = decide(state.lower, found);
            Decision upper = decide(state.upper, found);
            first = first == null ? lower.rule : first;
            sure &= first == lower.rule && first == upper.rule;
            sure &= lower.unknown == null && upper.unknown == null;
            if (Reading.permits(lower.rule)) {
                permits = permits == null ? lower.rule : permits;
            } else {
                mayFail = true;
            }
            if (Reading.permits(upper.rule)) {
                mayPass = true;
            } else {
                denies = denies == null ? upper.rule : denies;
            }
            if (asks == null && Reading.permits(lower.rule) != Reading.permits(upper.rule)) {
                asks = lower.unknown != null ? lower.unknown : upper.unknown;
                asks = asks == null ? lower.rule : asks;
            }
        }

        Answer answer() {
            if (mayPass && mayFail) {
                PolicyRule differs = asks == null ? permits : asks;
                return new Answer(Outcome.DEPENDS, Objects.requireNonNull(differs), false);
            }
            return mayPass
                    ? new Answer(Outcome.PERMIT, Objects.requireNonNull(permits), sure)
                    : new Answer(Outcome.DENY, Objects.requireNonNull(denies), sure);
        }
    }

    /** Decision of one reading of all stages. */
    private record Decision(PolicyRule rule, @Nullable PolicyRule unknown) {}

    private static Decision decide(List<Reading> stages, IntUnaryOperator found) {
        PolicyRule rule = null;
        PolicyRule unknown = null;
        for (Reading stage : stages) {
            rule = stage.walk(found);
            unknown = stage.unknown();
            if (!Reading.permits(rule)) {
                break;
            }
        }
        if (rule == null) {
            throw new IllegalStateException("a policy without a stage decides nothing");
        }
        return new Decision(rule, unknown);
    }
}
