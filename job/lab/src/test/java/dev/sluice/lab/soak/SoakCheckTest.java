package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.RuleText;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoakCheckTest {
    private static final int BLOCK = NumberedPackets.BLOCK;
    private static final RuleSet RULES =
            RuleSet.of(
                    "rules",
                    1,
                    "drop",
                    List.of(RuleText.parse("priority=1,tcp,actions=output:1").withId(77)));

    private final SoakCheck check = new SoakCheck(version -> version <= 2 ? RULES : null);

    /** The right verdicts on a block, of a version. */
    private static VerdictBlock right(long block, long version) {
        return verdicts(block, version, BLOCK, 0);
    }

    /**
     * Verdicts on the first packets of a block.
     *
     * @param wrong xor of the first one's index of a rule
     */
    private static VerdictBlock verdicts(long block, long version, int count, int wrong) {
        long[] packets = new long[count];
        int[] indexes = new int[count];
        for (int i = 0; i < count; i++) {
            packets[i] = block * BLOCK + 1 + i;
            indexes[i] = FirstMatch.classify(RULES, NumberedPackets.header(packets[i])) + 1;
        }
        indexes[0] ^= wrong;
        return VerdictBlocks.of(
                "soak",
                0,
                NumberedPackets.shard(block),
                version,
                count,
                new long[] {77},
                Column.ofLongs(Column.PACKET, packets, 0, count),
                null,
                Column.ofWords(Column.RULE, indexes, 0, count));
    }

    private static DeadLetter letter(long number) {
        return new DeadLetter(
                "message: not Avro",
                "",
                null,
                new DeadLetter.Message("packets", 0, 5, NumberedPackets.garbage(number)));
    }

    private void end(int blocks, int garbage) {
        check.end((long) blocks * BLOCK, garbage);
    }

    @Test
    void whatIsRightHasNoMiss() {
        check.take(right(1, 1));
        check.take(right(0, 2));
        check.take(letter(0));
        assertTrue(check.isComplete(2 * BLOCK, 1));
        end(2, 1);
        assertEquals(List.of(), check.misses());
        assertEquals(2 * BLOCK, check.verdicts());
        assertEquals(2 * BLOCK, check.newest());
    }

    @Test
    void aLostPacketIsNamed() {
        check.take(verdicts(0, 1, BLOCK - 1, 0));
        assertFalse(check.isComplete(BLOCK, 0));
        end(1, 0);
        assertEquals(List.of("packet 250 has no verdict"), check.misses());
    }

    @Test
    void aPacketWithTwoVerdictsIsNamed() {
        check.take(right(0, 1));
        check.take(verdicts(0, 1, 1, 0));
        end(1, 0);
        assertEquals(List.of("packet 1 has two verdicts"), check.misses());
    }

    @Test
    void aWrongVerdictIsNamedWithWhatTheReferenceSays() {
        check.take(verdicts(0, 1, BLOCK, 1));
        end(1, 0);
        assertEquals(
                List.of("packet 1 has rule none by version 1, and the reference says 77"),
                check.misses());
    }

    @Test
    void aVersionThatWasNotPublishedIsNamed() {
        check.take(verdicts(0, 3, 1, 0));
        assertEquals(
                List.of("packet 1 is judged by version 3, which was not published"),
                check.misses());
    }

    @Test
    void packetsAndVersionsThatGoBackWithinAFlowShardAreNamed() {
        check.take(verdicts(NumberedPackets.SHARDS, 2, 1, 0));
        check.take(verdicts(0, 1, 1, 0));
        assertEquals(
                List.of(
                        "packet 1 comes behind packet 4001 of its flow shard",
                        "packet 1 is judged by version 1, and one before it by version 2"),
                check.misses());
    }

    @Test
    void deadLettersAreCountedByTheirMessages() {
        check.take(letter(0));
        check.take(letter(0));
        end(0, 2);
        assertEquals(
                List.of(
                        "garbage message 0 has two dead letters",
                        "garbage message 1 has no dead letter"),
                check.misses());
    }

    @Test
    void aVerdictOnAPacketThatWasNotSentIsNamed() {
        check.take(right(0, 1));
        end(0, 0);
        assertEquals(List.of("packet 250 has a verdict, and was not sent"), check.misses());
    }
}
