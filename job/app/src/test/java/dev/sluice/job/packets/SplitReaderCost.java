package dev.sluice.job.packets;

import com.sun.management.ThreadMXBean;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketHeaderReader;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitState;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What single packets cost between Kafka's consumer and the classify operator's batch, with and
 * without batches in the split reader, by ns and heap bytes a packet. Run its {@code main}.
 *
 * <p>Not measured, and paid for each element or message in a job: Kafka's consumer before it, and
 * behind it Flink's task, network and thread that hands elements over. So what batches save in a
 * job is more than what is measured here.
 */
final class SplitReaderCost {
    private static final int SHARDS = 64;
    private static final int POLLED = PacketBatcher.CAPACITY;
    private static final int WARM_UP = 60;
    private static final int ROUNDS = 31;

    /** A way from polled messages to serialized elements. */
    private interface Way {
        void walk(List<ConsumerRecord<byte[], ByteBuffer>> polled, Edge edge) throws Exception;
    }

    /** The source's end of the edge: elements are serialized as the edge does, and kept. */
    private static final class Edge implements SourceOutput<Tuple2<Integer, byte[]>> {
        private final TypeSerializer<Tuple2<Integer, byte[]>> serializer =
                ShardedMessage.TYPE.createSerializer(new SerializerConfigImpl());
        private final DataOutputSerializer bytes = new DataOutputSerializer(8 << 20);
        private final List<byte[]> messages = new ArrayList<>();

        @Override
        public void collect(Tuple2<Integer, byte[]> message) {
            try {
                serializer.serialize(message, bytes);
            } catch (IOException e) {
                throw new IllegalStateException("writing to memory failed", e);
            }
            messages.add(ShardedMessage.bytes(message));
        }

        @Override
        public void collect(Tuple2<Integer, byte[]> message, long timestamp) {
            collect(message);
        }

        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}

        void clear() {
            bytes.clear();
            messages.clear();
        }
    }

    /** A single header goes on as it is, and becomes a block of one in the operator. */
    private static final class Unbatched
            implements KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        private final transient PacketHeaderReader header = new PacketHeaderReader();

        @Override
        public void deserialize(
                ConsumerRecord<byte[], byte[]> message, Collector<Tuple2<Integer, byte[]>> out)
                throws IOException {
            try {
                header.read(message.value());
                int shard = FlowShard.FLOW.of(header.words(), SHARDS);
                out.collect(Tuple2.of(shard, message.value()));
            } catch (MalformedMessageException e) {
                throw new IOException(e);
            }
        }

        @Override
        public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
            return ShardedMessage.TYPE;
        }
    }

    private static Way unbatched() {
        KafkaRecordEmitter<Tuple2<Integer, byte[]>> emitter =
                new KafkaRecordEmitter<>(new Unbatched());
        return (polled, edge) -> {
            List<ConsumerRecord<byte[], byte[]>> arrays =
                    new ArrayList<>(); // as Kafka makes them, records too
            for (ConsumerRecord<byte[], ByteBuffer> message : polled) {
                arrays.add(
                        MadeFrames.withValue(
                                0, message.offset(), message.key(), PacketReading.value(message)));
            }
            emit(polled(arrays), emitter, edge);
        };
    }

    private static Way batched(PacketFormat format, int capacity) {
        PacketBatcher batcher = new PacketBatcher(format, SHARDS, false, capacity, tunnel -> {});
        KafkaRecordEmitter<Tuple2<Integer, byte[]>> emitter =
                new KafkaRecordEmitter<>(new PacketEmission());
        return (polled, edge) ->
                emit(PacketSplitReader.batched(polled(polled), batcher), emitter, edge);
    }

    private static void emit(
            RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> records,
            KafkaRecordEmitter<Tuple2<Integer, byte[]>> emitter,
            Edge edge)
            throws Exception {
        KafkaPartitionSplitState split =
                new KafkaPartitionSplitState(
                        new KafkaPartitionSplit(new TopicPartition("packets", 0), 0));
        while (records.nextSplit() != null) {
            ConsumerRecord<byte[], byte[]> record = records.nextRecordFromSplit();
            while (record != null) {
                emitter.emitRecord(record, edge, split);
                record = records.nextRecordFromSplit();
            }
        }
    }

    private static List<ConsumerRecord<byte[], ByteBuffer>> frames() {
        Random random = TestSeed.random(1);
        List<ConsumerRecord<byte[], ByteBuffer>> messages = new ArrayList<>();
        for (int i = 0; i < POLLED; i++) {
            byte[] frame = MadeFrames.tcp(random.nextInt(), random.nextInt(1 << 16));
            messages.add(MadeFrames.message(0, i, frame));
        }
        return messages;
    }

    /** The same packets as {@link #frames}, a header a message. */
    private static List<ConsumerRecord<byte[], ByteBuffer>> records() throws Exception {
        Edge edge = new Edge();
        batched(PacketFormat.FRAMES, 1).walk(frames(), edge);
        List<ConsumerRecord<byte[], ByteBuffer>> messages = new ArrayList<>();
        int[] words = new int[HeaderWord.COUNT];
        for (int i = 0; i < POLLED; i++) {
            PacketBlock block = PacketMessages.decode(edge.messages.get(i), SHARDS);
            for (int w = 0; w < words.length; w++) {
                words[w] = block.column(w) == null ? 0 : (int) block.column(w).get(0);
            }
            byte[] header =
                    PacketMessages.encodeHeader(
                            "eth0", 0, i + 1, 1_700_000_000_000_000_000L + i, 60, words);
            messages.add(MadeFrames.message(0, i, null, header));
        }
        return messages;
    }

    private static <T> RecordsBySplits<ConsumerRecord<byte[], T>> polled(
            List<ConsumerRecord<byte[], T>> messages) {
        return new RecordsBySplits<>(Map.of("packets-0", messages), Set.of());
    }

    /** ns and bytes of the heap of both ends, of each round. */
    private static final class Measured {
        private final Way way;
        private final List<ConsumerRecord<byte[], ByteBuffer>> messages;
        private final Edge edge = new Edge();
        private final HeaderBatch batch = new HeaderBatch(HeaderLayout.complete(), POLLED);
        private final double[] sourceNs = new double[ROUNDS];
        private final double[] operatorNs = new double[ROUNDS];
        private final double[] heapBytes = new double[ROUNDS];
        private int elements;
        private int edgeBytes;

        Measured(Way way, List<ConsumerRecord<byte[], ByteBuffer>> messages) {
            this.way = way;
            this.messages = messages;
        }

        void round(int round) throws Exception {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            edge.clear();
            batch.size(0);
            long heap = threads.getCurrentThreadAllocatedBytes();
            long start = System.nanoTime();
            way.walk(messages, edge);
            long sent = System.nanoTime();
            for (byte[] message : edge.messages) {
                PacketBlock block = PacketMessages.decode(message, SHARDS);
                block.appendTo(batch, 0, block.count());
            }
            long end = System.nanoTime();
            heap = threads.getCurrentThreadAllocatedBytes() - heap;
            if (batch.size() != POLLED) {
                throw new IllegalStateException(batch.size() + " packets of " + POLLED);
            }
            elements = edge.messages.size();
            edgeBytes = edge.bytes.length();
            if (round >= 0) {
                sourceNs[round] = (sent - start) / (double) POLLED;
                operatorNs[round] = (end - sent) / (double) POLLED;
                heapBytes[round] = heap / (double) POLLED;
            }
        }

        String describe() {
            return "%8.1f ns %8.1f ns %8.1f B heap %6.1f B edge %8d messages"
                    .formatted(
                            median(sourceNs),
                            median(operatorNs),
                            median(heapBytes),
                            edgeBytes / (double) POLLED,
                            elements);
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Prints a line a way: source, operator, heap of both, bytes and messages on the edge. */
    public static void main(String[] arguments) throws Exception {
        Map<String, Measured> ways = new LinkedHashMap<>();
        var frames = frames();
        var records = records();
        ways.put("records, as they come", new Measured(unbatched(), records));
        for (int capacity : new int[] {1, 500, 4_096, POLLED}) {
            ways.put(
                    "records, batches of " + capacity,
                    new Measured(batched(PacketFormat.AVRO, capacity), records));
        }
        for (int capacity : new int[] {1, 500, 4_096, POLLED}) {
            ways.put(
                    "frames, batches of " + capacity,
                    new Measured(batched(PacketFormat.FRAMES, capacity), frames));
        }
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (Measured way : ways.values()) {
                way.round(round);
            }
        }
        ways.forEach((name, way) -> System.out.printf("%-26s %s%n", name, way.describe()));
    }
}
