package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.rules.Step.Kind;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Answers of policies in messages of verdicts. */
class PolicyVerdictsTest {
    private static final int RULES = 40;

    /** Random answers, whose places are their verdicts; the last rule states the assumption. */
    private static RuleSet policy(Random random, long version, String assumed) {
        List<Rule> rules = new ArrayList<>();
        Match all = new Match.Builder().build();
        for (int p = 0; p < RULES; p++) {
            Kind kind = random.nextInt(3) == 0 ? Kind.DEPENDS : Kind.ANSWER;
            Step step = new Step(kind, random.nextBoolean(), 0, p, 0, 0);
            int line = random.nextInt(1000);
            rules.add(new Rule(1000 + p, 0, all, "act", line, Place.NONE, "", step));
        }
        Step judges = new Step(Kind.JUDGES, false, 0, 0, 0, 0);
        rules.add(new Rule(1, 0, all, assumed, 0, Place.NONE, "", judges));
        return RuleSet.of("policy", version, "not-judged", rules);
    }

    private static PendingBlock pending(int[] verdicts, int[] earlier) {
        Column numbers = Column.constant(Column.PACKET, 7);
        PendingBlock pending =
                new PendingBlock(new PacketBlock("c", 0, 0, 1, verdicts.length, List.of(numbers)));
        System.arraycopy(verdicts, 0, pending.verdicts, 0, verdicts.length);
        pending.earlier = new int[][] {earlier.clone()};
        return pending;
    }

    private static List<byte[]> encode(VerdictFormat format, PendingBlock of, RuleSet rules) {
        List<byte[]> out = new ArrayList<>();
        new VerdictEncoder(format, VerdictFields.NONE)
                .encode(of, new FakeLookup(rules), 0, of.verdicts.length, out);
        return out;
    }

    private static int[] verdicts(Random random, int count) {
        return random.ints(count, VerdictBatch.MISS, RULES).toArray();
    }

    private static void assertAnswer(RuleSet policy, int verdict, VerdictBlock block, int i) {
        assertEquals(policy.outcome(verdict), block.outcome(i));
        assertEquals(verdict < 0 ? 0 : policy.rules().get(verdict).line(), block.line(i));
        assertEquals(policy.assumed(), block.assumed());
    }

    @Test
    void blocksAndRecordsTellTheAnswerOfEachPacket() throws Exception {
        Random random = TestSeed.random(71);
        for (int round = 0; round < 50; round++) {
            RuleSet policy = policy(random, 3, round % 2 == 0 ? "" : "--assume new");
            int[] verdicts = verdicts(random, 1 + random.nextInt(60));
            int[] earlier = verdicts(random, verdicts.length);
            List<byte[]> blocks = encode(VerdictFormat.BLOCKS, pending(verdicts, earlier), policy);
            List<byte[]> records =
                    encode(VerdictFormat.RECORDS, pending(verdicts, earlier), policy);
            VerdictBlock block = VerdictBlock.decode(blocks.get(0));
            for (int i = 0; i < verdicts.length; i++) {
                assertAnswer(policy, verdicts[i], block, i);
                Verdict record = Verdict.decode(records.get(i));
                assertEquals(block.outcome(i), record.outcome());
                assertEquals(block.assumed(), record.assumed());
                int line = record.line() == null ? 0 : record.line();
                assertEquals(block.line(i), line);
            }
        }
    }

    /** A rule has other lines and outcomes in other versions. */
    @Test
    void versionsOfOneAssumptionShareABlockAndOthersHaveTheirOwn() throws Exception {
        Random random = TestSeed.random(72);
        for (int round = 0; round < 50; round++) {
            List<RuleSet> versions =
                    List.of(
                            policy(random, 1, "--assume new"),
                            policy(random, 2, "--assume new"),
                            policy(random, 3, "--assume established"),
                            RuleSet.of("plain", 4, "drop", plain()));
            int[] verdicts = verdicts(random, 40);
            PendingBlock pending = pending(verdicts, verdicts(random, 40));
            List<PendingBlock.Run> runs = new ArrayList<>();
            for (int v = 0; v < versions.size(); v++) {
                runs.add(new PendingBlock.Run(10 * (v + 1), new FakeLookup(versions.get(v))));
            }
            pending.runs = runs;
            List<byte[]> out = encode(VerdictFormat.BLOCKS, pending, versions.get(0));
            assertEquals(3, out.size());
            VerdictBlock shared = VerdictBlock.decode(out.get(0));
            assertEquals(20, shared.count());
            for (int i = 0; i < 20; i++) {
                assertAnswer(versions.get(i / 10), verdicts[i], shared, i);
            }
            VerdictBlock other = VerdictBlock.decode(out.get(1));
            for (int i = 0; i < 10; i++) {
                assertAnswer(versions.get(2), verdicts[20 + i], other, i);
                assertEquals(VerdictOutcome.NONE, VerdictBlock.decode(out.get(2)).outcome(i));
            }
        }
    }

    private static List<Rule> plain() {
        List<Rule> rules = new ArrayList<>();
        for (int p = 0; p < RULES; p++) {
            rules.add(new Rule(1000 + p, RULES - p, new Match.Builder().build(), "act", 1 + p));
        }
        return rules;
    }

    /** Rules that stand for themselves name the same rules in the same bytes, but for answers. */
    @Test
    void plainRulesHaveNoByteForAnswers() throws Exception {
        Random random = TestSeed.random(73);
        int[] verdicts = verdicts(random, 50);
        int[] none = verdicts(random, 50);
        RuleSet plain = RuleSet.of("plain", 3, "drop", plain());
        byte[] without = encode(VerdictFormat.BLOCKS, pending(verdicts, none), plain).get(0);
        RuleSet policy = policy(random, 3, "");
        byte[] with = encode(VerdictFormat.BLOCKS, pending(verdicts, none), policy).get(0);
        int rules = VerdictBlock.decode(without).rules().length;
        assertArrayEquals(VerdictBlock.decode(without).rules(), VerdictBlock.decode(with).rules());
        int more = with.length - without.length;
        assertTrue(more > 2 * rules && more <= 4 + 3 * (rules + 1), more + " bytes for answers");
    }
}
