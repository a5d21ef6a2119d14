package dev.sluice.policy.flatten;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.FoundBoxes;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.WalkMemory;
import dev.sluice.engine.walk.Walker;
import dev.sluice.engine.walk.WholeList;
import dev.sluice.policy.flatten.WalkRules.Passed;
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
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Policies as rules of a walk, one or those of the ways that a packet may take through a host:
 * {@link #rules} are what the engine serves and messages carry.
 *
 * <p>Not thread-safe.
 */
public final class FlatPolicy {
    /** Action of packets that do not come to a policy. */
    public static final String NOT_JUDGED = "not-judged";

    /** Most boxes that the possible worlds of a policy add. */
    private static final int MOST_OF_WORLDS = 16_384;

    /** Most boxes that they have, if each has those of the policy. */
    private static final int MOST_OF_ALL_WORLDS = 100_000;

    private final RuleSet rules;
    private final Walk walk;
    private final Linear linear = new Linear();
    private final Walker walker;
    private final Set<PolicyRule> asking;

    /** Possible worlds of the packets that come to each policy. */
    private final IdentityHashMap<Policy, List<Assumptions>> worlds = new IdentityHashMap<>();

    /** The user's rule of each answer. */
    private final List<PolicyRule> answers = new ArrayList<>();

    private int[] header = new int[0];
    private final int[] answer = new int[1];

    /**
     * Answer about a packet.
     *
     * @param outcome its fate
     * @param rule the rule that decides, which the last stage has for a packet that passes; of a
     *     packet that depends the rule that it depends on
     * @param sure whether the rule decides whatever unknown conditions are; else another rule of
     *     the same outcome may come first
     * @param earlier the rules that let the packet pass in the stages before the one that decides;
     *     of a packet that depends in those before the first in which its readings differ
     */
    public record Answer(
            Outcome outcome, PolicyRule rule, boolean sure, List<PolicyRule> earlier) {}

    private FlatPolicy(
            List<Policy> policies,
            Assumptions assumed,
            String words,
            int leastSet,
            boolean triesWorlds) {
        WalkRules put = new WalkRules(PacketSets.of(policies, assumed, leastSet));
        List<PolicyRule> users = Policy.rules(policies);
        for (PolicyRule rule : users) {
            if (rule.effect() instanceof Effect.Decide) {
                addAnswer(put, rule, Step.Kind.ANSWER, rule.action(), "");
            }
        }
        boolean mayDepend = policies.size() > 1;
        List<Assumptions> met = policies.stream().map(one -> meeting(one, assumed)).toList();
        List<Integer> boxes = new ArrayList<>();
        for (int way = 0; way < policies.size(); way++) {
            WalkRules.Mark before = put.mark();
            List<Passed> stages = way(put, policies.get(way), met.get(way));
            put.addWay(stages, words);
            boxes.add(put.boxesSince(before));
            mayDepend |=
                    stages.stream()
                            .anyMatch(one -> one.state() > 0 || one.kind() == Step.Kind.SKIPS);
        }
        WalkRules.Mark certain = put.mark();
        for (int way = 0; triesWorlds && way < policies.size(); way++) {
            addWorlds(put, policies.get(way), met.get(way), boxes.get(way));
        }
        asking = put.asking();
        if (mayDepend || !asking.isEmpty()) {
            String depends = Outcome.DEPENDS.label();
            Set<PolicyRule> asked = new HashSet<>(asking);
            for (PolicyRule rule : users) {
                if (rule.effect() instanceof Effect.Decide || asked.contains(rule)) {
                    addAnswer(put, rule, Step.Kind.DEPENDS, depends, depends + " on: ");
                }
            }
        }
        String name = policies.get(0).stages().get(0).end().origin().file();
        RuleSet all = ruleSet(name, put.rules());
        Walk through = Walk.of(all);
        if (!worlds.isEmpty() && WholeList.of(through) == null) {
            put.remove(certain);
            worlds.clear();
            all = ruleSet(name, put.rules());
            through = Walk.of(all);
        }
        rules = all;
        walk = through;
        walker = new Walker(walk, linear, 1, new WalkMemory());
    }

    private static Assumptions meeting(Policy policy, Assumptions given) {
        Assumptions assumed = given.meeting(policy.name());
        if (policy.comes() != null && assumed.state() != ConnectionState.NEW) {
            throw new SluiceException(
                    "%s: --nat translates the first packets of connections, as rules of nat do; add --assume new"
                            .formatted(policy.stages().get(0).end().origin().file()));
        }
        return assumed;
    }

    /** The stages of a policy, under each state of connections that is tried. */
    private static List<Passed> way(WalkRules put, Policy policy, Assumptions assumed) {
        boolean asksStates = asksStates(policy, assumed.tracked());
        Stage judged = judged(policy);
        if (assumed.tracked() && asksStates) {
            judged = BeforeTracking.asked(policy, judged);
        }
        List<Passed> stages = new ArrayList<>();
        stages.add(put.passed(judged, assumed, Step.Kind.JUDGES, 0));
        List<Assumptions> tried = tried(assumed, asksStates);
        for (int state = 0; state < tried.size(); state++) {
            for (Stage stage : policy.stages()) {
                stages.add(put.passed(stage, tried.get(state), Step.Kind.STAGE, state));
            }
        }
        Stage skips = asksStates ? policy.untracked() : null;
        if (skips != null) {
            Assumptions skipped = assumed.withState(ConnectionState.UNTRACKED);
            stages.add(put.passed(skips, skipped, Step.Kind.SKIPS, 0));
            for (Stage stage : policy.stages()) {
                stages.add(put.passed(stage, skipped, Step.Kind.UNTRACKED, 0));
            }
        }
        return stages;
    }

    /**
     * Adds ways of a policy through possible worlds, unless these have too many boxes.
     *
     * @param boxes number of boxes of the policy's own way
     */
    private void addWorlds(WalkRules put, Policy policy, Assumptions assumed, int boxes) {
        WalkRules.Mark before = put.mark();
        List<Assumptions> possible = new ArrayList<>();
        List<Map<Condition, Boolean>> all = Worlds.of(policy, assumed);
        if ((long) all.size() * boxes > MOST_OF_ALL_WORLDS) {
            return;
        }
        for (Map<Condition, Boolean> world : all) {
            possible.add(assumed.in(world));
            put.addWorld(way(put, policy, assumed.in(world)));
            if (put.boxesSince(before) > MOST_OF_WORLDS) {
                put.remove(before);
                return;
            }
        }
        if (!possible.isEmpty()) {
            worlds.put(policy, possible);
        }
    }

    static List<Assumptions> tried(Assumptions assumed, boolean asksStates) {
        if (assumed.state() != null || assumed.tracked() && asksStates) {
            return List.of(assumed);
        }
        Assumptions first = assumed.withState(ConnectionState.NEW);
        return asksStates
                ? List.of(first, assumed.withState(ConnectionState.ESTABLISHED))
                : List.of(first);
    }

    /**
     * Flattens a policy.
     *
     * @throws SluiceException naming the chain or rule that makes it too large
     */
    public static FlatPolicy of(Policy policy, Assumptions assumed) {
        return of(List.of(policy), assumed);
    }

    /**
     * Flattens policies, of which each may be the one that a packet comes to: its answer depends
     * where those that judge it differ.
     *
     * @throws SluiceException naming the chain or rule that makes one too large
     */
    public static FlatPolicy of(List<Policy> policies, Assumptions assumed) {
        return of(policies, assumed, "");
    }

    /**
     * As {@link #of(List, Assumptions)}.
     *
     * @param words the assumption as users say it, which verdicts tell; empty: none
     */
    public static FlatPolicy of(List<Policy> policies, Assumptions assumed, String words) {
        return new FlatPolicy(policies, assumed, words, PacketSets.LEAST, true);
    }

    /**
     * Flattens a policy without possible worlds, for packets whose interfaces are known: what no
     * header tells is unknown to each rule anew.
     *
     * @throws SluiceException naming the chain or rule that makes it too large
     */
    public static FlatPolicy withoutWorlds(Policy policy, Assumptions assumed) {
        return new FlatPolicy(List.of(policy), assumed, "", PacketSets.LEAST, false);
    }

    /**
     * As {@link #of(List, Assumptions)}.
     *
     * @param leastSet fewest boxes of a condition that is a set of its own
     */
    static FlatPolicy of(List<Policy> policies, Assumptions assumed, int leastSet) {
        return new FlatPolicy(policies, assumed, "", leastSet, true);
    }

    private void addAnswer(
            WalkRules put, PolicyRule rule, Step.Kind kind, String action, String before) {
        put.addAnswer(rule, kind, action, before + rule.origin().text());
        answers.add(rule);
    }

    /** A stage that permits the packets that come to a policy. */
    static Stage judged(Policy policy) {
        Origin origin = new Origin(policy.name(), 0, "", "", "", null);
        Effect no = new Effect.Decide(Outcome.DENY);
        Effect yes = new Effect.Decide(Outcome.PERMIT);
        List<PolicyRule> rules = new ArrayList<>();
        List<Condition> needed = new ArrayList<>();
        for (Condition part : Condition.parts(policy.judges())) {
            if (part instanceof Condition.Not not) { // no complement, which has many boxes
                rules.add(new PolicyRule(origin, not.condition(), no, ""));
            } else {
                needed.add(part);
            }
        }
        PolicyRule end = new PolicyRule(origin, Condition.ALWAYS, no, "");
        Stage comes = policy.comes();
        if (comes != null) {
            Effect asks = new Effect.Goto(comes.base());
            rules.add(new PolicyRule(origin, new Condition.All(needed), asks, ""));
            Map<String, List<PolicyRule>> chains = new LinkedHashMap<>(comes.chains());
            chains.put("", rules);
            return new Stage(policy.name(), "", chains, end, comes.vantage());
        }
        rules.add(new PolicyRule(origin, new Condition.All(needed), yes, ""));
        return new Stage(policy.name(), "", Map.of("", rules), end, Vantage.PLAIN);
    }

    /**
     * Returns whether a rule asks for the state of a packet's connection.
     *
     * @param tracked whether connections are tracked
     */
    static boolean asksStates(Policy policy, boolean tracked) {
        return policy.stages().stream().anyMatch(stage -> stage.asksState(tracked));
    }

    private static RuleSet ruleSet(String name, List<Rule> rules) {
        try {
            return RuleSet.inListOrder(name, 1, NOT_JUDGED, rules);
        } catch (IllegalArgumentException e) {
            throw new SluiceException(name + ": " + e.getMessage(), e);
        }
    }

    /** The policy as a rule set. */
    public RuleSet rules() {
        return rules;
    }

    /** The rules with an unknown condition. */
    public Set<PolicyRule> asking() {
        return asking;
    }

    /** The possible worlds of packets that depend; none: the readings alone tell what is known. */
    public List<Assumptions> worlds(Policy policy) {
        return worlds.getOrDefault(policy, List.of());
    }

    /** The boxes of each look-up, of which the first that holds a packet counts. */
    public List<List<Rule>> lists() {
        return IntStream.range(0, walk.parts().size()).mapToObj(walk::boxes).toList();
    }

    /** Number of boxes. */
    public int alternatives() {
        return (int) rules.rules().stream().filter(FlatPolicy::isBox).count();
    }

    private static boolean isBox(Rule rule) {
        Step step = rule.step();
        return step != null && (step.kind().isBox() || step.kind() == Step.Kind.ELEMENT);
    }

    /**
     * The answer about a packet, by linear search.
     *
     * @param words its header
     * @return null: the packet does not come to the policy
     */
    public @Nullable Answer judge(int[] words) {
        header = words.clone();
        linear.knownSets = 0;
        walker.answer(answer);
        if (answer[0] == VerdictBatch.MISS) {
            return null;
        }
        Rule rule = walk.answers().get(answer[0]);
        Outcome outcome =
                rule.isDepends() ? Outcome.DEPENDS : permits(rule) ? Outcome.PERMIT : Outcome.DENY;
        List<PolicyRule> earlier =
                IntStream.range(0, walk.earlierStages())
                        .map(stage -> walker.earlier(0, stage))
                        .filter(passed -> passed != VerdictBatch.MISS)
                        .mapToObj(answers::get)
                        .toList();
        return new Answer(outcome, answers.get(answer[0]), walker.isSure(0), earlier);
    }

    private static boolean permits(Rule rule) {
        Step step = rule.step();
        return step != null && step.permits();
    }

    /** Boxes of the one packet, by linear search. */
    private final class Linear implements FoundBoxes {
        private final int[] box = new int[1];

        /** Sets that the packet was looked up in, by their bits. */
        private int knownSets;

        @Override
        public int[] in(int part, int[] packets, int count) {
            for (int left = walk.sets().askedBy(part) & ~knownSets; left != 0; left &= left - 1) {
                int bit = Integer.lowestOneBit(left);
                int set = walk.sets().part(Integer.numberOfTrailingZeros(left));
                boolean in = box(set) != VerdictBatch.MISS;
                header[HeaderWord.SETS] = header[HeaderWord.SETS] & ~bit | (in ? bit : 0);
                knownSets |= bit;
            }
            box[0] = box(part);
            return box;
        }

        private int box(int part) {
            List<Rule> boxes = walk.boxes(part);
            int at = 0;
            while (at < boxes.size() && !boxes.get(at).match().matches(header)) {
                at++;
            }
            return at < boxes.size() ? at : VerdictBatch.MISS;
        }

        @Override
        public int word(int word, int packet) {
            return header[word];
        }

        @Override
        public Move move(int part, int box) {
            return walk.move(walk.boxes(part).get(box));
        }
    }
}
