package dev.sluice.policy.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.policy.flatten.StageList.Box;
import dev.sluice.policy.flatten.StageList.Hidden;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.testing.PolicyWalk;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of stages of random policies, against the walk through their chains. */
class StageListTest {
    private static final int POLICIES = 300;
    private static final int PACKETS = 60;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void firstBoxIsOfTheRuleThatTheWalkEndsAt(boolean marks) {
        int returns = 0;
        int open = 0;
        int compared = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = marks ? draw.withMarks() : draw;
            Policy policy = draw.policy(0);
            Assumptions assumed =
                    new Assumptions(
                            seed % 2 == 0 ? ConnectionState.NEW : ConnectionState.ESTABLISHED,
                            "eth0",
                            seed % 3 == 0 ? "" : "eth1");
            PolicyWalk walk = new PolicyWalk(assumed, words -> fail("unknown: " + words));
            for (int at = 0; at < policy.stages().size(); at++) {
                Stage stage = policy.stages().get(at);
                List<Stage> upTo = policy.stages().subList(0, at + 1);
                Policy before = new Policy("before", policy.judges(), upTo, null);
                List<Box> boxes = StageList.of(policy, stage, assumed);
                for (int i = 0; i < PACKETS; i++) {
                    int[] header = draw.header();
                    if (Field.FRAGMENT.extract(header[HeaderWord.IP]) == Field.FRAGMENT_LATER) {
                        continue; // nobody knows its connection's state
                    }
                    @Nullable Box first = first(boxes, header);
                    if (first == null) {
                        open++;
                        continue;
                    }
                    PolicyRule expected = walk.judge(before, header).rule();
                    if (!rules(stage).contains(expected)) {
                        continue; // an earlier stage denies the packet
                    }
                    compared++;
                    assertSame(expected, first.rule(), "seed " + seed + " packet " + i);
                    returns += passed(boxes, first, header) ? 1 : 0;
                }
            }
        }
        assertTrue(open < compared / 20, open + " packets are open, compared: " + compared);
        assertTrue(returns > POLICIES, returns + " packets pass a RETURN");
    }

    @Test
    void rulesBehindMarksAndDecisionsHaveBoxes() {
        int compared = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            Policy policy = new RandomPolicies(seed).withMarks().policy(0);
            Assumptions assumed = new Assumptions(ConnectionState.NEW, "eth0", "");
            for (Stage stage : policy.stages()) {
                Stage marking = with(stage, rule -> rule.effect());
                Stage passing =
                        with(
                                stage,
                                rule ->
                                        rule.effect() instanceof Effect.Mark
                                                ? new Effect.Continue()
                                                : rule.effect());
                Set<Integer> expected = owning(policy, passing, assumed);
                assertEquals(expected, owning(policy, marking, assumed), "seed " + seed);
                compared += expected.size();
            }
        }
        assertTrue(compared > 10 * POLICIES, compared + " rules");
    }

    /** A stage with other effects, whose conditions on marks may hold of each packet. */
    private static Stage with(Stage stage, Function<PolicyRule, Effect> effect) {
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        for (Map.Entry<String, List<PolicyRule>> chain : stage.chains().entrySet()) {
            List<PolicyRule> rules = new ArrayList<>();
            for (PolicyRule rule : chain.getValue()) {
                Condition may = Condition.any(rule.condition(), new Condition.Unknown("a mark"));
                Condition now = MarkState.isAsked(rule.condition()) ? may : rule.condition();
                Effect then = effect.apply(rule);
                rules.add(new PolicyRule(rule.origin(), now, then, rule.action()));
            }
            chains.put(chain.getKey(), rules);
        }
        return new Stage(stage.name(), stage.base(), chains, stage.end(), stage.vantage());
    }

    private static Set<PolicyRule> rules(Stage stage) {
        Set<PolicyRule> rules = new HashSet<>(Set.of(stage.end()));
        stage.chains().values().forEach(rules::addAll);
        return rules;
    }

    /** The places of rules that have boxes. */
    private static Set<Integer> owning(Policy policy, Stage stage, Assumptions assumed) {
        IdentityHashMap<PolicyRule, Integer> places = new IdentityHashMap<>();
        for (List<PolicyRule> chain : stage.chains().values()) {
            chain.forEach(rule -> places.put(rule, places.size()));
        }
        Set<Integer> owning = new TreeSet<>();
        for (Box box : StageList.of(policy, stage, assumed)) {
            if (box.rule() != null && box.rule() != stage.end()) {
                owning.add(places.get(box.rule()));
            }
        }
        return owning;
    }

    /** The box that decides; null: something that no header tells decides. */
    private static @Nullable Box first(List<Box> boxes, int[] header) {
        for (Box box : boxes) {
            if (box.decides() && box.match().matches(header) && !isHidden(box, header, true)) {
                return box.certain() && !isHidden(box, header, false) ? box : null;
            }
        }
        return fail("no box holds the packet");
    }

    private static boolean isHidden(Box box, int[] header, boolean certain) {
        for (Hidden hidden = box.hidden(); hidden != null; hidden = hidden.outer()) {
            if (hidden.certain() == certain && hidden.match().matches(header)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a box of a RETURN before another holds a packet. */
    private static boolean passed(List<Box> boxes, Box end, int[] header) {
        for (Box box : boxes.subList(0, boxes.indexOf(end))) {
            PolicyRule rule = box.rule();
            if (rule != null
                    && rule.effect() instanceof Effect.Return
                    && box.match().matches(header)
                    && !isHidden(box, header, true)) {
                return true;
            }
        }
        return false;
    }
}
