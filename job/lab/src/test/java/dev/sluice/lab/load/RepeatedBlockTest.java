package dev.sluice.lab.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.RandomBlocks;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A block that is sent again is the message that encoding it anew would make. */
class RepeatedBlockTest {
    private static final int ROUNDS = 60;
    private static final long NOW = 1_700_000_000_000_000_000L;

    private static List<Column> others(PacketBlock block) {
        return block.columns().stream()
                .filter(c -> c.id() != Column.PACKET && c.id() != Column.TIME_NS)
                .toList();
    }

    private static PacketBlock check(
            PacketBlock original, byte[] message, long first, long after, long until)
            throws MalformedMessageException {
        PacketBlock read = PacketMessages.decode(message, 1);
        assertArrayEquals(read.encode(), message);
        assertArrayEquals(original.capture().getBytes(UTF_8), read.capture().getBytes(UTF_8));
        assertEquals(original.captureIndex(), read.captureIndex());
        assertEquals(original.shard(), read.shard());
        assertEquals(original.shards(), read.shards());
        assertEquals(original.count(), read.count());
        assertEquals(others(original), others(read));
        Column packets = read.column(Column.PACKET);
        Column times = read.column(Column.TIME_NS);
        assertNotNull(packets);
        assertNotNull(times);
        long before = Math.max(after, until - RepeatedBlock.MOST_SPAN_NS);
        for (int i = 0; i < read.count(); i++) {
            assertEquals(first + i, packets.get(i));
            assertTrue(times.get(i) >= before, () -> "a time lies before the span");
            before = times.get(i);
        }
        assertEquals(until, before);
        return read;
    }

    @Test
    void messagesAreWhatEncodingMakes() throws MalformedMessageException {
        Random random = new Random(TestSeed.of(1));
        RandomBlocks blocks = new RandomBlocks(random);
        for (int round = 0; round < ROUNDS; round++) {
            PacketBlock original = blocks.packets();
            RepeatedBlock repeated = new RepeatedBlock(original);
            assertEquals(original.shard(), repeated.shard());
            assertEquals(original.count(), repeated.count());
            long first = 1;
            long after = NOW;
            for (int times = 0; times < 12; times++) {
                long until = after + (random.nextLong() >>> 1 + random.nextInt(62));
                until = Math.min(until, Long.MAX_VALUE / 2 + NOW / 8);
                until = Math.max(until, after);
                byte[] message = repeated.message(first, after, until);
                assertEquals(message.length, repeated.length());
                check(original, message, first, after, until);
                after = until;
                first += 1 + (random.nextLong() >>> 20 + random.nextInt(43));
            }
        }
    }

    @Test
    void noArrayIsMadeWhereLengthsStay() {
        RepeatedBlock repeated = new RepeatedBlock(block(100));
        byte[] once = repeated.message(8_192, NOW, NOW + 1_000);
        assertSame(once, repeated.message(1_000_000, NOW + 1_000, NOW + 1_001));
    }

    @Test
    void timesLieEvenlyInTheirSpan() throws MalformedMessageException {
        byte[] message = new RepeatedBlock(block(4)).message(1, NOW, NOW + 400);
        Column times = PacketMessages.decode(message, 1).column(Column.TIME_NS);
        assertNotNull(times);
        for (int i = 0; i < 4; i++) {
            assertEquals(NOW + 100 * (i + 1), times.get(i));
        }
    }

    @Test
    void theFirstHeadersAreABlock() throws MalformedMessageException {
        PacketBlock original = block(300);
        RepeatedBlock repeated = new RepeatedBlock(original);
        repeated.message(1_000_000, NOW, NOW + 5);
        for (int headers : new int[] {1, 2, 255, 256, 257, 299}) {
            RepeatedBlock cut = repeated.first(headers);
            PacketBlock expected =
                    new PacketBlock(
                            original.capture(),
                            original.captureIndex(),
                            original.shard(),
                            original.shards(),
                            headers,
                            original.columns().stream().map(c -> c.slice(0, headers)).toList());
            check(expected, cut.message(7, NOW, NOW + 9), 7, NOW, NOW + 9);
        }
    }

    @Test
    void timesThatGoBackAreRefused() {
        RepeatedBlock repeated = new RepeatedBlock(block(1));
        assertThrows(IllegalArgumentException.class, () -> repeated.message(1, NOW, NOW - 1));
    }

    private static PacketBlock block(int count) {
        int[] ports = new Random(TestSeed.of(2)).ints(count).toArray();
        return new PacketBlock("made", 0, 3, 8, count, List.of(Column.ofWords(2, ports, 0, count)));
    }
}
