package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.Verdicts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** Outcome, line and assumption of a policy's verdicts, as messages. */
class PolicyAnswersTest {
    private static final Schema PLAIN = MessageSchemas.history("VerdictBlock").get(0);

    private static VerdictBlock drawn(RandomBlocks blocks, boolean policy) {
        VerdictBlock block = blocks.verdicts();
        while (policy != (block.answers() != null)) {
            block = blocks.verdicts();
        }
        return block;
    }

    @Test
    void blockOfRulesThatStandForThemselvesIsTheMessageOfBefore() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(61));
        for (int i = 0; i < 200; i++) {
            VerdictBlock block = drawn(blocks, false);
            byte[] message = block.encode();
            assertArrayEquals(SingleObject.encode(AvroBlocks.record(block, PLAIN)), message);
            VerdictBlock read = VerdictBlock.decode(message);
            assertNull(read.answers());
            assertEquals(VerdictOutcome.NONE, read.outcome(0));
            assertEquals("", read.assumed());
        }
    }

    @Test
    void blockKeepsTheAnswersOfItsPolicyAndSoDoItsParts() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(62));
        for (int i = 0; i < 100; i++) {
            VerdictBlock block = drawn(blocks, true);
            VerdictBlock read = VerdictBlock.decode(block.encode());
            for (int p = 0; p < block.count(); p++) {
                assertEquals(block.outcome(p), read.outcome(p));
                assertEquals(block.line(p), read.line(p));
            }
            List<byte[]> parts = new ArrayList<>();
            block.encode(1, parts);
            assertEquals(block.count(), parts.size());
            for (int p = 0; p < parts.size(); p++) {
                VerdictBlock part = VerdictBlock.decode(parts.get(p));
                assertEquals(read.outcome(p), part.outcome(0));
                assertEquals(read.line(p), part.line(0));
                assertEquals(read.assumed(), part.assumed());
            }
        }
    }

    /** A registry's id names one schema, whatever a block has. */
    @Test
    void framedBlockHasTheCurrentForm() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(63));
        Schema current = MessageSchemas.current("VerdictBlock");
        for (int i = 0; i < 100; i++) {
            VerdictBlock block = drawn(blocks, i % 2 == 0);
            byte[] framed = RegistryFraming.frame(block.encode(), 7);
            byte[] message = RegistryFraming.unframe(framed, MessageSchemas.fingerprint(current));
            assertArrayEquals(SingleObject.encode(AvroBlocks.record(block, current)), message);
            assertTrue(VerdictBlock.isIn(message));
            assertEquals(block.count(), VerdictBlock.count(message));
            assertEquals(block.answers() == null, VerdictBlock.decode(message).answers() == null);
        }
    }

    @Test
    void answersThatAreNotOneMoreThanTheRulesAreRefused() {
        VerdictBlock block = drawn(new RandomBlocks(TestSeed.random(64)), true);
        block.answers().add(VerdictOutcome.PERMIT, 5);
        MalformedMessageException e =
                assertThrows(
                        MalformedMessageException.class, () -> VerdictBlock.decode(block.encode()));
        assertEquals("block: answers", e.reason());
    }

    @Test
    void verdictOfAPolicyKeepsItsOutcomeAndItsAssumption() throws Exception {
        Verdict plain = Verdicts.of("c", 1, 2, 3, 4L, 5, 6, "depends", 7);
        Verdict depends =
                new Verdict(
                        "c",
                        1,
                        2,
                        3,
                        4L,
                        5,
                        6,
                        "depends",
                        7,
                        "",
                        VerdictStatus.OK,
                        Map.of(),
                        List.of(),
                        VerdictOutcome.DEPENDS,
                        "--assume new");
        assertEquals(depends, Verdict.decode(depends.encode()));
        assertEquals(5, Verdict.decode(depends.encode()).line(), "the line it depends on");
        assertEquals(0, Verdict.lacking(depends.encode()));
        assertEquals(6, Verdict.lacking(plain.encode()));
    }
}
