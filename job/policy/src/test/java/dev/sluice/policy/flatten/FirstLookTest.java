package dev.sluice.policy.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.walk.FirstLook;
import dev.sluice.engine.walk.FoundBoxes;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.Walk.Move;
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
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** First looks of random policies of one chain, beside their walks. */
class FirstLookTest {
    private static final int POLICIES = 300;
    private static final int PACKETS = 60;
    private static final Assumptions NEW = new Assumptions(ConnectionState.NEW, null, null);

    @Test
    void answersAsTheWalkDoes() {
        int answered = 0;
        int left = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            Random random = new Random(seed);
            RandomPolicies draw = new RandomPolicies(seed);
            FlatPolicy flat = FlatPolicy.of(policy(draw, random), NEW);
            Walk walk = Walk.of(flat.rules());
            FirstLook look = FirstLook.of(walk);
            if (look == null) {
                continue;
            }
            List<int[]> headers = new ArrayList<>();
            HeaderBatch batch = new HeaderBatch(HeaderLayout.ofWordBits(HeaderWord.ALL), PACKETS);
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                Field.CONNECTION_STATE.put(header, random.nextInt(5));
                headers.add(header);
                batch.add(header);
            }
            int[] answers = new int[PACKETS];
            FirstLook.Room room = new FirstLook.Room(PACKETS);
            int[] all = IntStream.range(0, PACKETS).toArray();
            int walking = look.answer(batch, new Linear(walk, headers), all, answers, room);
            List<Integer> walks = IntStream.of(room.left()).limit(walking).boxed().toList();
            for (int i = 0; i < PACKETS; i++) {
                if (walks.contains(i)) {
                    continue;
                }
                String packet = "seed " + seed + " packet " + i;
                Answer expected = flat.judge(headers.get(i));
                if (expected == null) {
                    assertEquals(VerdictBatch.MISS, answers[i], packet);
                    continue;
                }
                Rule rule = walk.answers().get(answers[i]);
                assertEquals(expected.rule().origin().line(), rule.line(), packet);
                assertEquals(expected.outcome() == Outcome.DEPENDS, rule.isDepends(), packet);
            }
            answered += PACKETS - walking;
            left += walking;
        }
        assertTrue(answered > POLICIES * 10, "only " + answered + " packets are answered");
        assertTrue(left > POLICIES, "only " + left + " packets walk");
    }

    /** Rules of a chain: two states of connections before all, or not; calls of another, or not. */
    private static Policy policy(RandomPolicies draw, Random random) {
        List<PolicyRule> rules = new ArrayList<>();
        boolean calls = random.nextInt(3) == 0;
        if (random.nextInt(3) == 0) {
            rules.add(decide(draw.condition(1, 2), random, rules.size()));
        }
        for (int state = 1 + random.nextInt(3); state < 3; state++) {
            rules.add(decide(Condition.is(Field.CONNECTION_STATE, state), random, rules.size()));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            rules.add(decide(draw.condition(1, 0), random, rules.size()));
        }
        Condition some = Condition.is(Field.IP_PROTO, random.nextBoolean() ? 6 : 17);
        for (int i = random.nextInt(4); i > 0; i--) {
            Condition unknown = Condition.all(some, draw.condition(1, 2));
            rules.add(decide(unknown, random, rules.size()));
            rules.add(decide(draw.condition(1, 0), random, rules.size()));
        }
        if (calls) { // twice, so that the chain is not copied to its place
            Condition called = Condition.all(some, new Condition.Unknown("0"));
            for (Condition condition : List.of(called, draw.condition(1, 0))) {
                Origin origin = new Origin("random", 900, "main", "", "call", null);
                rules.add(new PolicyRule(origin, condition, new Effect.Jump("other"), ""));
            }
        }
        List<PolicyRule> other = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            other.add(decide(draw.condition(1, 0), random, 950 + i));
        }
        Map<String, List<PolicyRule>> chains = Map.of("main", rules, "other", other);
        PolicyRule end = decide(Condition.ALWAYS, random, 999);
        Stage stage = new Stage("stage", "main", chains, end, Vantage.PLAIN);
        Condition judges = random.nextBoolean() ? Condition.ALWAYS : draw.condition(1, 0);
        return new Policy("one stage", judges, List.of(stage), null);
    }

    private static PolicyRule decide(Condition condition, Random random, int line) {
        Outcome outcome = random.nextBoolean() ? Outcome.PERMIT : Outcome.DENY;
        Origin origin = new Origin("random", 1 + line, "main", "", "rule " + line, null);
        return new PolicyRule(origin, condition, new Effect.Decide(outcome), "");
    }

    /** Boxes of packets, by linear search. */
    private record Linear(Walk walk, List<int[]> headers) implements FoundBoxes {
        @Override
        public int[] in(int part, int[] packets, int count) {
            return IntStream.of(packets).limit(count).map(packet -> box(part, packet)).toArray();
        }

        private int box(int part, int packet) {
            List<Rule> boxes = walk.boxes(part);
            return IntStream.range(0, boxes.size())
                    .filter(box -> boxes.get(box).match().matches(headers.get(packet)))
                    .findFirst()
                    .orElse(VerdictBatch.MISS);
        }

        @Override
        public int word(int word, int packet) {
            return headers.get(packet)[word];
        }

        @Override
        public Move move(int part, int box) {
            return walk.move(walk.boxes(part).get(box));
        }
    }
}
