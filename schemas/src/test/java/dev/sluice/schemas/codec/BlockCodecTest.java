package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks are what Avro's own reader and writer make of them, byte for byte and value by value. */
class BlockCodecTest {
    private static final int ROUNDS = 400;

    /** Makes something of a message, or refuses it. */
    private interface Reading {
        byte[] of(byte[] message) throws MalformedMessageException;
    }

    /** What a reading comes to: bytes that say all that was read, or the reason of a refusal. */
    private static Object outcome(Reading reading, byte[] message) {
        try {
            return Arrays.toString(reading.of(message));
        } catch (MalformedMessageException e) {
            return e.reason();
        }
    }

    private static byte[] shard(int shard) {
        return new byte[] {
            (byte) shard, (byte) (shard >>> 8), (byte) (shard >>> 16), (byte) (shard >>> 24)
        };
    }

    /** Our readings of a message, and Avro's, come to the same; returns whether it was read. */
    private static boolean assertReadAsAvroDoes(byte[] message, boolean ofPackets) {
        if (!ofPackets) {
            Object expected = outcome(m -> AvroBlocks.encode(AvroBlocks.verdicts(m)), message);
            assertEquals(
                    expected, outcome(m -> AvroBlocks.encode(VerdictBlock.decode(m)), message));
            boolean read = expected.toString().startsWith("[");
            if (read) { // of others, less is looked at
                assertEquals(
                        outcome(m -> shard(AvroBlocks.verdicts(m).count()), message),
                        outcome(m -> shard(VerdictBlock.count(m)), message));
            }
            return read;
        }
        Object expected = outcome(m -> AvroBlocks.encode(packets(m)), message);
        assertEquals(
                expected, outcome(m -> AvroBlocks.encode(PacketMessages.decode(m, 8)), message));
        if (PacketGlance.isBlock(message, 0, message.length)) {
            // Among others, which would go on where it ends too soon.
            byte[] among = new byte[message.length + 20];
            Arrays.fill(among, (byte) 1);
            System.arraycopy(message, 0, among, 7, message.length);
            assertFalse(PacketGlance.isBlock(among, 7, 9), "its head is not whole");
            PacketGlance glance = new PacketGlance();
            Object shard = outcome(m -> shard(packets(m).shard()), message);
            assertEquals(shard, outcome(m -> shard(glance.shard(m, 0, m.length)), message));
            assertEquals(shard, outcome(m -> shard(glance.shard(among, 7, m.length)), message));
        }
        return expected.toString().startsWith("[");
    }

    private static PacketBlock packets(byte[] message) throws MalformedMessageException {
        var record = MessageCodec.decode(message);
        return record.getSchema().getName().equals("PacketBlock")
                ? AvroBlocks.packets(record)
                : AvroHeaders.block(record, 8);
    }

    @Test
    void aBlockIsWrittenByteForByteAsAvroWritesIt() {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(41));
        for (int i = 0; i < ROUNDS; i++) {
            PacketBlock packets = blocks.packets();
            assertArrayEquals(AvroBlocks.encode(packets), packets.encode());
            VerdictBlock verdicts = blocks.verdicts();
            assertArrayEquals(AvroBlocks.encode(verdicts), verdicts.encode());
        }
    }

    @Test
    void packetNumbersAndTimesThatTravelAsDifferencesComeOutAsTheyWentIn() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(49));
        int shorter = 0;
        for (int i = 0; i < ROUNDS; i++) {
            VerdictBlock block = blocks.verdicts();
            if (!block.deltas() || block.lacksPackets()) {
                continue;
            }
            byte[] message = block.encode();
            VerdictBlock read = VerdictBlock.decode(message);
            for (int p = 0; p < block.count(); p++) {
                assertEquals(block.packets().get(p), read.packets().get(p));
                if (block.times() != null) {
                    assertEquals(block.times().get(p), read.times().get(p));
                }
            }
            shorter += read.deltas() ? 1 : 0;
        }
        assertTrue(shorter > ROUNDS / 20, shorter + " blocks travelled as differences");
    }

    @Test
    void aBlockThatGrowsEvenlyTakesNoBytesForItsPacketNumbersAsDifferences() throws Exception {
        int count = 4096;
        long[] numbers = LongStream.range(1L << 40, (1L << 40) + count).toArray();
        int[] indexes = new int[count];
        Column packets = Column.ofLongs(Column.PACKET, numbers, 0, count);
        VerdictBlockWriter writer = new VerdictBlockWriter();
        writer.of("c", 0, 1, count).judgedBy(1, "").rules(new long[0], 0, List.of());
        byte[] message = writer.deltasIfThere(packets).ruleIndexes(indexes, 0).message();
        assertTrue(message.length < 60, message.length + " bytes");
        assertEquals(numbers[count - 1], VerdictBlock.decode(message).packets().get(count - 1));
    }

    @Test
    void aBlockIsHandedOnWithItsPlaceAsAvroWritesIt() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(50));
        Schema schema = MessageSchemas.current("PlacedBlock");
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            PacketBlock placed = blocks.placed();
            byte[] message = placedMessage(placed.encode(), placed.place());
            assertArrayEquals(MessageCodec.encode(AvroBlocks.record(placed, schema)), message);
            byte[] parts = blocks.inParts(AvroBlocks.record(placed, schema));
            for (byte[] form : List.of(message, parts)) {
                Object expected = outcome(m -> placedBytes(AvroBlocks.packets(m)), form);
                assertEquals(
                        expected, outcome(m -> placedBytes(PacketMessages.decode(m, 8)), form));
                read += expected.toString().startsWith("[") ? 1 : 0;
            }
        }
        assertTrue(read > ROUNDS, read + " messages were read");
    }

    /** The parts of a block's message with its place, of a block that lies among others. */
    private static byte[] placedMessage(byte[] block, PacketPlace place) {
        byte[] among = new byte[block.length + 9];
        System.arraycopy(block, 0, among, 4, block.length);
        ByteBuffer lies = ByteBuffer.wrap(among, 1, block.length + 3).slice().position(3);
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (ByteBuffer part : PacketMessages.placed(lies, place)) {
            whole.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
        }
        return whole.toByteArray();
    }

    private static byte[] placedBytes(PacketBlock block) {
        return MessageCodec.encode(AvroBlocks.record(block, MessageSchemas.current("PlacedBlock")));
    }

    /** Who writes into the packets topic does not say where that is. */
    @Test
    void aPlacedBlockInThePacketsTopicIsRefused() {
        PacketPlace place = new PacketPlace("packets", 3, 77);
        byte[] message = placedMessage(block(20).encode(), place);
        assertFalse(PacketGlance.isBlock(message, 0, message.length));
        MalformedMessageException e = PacketMessages.refusal(message);
        assertEquals("message: wrong schema", e.reason());
        assertEquals("a PlacedBlock in the packets topic", e.detail());
    }

    @Test
    void aBlockThatNamesItsPacketsGetsTheirColumnsBack() throws Exception {
        PacketBlock packets = block(100);
        int[] indexes = TestSeed.random(51).ints(40, 0, 2).toArray();
        VerdictBlockWriter writer = new VerdictBlockWriter();
        writer.of("a capture", 0, 3, 40).judgedBy(1, "h").rules(new long[] {5}, 1, List.of());
        byte[] message =
                writer.at(new PacketPlace("t", 1, 9, 30)).ruleIndexes(indexes, 0).message();
        VerdictBlock read = VerdictBlock.decode(message);
        assertTrue(read.lacksPackets());
        assertThrows(IllegalStateException.class, read::packets);
        VerdictBlock whole = read.with(packets);
        for (int i = 0; i < 40; i++) {
            assertEquals(31 + i, whole.packets().get(i));
            int[] header = new int[HeaderWord.COUNT];
            whole.header(i, header);
            assertEquals((int) packets.column(2).get(30 + i), header[2]);
        }
        PacketBlock other = new PacketBlock("another", 0, 3, 8, 100, packets.columns());
        assertEquals(
                "block: other packets",
                assertThrows(MalformedMessageException.class, () -> read.with(other)).reason());
    }

    @Test
    void ruleIndexesArePackedAsAColumnOfThemIs() {
        Random random = TestSeed.random(42);
        RandomBlocks blocks = new RandomBlocks(random);
        VerdictBlockWriter writer = new VerdictBlockWriter();
        for (int i = 0; i < ROUNDS; i++) {
            int count = 1 + random.nextInt(50);
            int from = random.nextInt(9);
            int bits = random.nextInt(32);
            int[] indexes = random.ints(from + count + 3).map(word -> word >>> bits).toArray();
            Column packets = Column.constant(Column.PACKET, 7);
            long[] rules = random.longs(5).toArray();
            String capture = blocks.text();
            byte[] expected =
                    VerdictBlocks.of(
                                    capture,
                                    1,
                                    2,
                                    9,
                                    count,
                                    Arrays.copyOf(rules, 3),
                                    packets,
                                    null,
                                    Column.ofWords(Column.RULE, indexes, from, count))
                            .encode();
            writer.of(capture, 1, 2, count).judgedBy(9, "").rules(rules, 3, List.of());
            assertArrayEquals(
                    expected, writer.column(packets).ruleIndexes(indexes, from).message());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PacketBlock", "VerdictBlock"})
    void everyReleasedFormIsReadAsAvroReadsIt(String name) throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(43));
        boolean ofPackets = name.equals("PacketBlock");
        List<Schema> schemas = new ArrayList<>(MessageSchemas.history(name));
        schemas.add(MessageSchemas.current(name));
        for (Schema schema : schemas) {
            int read = 0;
            for (int i = 0; i < ROUNDS; i++) {
                var record =
                        ofPackets
                                ? AvroBlocks.record(blocks.packets(), schema)
                                : AvroBlocks.record(blocks.verdicts(), schema);
                byte[] plain = SingleObject.encode(record);
                byte[] parts = blocks.inParts(record);
                read += assertReadAsAvroDoes(plain, ofPackets) ? 1 : 0;
                read += assertReadAsAvroDoes(parts, ofPackets) ? 1 : 0;
                assertEquals(!ofPackets, VerdictBlock.isIn(plain));
            }
            assertTrue(read > ROUNDS, read + " messages were read");
        }
    }

    @Test
    void everyCutIsReadOrRefusedAsAvroDoes() throws Exception {
        RandomBlocks blocks = new RandomBlocks(TestSeed.random(44));
        for (int i = 0; i < 12; i++) {
            var packets =
                    AvroBlocks.record(blocks.packets(), MessageSchemas.current("PacketBlock"));
            var verdicts =
                    AvroBlocks.record(blocks.verdicts(), MessageSchemas.current("VerdictBlock"));
            for (byte[] message : List.of(blocks.inParts(packets), blocks.inParts(verdicts))) {
                boolean ofPackets = !VerdictBlock.isIn(message);
                for (int length = 0; length < Math.min(message.length, 3000); length++) {
                    byte[] cut = Arrays.copyOf(message, length);
                    assertFalse(assertReadAsAvroDoes(cut, ofPackets));
                }
                byte[] longer = Arrays.copyOf(message, message.length + 1);
                assertFalse(assertReadAsAvroDoes(longer, ofPackets));
            }
        }
    }

    @Test
    void damagedBlocksAreReadOrRefusedAsAvroDoes() throws Exception {
        Random random = TestSeed.random(45);
        RandomBlocks blocks = new RandomBlocks(random);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 40_000; i++) {
            boolean ofPackets = i % 2 == 0;
            var record =
                    ofPackets
                            ? AvroBlocks.record(
                                    blocks.packets(), MessageSchemas.current("PacketBlock"))
                            : AvroBlocks.record(
                                    blocks.verdicts(), MessageSchemas.current("VerdictBlock"));
            byte[] bad =
                    random.nextBoolean() ? blocks.inParts(record) : SingleObject.encode(record);
            if (bad.length > 5000 && i % 50 > 1) {
                continue;
            }
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                // Mostly where lengths and counts are: names and data take most of the bytes.
                int at = random.nextInt(random.nextBoolean() ? bad.length : 60) % bad.length;
                bad[at] =
                        (byte)
                                (random.nextBoolean()
                                        ? bad[at] ^ 1 << random.nextInt(8)
                                        : random.nextInt());
            }
            if (assertReadAsAvroDoes(bad, ofPackets)) {
                read++;
            } else {
                refused++;
            }
        }
        assertTrue(read > 2_000 && refused > 2_000, read + " read, " + refused + " refused");
    }

    @Test
    void aColumnThatComesTwiceIsSeenWhateverItsId() {
        List<Column> columns = new ArrayList<>();
        for (int id = -50_000; id < 50_000; id++) {
            columns.add(Column.constant(id, id));
        }
        byte[] good = new PacketBlock("c", 0, 0, 1, 1, columns).encode();
        assertEquals(100_000, assertReads(() -> PacketMessages.decode(good, 1)).columns().size());
        for (int twice : new int[] {-50_000, -1, 0, 63, 64, 127, 128, 49_999}) {
            List<Column> more = new ArrayList<>(columns);
            more.add(Column.constant(twice, 0));
            byte[] bad = new PacketBlock("c", 0, 0, 1, 1, more).encode();
            assertEquals(
                    "block: column twice",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> new PacketGlance().shard(bad, 0, bad.length))
                            .reason());
        }
    }

    private static PacketBlock assertReads(java.util.concurrent.Callable<PacketBlock> reading) {
        return org.junit.jupiter.api.Assertions.assertDoesNotThrow(reading::call);
    }

    private static long allocated(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 500; i++) {
            work.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            work.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / 100;
    }

    private static PacketBlock block(int count) {
        int[] words = TestSeed.random(46).ints(count).toArray();
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < 15; w++) {
            columns.add(Column.ofWords(w, words, 0, count));
        }
        long[] packets = IntStream.range(0, count).mapToLong(i -> i + 1).toArray();
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        return new PacketBlock("a capture", 0, 3, 8, count, columns);
    }

    @Test
    void aGlanceAllocatesNothing() {
        byte[] message = block(4096).encode();
        PacketGlance glance = new PacketGlance();
        long bytes =
                allocated(
                        () -> {
                            try {
                                assertTrue(glance.shard(message, 0, message.length) == 3);
                            } catch (MalformedMessageException e) {
                                throw new AssertionError(e);
                            }
                        });
        assertTrue(bytes < 8, bytes + " bytes a message"); // the counter's own call takes a little
    }

    @Test
    void aDecodedBlockTakesWhatItsColumnsSayAndNotTheirValues() {
        byte[] message = block(4096).encode();
        long bytes =
                allocated(
                        () -> {
                            try {
                                assertEquals(4096, PacketMessages.decode(message, 8).count());
                            } catch (MalformedMessageException e) {
                                throw new AssertionError(e);
                            }
                        });
        assertTrue(bytes < 2000, bytes + " bytes for 16 columns of 4,096 values");
    }

    @Test
    void aWrittenBlockTakesItsMessageAndItsTexts() {
        PacketBlock packets = block(4096);
        long message = packets.encode().length;
        long bytes = allocated(() -> assertTrue(packets.encode().length > 0));
        assertTrue(bytes < message + 300, bytes + " bytes for a message of " + message);

        int[] indexes = TestSeed.random(47).ints(4096, 0, 301).toArray();
        long[] rules = TestSeed.random(48).longs(400).toArray();
        List<String> actions = java.util.Collections.nCopies(301, "forward to \u00e4");
        Column numbers = packets.column(Column.PACKET);
        VerdictBlockWriter writer = new VerdictBlockWriter();
        Runnable write =
                () -> {
                    writer.of("a capture", 0, 3, 4096).judgedBy(7, "history");
                    writer.rules(rules, 300, actions).column(numbers).ruleIndexes(indexes, 0);
                    verdictBytes = writer.message().length;
                };
        bytes = allocated(write);
        long plain = verdictBytes;
        PolicyAnswers answers = new PolicyAnswers();
        Runnable writeAnswers =
                () -> {
                    answers.begin("");
                    for (int i = 0; i <= 300; i++) {
                        answers.add(VerdictOutcome.DENY, i);
                    }
                    writer.answers(answers);
                    write.run();
                };
        long more = allocated(writeAnswers) - bytes;
        assertTrue(Math.abs(more - (verdictBytes - plain)) < 100, more + " bytes for answers");
        verdictBytes = (int) plain;
        int texts = 2 * actions.size() * 80; // each is made for the size and for the message
        assertTrue(bytes < verdictBytes + texts + 400, bytes + " for a message of " + verdictBytes);
    }

    private int verdictBytes;
}
