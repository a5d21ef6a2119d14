package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The connector's own emitter over batches: what a checkpoint behind any of them remembers. */
class PacketEmissionTest {
    private static final int SHARDS = 8;
    private static final int MESSAGES = 100;
    private static final int EACH_BAD = 9;

    /** Numbers of the packets that are emitted, dead ones too. */
    private static final class Emitted implements SourceOutput<Tuple2<Integer, byte[]>> {
        private final List<Long> packets = new ArrayList<>();

        @Override
        public void collect(Tuple2<Integer, byte[]> message) {
            try {
                if (message.f0 == ShardedMessage.DEAD) {
                    packets.add(DeadLetter.decode(ShardedMessage.bytes(message)).packet().number());
                    return;
                }
                PacketBlock block = PacketMessages.decode(ShardedMessage.bytes(message), SHARDS);
                for (int i = 0; i < block.count(); i++) {
                    packets.add(block.column(Column.PACKET).get(i));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
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
    }

    private static List<ConsumerRecord<byte[], ByteBuffer>> from(long offset) {
        List<ConsumerRecord<byte[], ByteBuffer>> messages = new ArrayList<>();
        for (long o = offset; o < MESSAGES; o++) {
            byte[] frame = o % EACH_BAD == 0 ? MadeFrames.malformed() : MadeFrames.tcp((int) o, 80);
            messages.add(MadeFrames.message(0, o, frame));
        }
        return messages;
    }

    /** Emits at most so many batches of a partition from an offset on; returns where it stands. */
    private static long emit(long offset, int capacity, int batches, Emitted out) throws Exception {
        PacketBatcher batcher =
                new PacketBatcher(PacketFormat.FRAMES, SHARDS, false, capacity, tunnel -> {});
        from(offset).forEach(batcher::add);
        KafkaPartitionSplitState split =
                new KafkaPartitionSplitState(
                        new KafkaPartitionSplit(new TopicPartition("packets", 0), offset));
        KafkaRecordEmitter<Tuple2<Integer, byte[]>> emitter =
                new KafkaRecordEmitter<>(new PacketEmission());
        Iterator<PacketBatch> made = batcher.take().iterator();
        for (int i = 0; i < batches && made.hasNext(); i++) {
            emitter.emitRecord(made.next(), out, split);
        }
        return split.toKafkaPartitionSplit().getStartingOffset();
    }

    @Test
    void whereverACheckpointFallsNothingIsLostOrDoubled() throws Exception {
        for (int capacity : new int[] {1, 7, 10, MESSAGES, 1_000}) {
            for (int emitted = 0; (emitted - 1) * capacity < MESSAGES; emitted++) {
                Emitted out = new Emitted();
                long offset = emit(0, capacity, emitted, out);
                assertEquals(Math.min(MESSAGES, emitted * capacity), offset);
                assertEquals(offset, out.packets.size(), "emitted and offset go together");
                assertEquals(MESSAGES, emit(offset, 13, MESSAGES, out));
                List<Long> all = out.packets.stream().sorted().toList();
                assertEquals(MESSAGES, all.size());
                for (int i = 0; i < MESSAGES; i++) {
                    assertEquals(i + 1, all.get(i));
                }
            }
        }
    }

    @Test
    void batchesKeepToTheirPartitionsAndEndedOnesAreNamed() throws Exception {
        Map<String, Collection<ConsumerRecord<byte[], ByteBuffer>>> polled = new HashMap<>();
        polled.put("packets-0", from(90));
        List<ConsumerRecord<byte[], ByteBuffer>> other = new ArrayList<>();
        for (ConsumerRecord<byte[], ByteBuffer> message : from(95)) {
            other.add(MadeFrames.message(1, message.offset(), MadeFrames.value(message)));
        }
        polled.put("packets-1", other);
        RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> batches =
                PacketSplitReader.batched(
                        new RecordsBySplits<>(polled, Set.of("packets-2")),
                        new PacketBatcher(PacketFormat.FRAMES, SHARDS, false, 4, tunnel -> {}));
        assertEquals(Set.of("packets-2"), batches.finishedSplits());
        Map<String, Integer> packets = new HashMap<>();
        for (String split = batches.nextSplit(); split != null; split = batches.nextSplit()) {
            Emitted out = new Emitted();
            ConsumerRecord<byte[], byte[]> batch = batches.nextRecordFromSplit();
            while (batch != null) {
                assertTrue(split.endsWith("-" + batch.partition()), split);
                ((PacketBatch) batch).messages().forEach(out::collect);
                batch = batches.nextRecordFromSplit();
            }
            packets.put(split, out.packets.size());
        }
        assertEquals(Map.of("packets-0", 10, "packets-1", 5), packets);
    }
}
