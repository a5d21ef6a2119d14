package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of messages that a poll brought. */
class PacketBatcherTest {
    private static final PacketFormat INNER_FRAMES =
            new PacketFormat(PacketFormat.Kind.FRAMES, ParserOptions.INNER, FlowShard.FLOW);

    private static final int SHARDS = 16;

    private static List<PacketBatch> batches(
            PacketFormat format, int capacity, List<ConsumerRecord<byte[], ByteBuffer>> messages) {
        PacketBatcher batcher = new PacketBatcher(format, SHARDS, false, capacity, tunnel -> {});
        messages.forEach(batcher::add);
        List<PacketBatch> made = batcher.take();
        assertEquals(List.of(), batcher.take(), "nothing is left");
        return made;
    }

    private static List<Tuple2<Integer, byte[]>> messages(List<PacketBatch> batches) {
        return batches.stream().flatMap(b -> b.messages().stream()).toList();
    }

    /** An IPv4 packet of a protocol, in Ethernet. */
    private static byte[] ip(int protocol) {
        byte[] frame = MadeFrames.tcp(1, 80);
        frame[14 + 9] = (byte) protocol;
        return frame;
    }

    @Test
    void packetsWhoseTunnelStaysShutAreCountedByItsKind() {
        List<Tunnel> shut = new ArrayList<>();
        PacketBatcher batcher = new PacketBatcher(INNER_FRAMES, SHARDS, false, 10, shut::add);
        int[] protocols = {50, 6, 108, 50}; // ESP, TCP, IPComp, ESP
        for (int i = 0; i < protocols.length; i++) {
            batcher.add(MadeFrames.message(0, i, ip(protocols[i])));
        }
        assertEquals(List.of(Tunnel.ESP, Tunnel.IPCOMP, Tunnel.ESP), shut);
        assertEquals(1, batcher.take().size());
    }

    @Test
    void aMetricOfEachKindCountsTunnelsThatStayShut() {
        Map<String, Counter> counters = new TreeMap<>();
        FrameMetrics shut =
                new FrameMetrics(
                        new UnregisteredMetricsGroup() {
                            @Override
                            public MetricGroup addGroup(String key, String value) {
                                return new UnregisteredMetricsGroup() {
                                    @Override
                                    public Counter counter(String name) {
                                        Counter counter = new SimpleCounter();
                                        counters.put(key + " " + value + " " + name, counter);
                                        return counter;
                                    }
                                };
                            }
                        },
                        true);
        shut.shut(Tunnel.ESP);
        shut.shut(Tunnel.ESP);
        assertEquals(Tunnel.values().length, counters.size());
        counters.forEach(
                (name, counter) ->
                        assertEquals(
                                name.equals("tunnel esp shutTunnelPackets") ? 2 : 0,
                                counter.getCount(),
                                name));
    }

    /** The packets of each shard, in order, a line of all that is known of each. */
    private static Map<Integer, List<String>> packets(List<Tuple2<Integer, byte[]>> messages)
            throws Exception {
        Map<Integer, List<String>> packets = new TreeMap<>();
        for (Tuple2<Integer, byte[]> message : messages) {
            if (message.f0 == ShardedMessage.DEAD) {
                continue;
            }
            PacketBlock block = PacketMessages.decode(ShardedMessage.bytes(message), SHARDS);
            assertEquals(block.shard(), message.f0);
            for (int i = 0; i < block.count(); i++) {
                StringBuilder line = new StringBuilder();
                line.append(block.capture()).append(' ').append(block.captureIndex());
                for (int id : List.of(Column.PACKET, Column.TIME_NS)) {
                    line.append(' ').append(block.column(id).get(i));
                }
                for (int w = 0; w < HeaderWord.COUNT; w++) {
                    Column column = block.column(w);
                    line.append(' ').append(column == null ? 0 : (int) column.get(i));
                }
                packets.computeIfAbsent(message.f0, shard -> new ArrayList<>())
                        .add(line.toString());
            }
        }
        return packets;
    }

    private static int[] header(Random random) {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        header[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.IP_PROTO.place(6)
                        | Field.PORTS_PRESENT.place(1);
        header[HeaderWord.IPV4_SRC] = random.nextInt(40);
        header[HeaderWord.IPV4_DST] = random.nextInt();
        header[HeaderWord.PORTS] = random.nextInt();
        return header;
    }

    private static PacketBlock block(Random random, long first) {
        int shard = random.nextInt(SHARDS);
        int count = 1 + random.nextInt(5);
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = first + i;
        }
        return new PacketBlock(
                "blocks",
                0,
                shard,
                SHARDS,
                count,
                List.of(
                        Column.ofLongs(Column.PACKET, numbers, 0, count),
                        Column.constant(Column.TIME_NS, Column.NO_TIME),
                        Column.constant(Column.FRAME_LENGTH, 60)));
    }

    /** Headers, of captures that may take turns, among them blocks and what cannot be read. */
    private static List<ConsumerRecord<byte[], ByteBuffer>> mixture(Random random, int count) {
        List<ConsumerRecord<byte[], ByteBuffer>> messages = new ArrayList<>();
        long offset = random.nextInt(1000);
        int captures = 1 + random.nextInt(3);
        int rare = random.nextBoolean() ? 10 : 1_000_000;
        for (int i = 0; i < count; i++) {
            offset += 1 + random.nextInt(3); // there are gaps, of transactions' markers
            byte[] value;
            if (random.nextInt(rare) == 0) {
                value = block(random, offset).encode();
            } else if (random.nextInt(rare) == 0) {
                value = "no packet".getBytes(StandardCharsets.UTF_8);
            } else {
                int capture = random.nextInt(captures);
                value =
                        PacketMessages.encodeHeader(
                                "capture" + capture,
                                capture,
                                offset,
                                random.nextInt(9) == 0 ? Column.NO_TIME : random.nextLong(),
                                random.nextInt(1_500),
                                header(random));
            }
            messages.add(MadeFrames.message(3, offset, null, value));
        }
        return messages;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 500, PacketBatcher.CAPACITY})
    void packetsOfAShardAreTheSameInTheSameOrderHoweverManyABatchTakes(int capacity)
            throws Exception {
        Random random = TestSeed.random(91);
        for (int round = 0; round < 20; round++) {
            List<ConsumerRecord<byte[], ByteBuffer>> kafka = mixture(random, random.nextInt(2_000));
            List<Tuple2<Integer, byte[]>> alone = new ArrayList<>();
            int dead = 0;
            for (ConsumerRecord<byte[], ByteBuffer> message : kafka) {
                byte[] value = MadeFrames.value(message);
                if (value[0] == 'n') {
                    dead++;
                } else {
                    int shard = PacketMessages.decode(value, SHARDS).shard();
                    alone.add(Tuple2.of(shard, value));
                }
            }
            List<PacketBatch> batches = batches(PacketFormat.AVRO, capacity, kafka);
            List<Tuple2<Integer, byte[]>> batched = messages(batches);
            assertEquals(packets(alone), packets(batched));
            assertEquals(dead, batched.stream().filter(m -> m.f0 == ShardedMessage.DEAD).count());
            long last = -1;
            for (PacketBatch batch : batches) {
                assertTrue(batch.offset() > last, "offsets rise");
                assertEquals(3, batch.partition());
                last = batch.offset();
            }
            if (!kafka.isEmpty()) {
                assertEquals(kafka.get(kafka.size() - 1).offset(), last);
            }
        }
    }

    @Test
    void aBlockGoesOnAsItIsInABatchOfItsOwn() throws Exception {
        Random random = TestSeed.random(92);
        byte[] header = PacketMessages.encodeHeader("c", 0, 1, 5, 60, header(random));
        byte[] block = block(random, 1).encode();
        List<PacketBatch> batches =
                batches(
                        PacketFormat.AVRO,
                        100,
                        List.of(
                                MadeFrames.message(0, 10, null, header),
                                MadeFrames.message(0, 11, null, header),
                                MadeFrames.message(0, 12, null, block),
                                MadeFrames.message(0, 13, null, block),
                                MadeFrames.message(0, 14, null, header)));
        assertEquals(
                List.of(11L, 12L, 13L, 14L), batches.stream().map(ConsumerRecord::offset).toList());
        for (int i = 1; i <= 2; i++) {
            Tuple2<Integer, byte[]> message = batches.get(i).messages().get(0);
            assertNull(message.f1, "it has no array of its own");
            assertArrayEquals(block, ShardedMessage.bytes(message));
        }
        assertEquals(2, PacketMessages.decode(batches.get(0).messages().get(0).f1, SHARDS).count());
    }

    @Test
    void aFrameIsKnownByItsPlaceInKafkaAndHasTheTimeOfItsKey() throws Exception {
        byte[] frame = MadeFrames.tcp(0x0a000001, 443);
        PacketBlock block =
                PacketMessages.decode(
                        messages(
                                        batches(
                                                PacketFormat.FRAMES,
                                                9,
                                                List.of(MadeFrames.message(5, 41, frame))))
                                .get(0)
                                .f1,
                        SHARDS);
        assertEquals("packets/5", block.capture());
        assertEquals(5, block.captureIndex());
        assertEquals(42, block.column(Column.PACKET).get(0));
        assertEquals(1_000_041_000, block.column(Column.TIME_NS).get(0));
        assertEquals(MadeFrames.TCP_BYTES, block.column(Column.FRAME_LENGTH).get(0));
        assertEquals(0x0a000001, block.column(HeaderWord.IPV4_SRC).get(0));
        assertEquals(40_000 << 16 | 443, (int) block.column(HeaderWord.PORTS).get(0));
    }

    @Test
    void aFrameWithoutATimeInItsKeyHasThatOfItsMessage() throws Exception {
        byte[] frame = MadeFrames.tcp(1, 443);
        byte[] text = "flow0001".getBytes(StandardCharsets.UTF_8);
        for (byte[] key : new byte[][] {null, {}, {1, 2, 3, 4}, text, new byte[9]}) {
            List<PacketBatch> batches =
                    batches(PacketFormat.FRAMES, 9, List.of(MadeFrames.message(0, 0, key, frame)));
            PacketBlock block = PacketMessages.decode(messages(batches).get(0).f1, SHARDS);
            assertEquals(1_234_000_000, block.column(Column.TIME_NS).get(0));
        }
    }

    @Test
    void ofInnerFramesTheInnermostHeaderCounts() throws Exception {
        byte[] segment = MadeFrames.tcp(7, 443);
        ByteBuffer frame = ByteBuffer.allocate(20 + segment.length);
        frame.put(segment, 0, 34).putShort(16, (short) 60).put(23, (byte) 4).putInt(26, 9);
        frame.put(segment, 14, segment.length - 14);
        ConsumerRecord<byte[], ByteBuffer> message = MadeFrames.message(0, 0, frame.array());
        for (PacketFormat format : List.of(PacketFormat.FRAMES, INNER_FRAMES)) {
            List<PacketBatch> batches = batches(format, 9, List.of(message));
            PacketBlock block = PacketMessages.decode(messages(batches).get(0).f1, SHARDS);
            boolean inner = format.parsing().isInner();
            assertEquals(inner ? 7 : 9, block.column(HeaderWord.IPV4_SRC).get(0));
            assertEquals(inner, block.column(HeaderWord.PORTS) != null);
        }
    }

    @Test
    void framesThatCannotBeClassifiedAreDeadLettersAndTheOthersGoOn() throws Exception {
        byte[] good = MadeFrames.tcp(1, 80);
        List<Tuple2<Integer, byte[]>> messages =
                messages(
                        batches(
                                PacketFormat.FRAMES,
                                9,
                                List.of(
                                        MadeFrames.message(2, 0, good),
                                        MadeFrames.message(2, 1, MadeFrames.malformed()),
                                        MadeFrames.message(2, 2, new byte[3]),
                                        MadeFrames.message(2, 3, null),
                                        MadeFrames.message(2, 4, good))));
        List<String> reasons = new ArrayList<>();
        for (Tuple2<Integer, byte[]> message : messages) {
            if (message.f0 == ShardedMessage.DEAD) {
                DeadLetter letter = DeadLetter.decode(ShardedMessage.bytes(message));
                reasons.add(letter.packet().number() + " " + letter.reason());
                assertEquals("packets/2", letter.packet().capture());
                assertEquals(letter.packet().number() - 1, letter.message().offset());
                assertEquals(2, letter.message().partition());
            }
        }
        assertEquals(
                List.of(
                        "2 malformed:ip-header-length",
                        "3 malformed:link-header-short",
                        "4 malformed:link-header-short"),
                reasons);
        DeadLetter first = DeadLetter.decode(messages.get(0).f1);
        assertArrayEquals(MadeFrames.malformed(), first.message().payload());
        int classified = 0;
        for (List<String> ofShard : packets(messages).values()) {
            classified += ofShard.size();
        }
        assertEquals(2, classified);
    }

    @Test
    void noBlockIsLargerThanAnExporterMakesThem() throws Exception {
        List<ConsumerRecord<byte[], ByteBuffer>> kafka = new ArrayList<>();
        byte[] frame = MadeFrames.tcp(1, 80);
        for (int i = 0; i < PacketBatcher.CAPACITY; i++) {
            kafka.add(MadeFrames.message(0, i, frame));
        }
        List<PacketBatch> batches = batches(PacketFormat.FRAMES, PacketBatcher.CAPACITY, kafka);
        assertEquals(1, batches.size());
        List<Integer> counts = new ArrayList<>();
        for (Tuple2<Integer, byte[]> message : batches.get(0).messages()) {
            counts.add(PacketMessages.decode(ShardedMessage.bytes(message), SHARDS).count());
        }
        assertEquals(
                List.of(PacketExporter.Options.MAX_BLOCK, PacketExporter.Options.MAX_BLOCK),
                counts);
    }

    @Test
    void theShardOfAFrameIsThatOfItsHeader() throws Exception {
        int[] words = new int[HeaderWord.COUNT];
        for (int i = 0; i < 100; i++) {
            List<PacketBatch> batches =
                    batches(
                            PacketFormat.FRAMES,
                            9,
                            List.of(MadeFrames.message(0, i, MadeFrames.tcp(i, 80))));
            Tuple2<Integer, byte[]> message = messages(batches).get(0);
            PacketBlock block = PacketMessages.decode(ShardedMessage.bytes(message), SHARDS);
            for (int w = 0; w < words.length; w++) {
                words[w] = block.column(w) == null ? 0 : (int) block.column(w).get(0);
            }
            assertEquals(FlowShard.FLOW.of(words, SHARDS), message.f0);
        }
    }

    /** Where verdicts are to name it, a block goes on with its place; others have none. */
    @Test
    void aBlockThatIsToBeNamedSaysWhereItLies() throws Exception {
        Random random = TestSeed.random(9);
        PacketBlock block = block(random, 1);
        PacketBatcher batcher =
                new PacketBatcher(PacketFormat.AVRO, SHARDS, true, 10, tunnel -> {});
        batcher.add(
                new ConsumerRecord<>(
                        "topic", 3, 17, null, MadeFrames.amongOthers(header(random, 5))));
        batcher.add(
                new ConsumerRecord<>("topic", 3, 21, null, MadeFrames.amongOthers(block.encode())));
        List<Tuple2<Integer, byte[]>> made = messages(batcher.take());
        assertEquals(2, made.size());
        assertNull(PacketMessages.decode(made.get(0).f1, SHARDS).place());
        PacketBlock placed = PacketMessages.decode(ShardedMessage.bytes(made.get(1)), SHARDS);
        assertEquals(new PacketPlace("topic", 3, 21), placed.place());
        assertEquals(block.shard(), made.get(1).f0);
        assertEquals(block.columns(), placed.columns());
    }

    private static byte[] header(Random random, long packet) {
        return PacketMessages.encodeHeader("single", 0, packet, 1, 60, header(random));
    }
}
