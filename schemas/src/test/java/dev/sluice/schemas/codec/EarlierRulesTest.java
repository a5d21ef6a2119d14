package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemas.codec.Verdict.EarlierRule;
import dev.sluice.schemas.testing.Verdicts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Verdicts of policies of several stages, as messages. */
class EarlierRulesTest {
    private static final Verdict PLAIN = Verdicts.of("c", 1, 2, 3, 4L, 5, 6, "allow", 7);

    private static Verdict of(List<EarlierRule> earlier) {
        return new Verdict(
                "c",
                1,
                2,
                3,
                4L,
                5,
                6,
                "allow",
                7,
                "",
                VerdictStatus.OK,
                Map.of(),
                earlier,
                VerdictOutcome.NONE,
                "");
    }

    @Test
    void verdictKeepsTheRulesOfEarlierStagesAndWithoutThemIsTheMessageOfBefore() throws Exception {
        Verdict staged =
                of(List.of(new EarlierRule(1L << 40, 8, "a"), new EarlierRule(9, null, "b")));
        assertEquals(staged, Verdict.decode(staged.encode()));

        byte[] plain = PLAIN.encode();
        assertEquals(
                MessageSchemas.fingerprint(MessageSchemas.history("Verdict").get(1)),
                MessageCodec.fingerprint(plain, 0));
        assertEquals(59, plain.length, "bytes of a verdict by rules without stages");
        assertEquals(PLAIN, Verdict.decode(plain));
    }

    /** A registry's id names one schema, whatever a verdict has. */
    @Test
    void framedVerdictHasTheCurrentForm() throws Exception {
        long current = MessageSchemas.currentFingerprint("Verdict");
        for (Verdict verdict : List.of(PLAIN, of(List.of(new EarlierRule(8, 9, "a"))))) {
            byte[] framed = RegistryFraming.frame(verdict.encode(), 7);
            byte[] message = RegistryFraming.unframe(framed, current);
            assertArrayEquals(MessageCodec.encode(verdict.toRecord()), message);
            assertEquals(verdict, Verdict.decode(message));
        }
    }

    private static VerdictBlock block(int most) {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.ofLongs(Column.PACKET, new long[] {1, 2, 3, 4}, 0, 4));
        columns.add(Column.ofWords(Column.RULE, new int[] {2, 3, 0, 1}, 0, 4));
        columns.add(Column.ofWords(Column.EARLIER, new int[] {1, 1, 0, 2}, 0, 4));
        columns.add(Column.ofWords(Column.EARLIER + 1, new int[] {0, 2, 0, most}, 0, 4));
        return new VerdictBlock(
                "c",
                0,
                0,
                1,
                "",
                4,
                new long[] {10, 20, 30},
                List.of("drop", "a", "b", "c"),
                columns,
                null,
                false,
                null);
    }

    @Test
    void blockKeepsTheRulesOfEarlierStagesAndSoDoItsParts() throws Exception {
        List<List<Long>> expected =
                List.of(List.of(10L), List.of(10L, 20L), List.of(), List.of(20L, 30L));
        VerdictBlock whole = VerdictBlock.decode(block(3).encode());
        for (int i = 0; i < 4; i++) {
            assertEquals(expected.get(i), whole.earlier(i));
        }

        List<byte[]> parts = new ArrayList<>();
        block(3).encode(1, parts);
        assertEquals(4, parts.size());
        for (int i = 0; i < 4; i++) {
            VerdictBlock part = VerdictBlock.decode(parts.get(i));
            assertEquals(expected.get(i), part.earlier(0));
            assertEquals(whole.ruleId(i), part.ruleId(0));
            assertEquals(whole.action(i), part.action(0));
            assertEquals(Arrays.stream(part.rules()).distinct().count(), part.rules().length);
        }
    }

    @Test
    void ruleOfAnEarlierStageThatTheBlockDoesNotNameIsRefused() {
        byte[] message = block(4).encode();
        MalformedMessageException e =
                assertThrows(MalformedMessageException.class, () -> VerdictBlock.decode(message));
        assertEquals(DeadLetterReason.BLOCK_RULE_INDEX.text(), e.reason());
        assertEquals("4 with 3 rules", e.detail());
    }
}
