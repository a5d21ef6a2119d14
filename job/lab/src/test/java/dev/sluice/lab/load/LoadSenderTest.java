package dev.sluice.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that senders send, round after round. */
@Timeout(60)
class LoadSenderTest {
    private static final int SHARDS = 8;
    private static final int BLOCK = 50;
    private static final int HEADERS = 3_000;
    private static final BlockCycle.Cut CUT = new BlockCycle.Cut("made", SHARDS, BLOCK);

    private final FakeClock clock = new FakeClock();
    private final AtomicLong count = new AtomicLong();

    /** Headers that differ in their ports. */
    private static LoadHeaders source(int headers) {
        Random random = new Random(TestSeed.of(1));
        List<int[]> made = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            int[] words = new int[HeaderWord.COUNT];
            words[HeaderWord.IPV4_SRC] = random.nextInt();
            words[HeaderWord.IPV4_DST] = random.nextInt();
            words[HeaderWord.PORTS] = i;
            words[HeaderWord.IP] =
                    Field.IP_VERSION.place(Field.VERSION_4)
                            | Field.PORTS_PRESENT.place(1)
                            | Field.IP_PROTO.place(6);
            made.add(words);
        }
        return LoadHeaders.of(HeaderTrace.of(made));
    }

    /** Runs senders, each in a thread of its own; what each has sent, decoded. */
    private List<List<PacketBlock>> run(
            int senders, IntFunction<Supplier<@Nullable LoadBlock>> feeds, long limit)
            throws Exception {
        Pacer pacer = new Pacer(0, Long.MAX_VALUE, clock);
        pacer.start();
        List<List<PacketBlock>> sent = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            List<PacketBlock> own = new ArrayList<>();
            sent.add(own);
            LoadSender sender = new LoadSender(feeds.apply(i), pacer, limit, SHARDS);
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    sender.run((block, message) -> own.add(read(block, message)));
                                } catch (RuntimeException | Error e) {
                                    synchronized (failures) {
                                        failures.add(e);
                                    }
                                }
                            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
        return sent;
    }

    private PacketBlock read(RepeatedBlock block, byte[] message) {
        clock.pass(1_000_000);
        try {
            // A copy: the sender's message is its own again.
            PacketBlock read = PacketMessages.decode(message.clone(), SHARDS);
            assertEquals(block.shard(), read.shard());
            assertEquals(block.count(), read.count());
            count.addAndGet(read.count());
            return read;
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks order and numbers; returns how often each header was sent, by its ports. */
    private static Map<Integer, Integer> check(List<List<PacketBlock>> sent, long headers) {
        Map<Integer, Integer> times = new HashMap<>();
        boolean[] seen = new boolean[(int) headers];
        int[] senderOf = new int[SHARDS];
        long[] lastPacket = new long[SHARDS];
        long[] lastTime = new long[SHARDS];
        for (int s = 0; s < sent.size(); s++) {
            for (PacketBlock block : sent.get(s)) {
                int shard = block.shard();
                assertTrue(senderOf[shard] == 0 || senderOf[shard] == s + 1, "one sender a shard");
                senderOf[shard] = s + 1;
                Column packets = block.column(Column.PACKET);
                Column time = block.column(Column.TIME_NS);
                Column ports = block.column(HeaderWord.PORTS);
                assertNotNull(packets);
                assertNotNull(time);
                assertNotNull(ports);
                for (int i = 0; i < block.count(); i++) {
                    assertTrue(packets.get(i) > lastPacket[shard]);
                    assertTrue(time.get(i) >= lastTime[shard]);
                    lastPacket[shard] = packets.get(i);
                    lastTime[shard] = time.get(i);
                    assertFalse(seen[(int) packets.get(i) - 1]);
                    seen[(int) packets.get(i) - 1] = true;
                    times.merge((int) ports.get(i), 1, Integer::sum);
                }
            }
        }
        for (int i = 0; i < headers; i++) {
            assertTrue(seen[i], "packet " + (i + 1));
        }
        return times;
    }

    private static BlockCycle cycle(LoadHeaders source, long limit) {
        return new BlockCycle(source, CUT, limit);
    }

    @Test
    void keptBlocksGoRoundAndRound() throws Exception {
        BlockCycle cycle = cycle(source(HEADERS), Long.MAX_VALUE);
        long limit = 3 * cycle.headers();
        Map<Integer, Integer> times = check(run(3, i -> cycle.feed(i, 3), limit), limit);
        assertEquals(HEADERS, times.size());
        times.values().forEach(n -> assertEquals((int) (limit / HEADERS), n));
        assertEquals(limit, count.get());
    }

    @Test
    void aLoadEndsWithTheHeaderThatItShouldEndWith() throws Exception {
        BlockCycle cycle = cycle(source(HEADERS), Long.MAX_VALUE);
        long limit = 2 * cycle.headers() + 777;
        check(run(2, i -> cycle.feed(i, 2), limit), limit);
        assertEquals(limit, count.get());
    }

    @Test
    void aLoadOfOnePassHasEachHeaderOnce() throws Exception {
        BlockCycle cycle = cycle(source(HEADERS), HEADERS);
        Map<Integer, Integer> times = check(run(1, i -> cycle.feed(i, 1), HEADERS), HEADERS);
        assertEquals(HEADERS, times.size());
    }

    @Test
    void mostBlocksOfASmallSourceAreFull() {
        BlockCycle cycle = cycle(source(20), Long.MAX_VALUE);
        assertEquals(0, cycle.headers() % 20);
        long full = cycle.blocks().stream().filter(b -> b.count() == BLOCK).count();
        assertTrue(full > cycle.blocks().size() * 3 / 4, full + " of " + cycle.blocks().size());
    }

    @Test
    void blocksHoldTheHeadersOfTheirShard() {
        for (RepeatedBlock block : cycle(source(HEADERS), HEADERS).blocks()) {
            PacketBlock read = read(block, block.message(1, 0, 0));
            int[] words = new int[HeaderWord.COUNT];
            for (int i = 0; i < read.count(); i++) {
                for (int w = 0; w < words.length; w++) {
                    Column column = read.column(w);
                    words[w] = column == null ? 0 : (int) column.get(i);
                }
                assertEquals(block.shard(), FlowShard.FLOW.of(words, SHARDS));
            }
            assertEquals("made", read.capture());
        }
    }
}
