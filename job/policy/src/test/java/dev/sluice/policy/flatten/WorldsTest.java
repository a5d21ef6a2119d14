package dev.sluice.policy.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WorldsTest {
    private static final int POLICIES = 200;
    private static final int PACKETS = 30;
    private static final int OWNERS = 2;
    private static final String OWNER = "-m owner --uid-owner ";

    /** A name of each class that the drawn policies tell apart. */
    private static final List<String> NAMES = List.of("eth0", "eth1", "eth9", "lo", "wlan0");

    /** Each packet is judged in all possible worlds by a walk that knows them. */
    @Test
    void packetsDependWherePossibleWorldsDiffer() {
        int tried = 0;
        int settled = 0;
        int depending = 0;
        int given = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            Policy policy = steady(draw.policy(OWNERS));
            Assumptions assumed =
                    new Assumptions(
                            ConnectionState.NEW,
                            seed % 4 == 0 ? "eth0" : null,
                            seed % 3 == 0 ? "eth1" : null);
            FlatPolicy flat = FlatPolicy.of(policy, assumed);
            boolean exact = !flat.worlds(policy).isEmpty();
            given += exact || Worlds.of(policy, assumed).isEmpty() ? 0 : 1;
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                if (Field.FRAGMENT.extract(header[HeaderWord.IP]) == Field.FRAGMENT_LATER) {
                    continue; // nobody knows its ports
                }
                String packet = "seed " + seed + " packet " + i;
                Answer answer = Objects.requireNonNull(flat.judge(header));
                Set<Outcome> possible = EnumSet.noneOf(Outcome.class);
                Set<PolicyRule> deciding = new HashSet<>();
                for (Decision decision : decisions(policy, assumed, header)) {
                    possible.add(decision.outcome());
                    deciding.add(decision.rule());
                }
                if (answer.outcome() != Outcome.DEPENDS) {
                    assertEquals(Set.of(answer.outcome()), possible, packet);
                    assertTrue(!answer.sure() || deciding.size() == 1, packet);
                } else if (exact) {
                    assertEquals(2, possible.size(), packet);
                    depending++;
                }
                tried += exact ? 1 : 0;
                settled += exact && possible.size() == 1 && deciding.size() > 1 ? 1 : 0;
            }
        }
        assertTrue(tried > POLICIES * PACKETS / 2, tried + " packets have worlds");
        assertTrue(settled > POLICIES * PACKETS / 50, settled + " packets are settled");
        assertTrue(depending > POLICIES, depending + " packets depend");
        assertTrue(given < POLICIES / 6, given + " policies have worlds that are not tried");
    }

    /** A denial before a permission under the same words: the second may hold alone, or not. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-m owner --uid-owner 0",
                "-m string --string x --algo bm",
                "-m physdev --physdev-in eth0",
                "meta skuid 0",
                "socket transparent 1",
                "-m limit --limit 1/sec",
                "-m statistic --mode random --probability 0.5",
                "-m quota --quota 9",
                "-m recent --rcheck",
                "-m connmark --mark 1",
                "-m physdev --physdev-out eth0",
                "numgen random mod 2 == 0",
                "limit rate 1/second",
                "ct mark 1",
                "meta cpu 0",
                "meta skuid",
                "meta skuid & 1",
                "socket cgroupv2 level 1",
                "skipped: -m u32",
                "the ports of a later fragment"
            })
    void conditionsThatMayChangeAreUnknownToEachRule(String words) {
        Origin origin = new Origin("", 1, "base", "", "", null);
        Condition unknown = new Condition.Unknown(words);
        PolicyRule deny = new PolicyRule(origin, unknown, new Effect.Decide(Outcome.DENY), "DROP");
        PolicyRule permit =
                new PolicyRule(origin, unknown, new Effect.Decide(Outcome.PERMIT), "ACCEPT");
        PolicyRule end =
                new PolicyRule(origin, Condition.ALWAYS, new Effect.Decide(Outcome.DENY), "");
        Stage stage =
                new Stage("", "base", Map.of("base", List.of(deny, permit)), end, Vantage.PLAIN);
        FlatPolicy flat =
                FlatPolicy.of(
                        new Policy("", Condition.ALWAYS, List.of(stage), null), Assumptions.NONE);
        boolean steady =
                words.matches("-m (owner|string|physdev --physdev-in) .*|meta skuid 0|socket tr.*");
        Answer answer = Objects.requireNonNull(flat.judge(new int[HeaderWord.COUNT]));
        assertEquals(steady ? Outcome.DENY : Outcome.DEPENDS, answer.outcome(), words);
    }

    private static List<Decision> decisions(Policy policy, Assumptions assumed, int[] header) {
        List<Decision> decisions = new ArrayList<>();
        for (String in : names(assumed.inInterface())) {
            for (String out : names(assumed.outInterface())) {
                Assumptions known = new Assumptions(assumed.state(), in, out);
                for (int truth = 0; truth < 1 << OWNERS; truth++) {
                    int bits = truth;
                    PolicyWalk walk =
                            new PolicyWalk(
                                    known,
                                    words ->
                                            (bits
                                                                    >> Integer.parseInt(
                                                                            words.substring(
                                                                                    OWNER.length()))
                                                            & 1)
                                                    == 1);
                    decisions.add(walk.judge(policy, header));
                }
            }
        }
        return decisions;
    }

    private static List<String> names(String known) {
        return known == null ? NAMES : List.of(known);
    }

    /** The policy, whose unknown conditions are the same from rule to rule. */
    private static Policy steady(Policy policy) {
        IdentityHashMap<Stage, Stage> stages = new IdentityHashMap<>();
        policy.stages().forEach(stage -> stages.put(stage, steady(stage)));
        Stage untracked = policy.untracked();
        return new Policy(
                policy.name(),
                policy.judges(),
                policy.stages().stream().map(stages::get).toList(),
                untracked == null ? null : stages.get(untracked));
    }

    private static Stage steady(Stage stage) {
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        stage.chains()
                .forEach(
                        (chain, rules) ->
                                chains.put(chain, rules.stream().map(WorldsTest::steady).toList()));
        return new Stage(stage.name(), stage.base(), chains, stage.end(), stage.vantage());
    }

    private static PolicyRule steady(PolicyRule rule) {
        Condition condition =
                Condition.map(
                        rule.condition(),
                        one ->
                                one instanceof Condition.Unknown unknown
                                        ? new Condition.Unknown(OWNER + unknown.words())
                                        : one);
        return new PolicyRule(rule.origin(), condition, rule.effect(), rule.action());
    }
}
