package dev.sluice.policy.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.WholeList;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
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
import dev.sluice.policy.testing.PolicyWalk;
import dev.sluice.policy.testing.PolicyWalk.Decision;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FlatPolicyTest {
    private static final int POLICIES = 150;
    private static final int PACKETS = 40;

    /** Unknown conditions of a policy: all combinations of their truth are tried. */
    private static final int UNKNOWNS = 3;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lookUpsAnswerAsTheWalkThroughTheChains(boolean marks) {
        Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
        int earlier = 0;
        int sets = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = marks ? draw.withMarks() : draw;
            Policy policy = draw.policy(0);
            Assumptions assumed =
                    new Assumptions(
                            seed % 2 == 0 ? ConnectionState.NEW : ConnectionState.ESTABLISHED,
                            "eth0",
                            seed % 3 == 0 ? "" : "eth1");
            FlatPolicy flat = FlatPolicy.of(List.of(policy), assumed, leastSet(seed));
            sets += elements(flat) > 0 ? 1 : 0;
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                Answer answer = Objects.requireNonNull(flat.judge(header));
                seen.merge(answer.outcome(), 1, Integer::sum);
                if (Field.FRAGMENT.extract(header[HeaderWord.IP]) == Field.FRAGMENT_LATER) {
                    continue; // nobody knows its connection's state
                }
                Decision expected =
                        decide(policy, assumed, header, words -> fail("unknown: " + words));
                assertEquals(expected.outcome(), answer.outcome(), "seed " + seed + " packet " + i);
                assertSame(expected.rule(), answer.rule(), "seed " + seed + " packet " + i);
                earlier += answer.earlier().size();
                assertEquals(
                        earlier(policy, assumed, header, words -> fail("unknown: " + words)),
                        answer.earlier(),
                        "seed " + seed + " packet " + i);
            }
        }
        assertTrue(seen.get(Outcome.PERMIT) > POLICIES * PACKETS / 5, () -> "" + seen);
        assertTrue(seen.get(Outcome.DENY) > POLICIES * PACKETS / 5, () -> "" + seen);
        assertTrue(earlier > POLICIES * PACKETS / 10, earlier + " packets pass a stage before");
        assertTrue(sets > POLICIES / 4, sets + " policies have sets of their own");
    }

    /** In most policies small conditions are sets, too. */
    private static int leastSet(int seed) {
        return seed % 3 == 0 ? PacketSets.LEAST : 0;
    }

    private static long elements(FlatPolicy flat) {
        return flat.rules().rules().stream()
                .filter(rule -> rule.step() != null && rule.step().kind() == Step.Kind.ELEMENT)
                .count();
    }

    /** The rules that permit before the stage that decides: each is judged as the last one. */
    private static List<PolicyRule> earlier(
            Policy policy, Assumptions assumed, int[] header, Predicate<String> unknown) {
        List<PolicyRule> rules = new ArrayList<>();
        for (int last = 1; last < policy.stages().size(); last++) {
            List<Stage> first = policy.stages().subList(0, last);
            Policy part = new Policy("part", policy.judges(), first, policy.untracked());
            Decision decision = decide(part, assumed, header, unknown);
            if (decision.outcome() == Outcome.DENY) {
                break;
            }
            rules.add(decision.rule());
        }
        return rules;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answerHoldsWhateverUnknownConditionsAre(boolean marks) {
        int certain = 0;
        int passed = 0;
        int needless = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = marks ? draw.withMarks() : draw;
            Policy policy = draw.policy(UNKNOWNS);
            Assumptions assumed =
                    new Assumptions(
                            seed % 4 == 0 ? null : ConnectionState.NEW,
                            "eth0",
                            seed % 3 == 0 ? null : "eth1");
            FlatPolicy flat = FlatPolicy.of(List.of(policy), assumed, leastSet(seed));
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                Answer answer = Objects.requireNonNull(flat.judge(header));
                Set<Outcome> possible = EnumSet.noneOf(Outcome.class);
                String packet = "seed " + seed + " packet " + i;
                forEachTruth(
                        assumed,
                        (known, unknown) -> {
                            possible.add(decide(policy, known, header, unknown).outcome());
                            if (answer.outcome() == Outcome.DEPENDS) {
                                List<PolicyRule> all = earlier(policy, known, header, unknown);
                                int count = answer.earlier().size();
                                assertTrue(count <= all.size(), packet);
                                assertEquals(all.subList(0, count), answer.earlier(), packet);
                            }
                        });
                passed += answer.outcome() == Outcome.DEPENDS ? answer.earlier().size() : 0;
                if (answer.outcome() != Outcome.DEPENDS) {
                    assertEquals(
                            Set.of(answer.outcome()), possible, "seed " + seed + " packet " + i);
                    certain++;
                } else if (possible.size() == 1
                        && Field.FRAGMENT.extract(header[HeaderWord.IP]) != Field.FRAGMENT_LATER) {
                    needless++; // a condition that is used twice
                }
            }
        }
        assertTrue(certain > POLICIES * PACKETS / 2, "only " + certain + " answers are certain");
        assertTrue(passed > POLICIES / 2, passed + " rules pass packets that depend later");
        assertTrue(needless < POLICIES * PACKETS / 50, needless + " answers depend without need");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listOfAWholePolicyAnswersAsItsWalk(boolean marks) {
        int lists = 0;
        int depends = 0;
        for (int seed = 0; seed < 2 * POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = marks ? draw.withMarks() : draw;
            List<Policy> policies = new ArrayList<>(List.of(draw.policy(seed % 4)));
            if (seed % 7 == 0) {
                policies.add(draw.policy(0)); // another way that packets may take
            }
            Assumptions assumed =
                    new Assumptions(
                            seed % 4 == 0 ? null : ConnectionState.NEW,
                            seed % 5 == 0 ? null : "eth0",
                            seed % 3 == 0 ? null : "eth1");
            FlatPolicy flat = FlatPolicy.of(policies, assumed);
            Walk walk = Walk.of(flat.rules());
            WholeList whole = WholeList.of(walk);
            if (whole == null) {
                continue;
            }
            lists++;
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                Answer expected = Objects.requireNonNull(flat.judge(header));
                int result = whole.result(first(whole.boxes(), header));
                int[][] answers = whole.answers();
                Rule rule = walk.answers().get(answers[0][result]);
                String packet = "seed " + seed + " packet " + i;
                assertEquals(expected.rule().origin().line(), rule.line(), packet);
                assertEquals(expected.outcome() == Outcome.DEPENDS, rule.isDepends(), packet);
                List<Integer> earlier = new ArrayList<>();
                for (int stage = 1; stage < answers.length; stage++) {
                    int passed = answers[stage][result];
                    if (passed != VerdictBatch.MISS) {
                        earlier.add(walk.answers().get(passed).line());
                    }
                }
                assertEquals(
                        expected.earlier().stream().map(passed -> passed.origin().line()).toList(),
                        earlier,
                        packet);
                depends += rule.isDepends() ? 1 : 0;
            }
        }
        assertTrue(lists > POLICIES, "only " + lists + " policies are one list");
        assertTrue(depends > POLICIES * PACKETS / 10, "only " + depends + " packets depend");
    }

    /** Packets come to the middle of a chain only behind a RETURN that may not be meant. */
    @Test
    void packetsAreLookedUpWhereTheyEnterChains() {
        Origin origin = new Origin("", 1, "c", "", "", null);
        Effect deny = new Effect.Decide(Outcome.DENY);
        List<PolicyRule> chain = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Condition unknown = new Condition.Unknown("limit");
            Condition some = Condition.all(Condition.is(Field.DST_PORT, i), unknown);
            chain.add(new PolicyRule(origin, some, new Effect.Return(), ""));
            chain.add(new PolicyRule(origin, Condition.is(Field.SRC_PORT, i), deny, ""));
        }
        PolicyRule jump =
                new PolicyRule(origin, Condition.is(Field.IP_PROTO, 6), new Effect.Jump("c"), "");
        PolicyRule end = new PolicyRule(origin, Condition.ALWAYS, deny, "");
        Stage stage =
                new Stage(
                        "", "base", Map.of("base", List.of(jump), "c", chain), end, Vantage.PLAIN);
        FlatPolicy flat =
                FlatPolicy.of(
                        new Policy("", Condition.ALWAYS, List.of(stage), null), Assumptions.NONE);
        int entered = 3; // the ways that a packet may take, the base, and the chain
        assertEquals(entered + 10, flat.lists().size(), "in doubt behind each RETURN");
    }

    private static Rule first(List<Rule> boxes, int[] header) {
        return boxes.stream().filter(box -> box.match().matches(header)).findFirst().orElseThrow();
    }

    /** Takes assumptions under which nothing is open, and the truth of unknown conditions. */
    private static void forEachTruth(
            Assumptions assumed, BiConsumer<Assumptions, Predicate<String>> taker) {
        ConnectionState known = assumed.state();
        Set<ConnectionState> states =
                known == null
                        ? EnumSet.of(ConnectionState.NEW, ConnectionState.ESTABLISHED)
                        : EnumSet.of(known);
        for (ConnectionState state : states) {
            for (String out :
                    assumed.outInterface() == null
                            ? Set.of("", "eth0", "eth1", "lo", "other")
                            : Set.of(assumed.outInterface())) {
                for (int truth = 0; truth < 2 << UNKNOWNS; truth++) {
                    int bits = truth;
                    taker.accept(
                            new Assumptions(state, assumed.inInterface(), out),
                            words -> (bits >> number(words) & 1) == 1);
                }
            }
        }
    }

    private static int number(String words) {
        return words.length() == 1 ? Integer.parseInt(words) : UNKNOWNS;
    }

    private static Decision decide(
            Policy policy, Assumptions assumed, int[] header, Predicate<String> unknown) {
        return new PolicyWalk(assumed, unknown).judge(policy, header);
    }
}
