package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumerator;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

/** Enumerators that go on from a checkpoint, without a broker. */
class RestorableSourceTest {
    private final Context context = new Context();

    /** A coordinator that notes what an enumerator does. */
    private static final class Context implements SplitEnumeratorContext<KafkaPartitionSplit> {
        private final Map<Integer, ReaderInfo> readers = new HashMap<>();
        private final Map<Integer, List<Integer>> assigned = new TreeMap<>();
        private final List<Integer> ended = new ArrayList<>();
        private final List<BiConsumer<Object, Throwable>> looks = new ArrayList<>();

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sendEventToSourceReader(int subtask, SourceEvent event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int currentParallelism() {
            return 2;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return readers;
        }

        @Override
        public void assignSplits(SplitsAssignment<KafkaPartitionSplit> assignment) {
            assignment
                    .assignment()
                    .forEach(
                            (subtask, splits) -> {
                                assertFalse(ended.contains(subtask), "it was told of the last");
                                splits.forEach(
                                        split ->
                                                assigned.computeIfAbsent(
                                                                subtask, s -> new ArrayList<>())
                                                        .add(split.getPartition()));
                            });
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            ended.add(subtask);
        }

        @Override
        public <T> void callAsync(Callable<T> call, BiConsumer<T, Throwable> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("unchecked") // what a look finds is given by the test
        public <T> void callAsync(
                Callable<T> call, BiConsumer<T, Throwable> handler, long delay, long every) {
            looks.add((found, failure) -> handler.accept((T) found, failure));
        }

        @Override
        public void runInCoordinatorThread(Runnable task) {
            task.run();
        }
    }

    private static RestorableSource<byte[]> source(boolean bounded) {
        var builder =
                KafkaSource.<byte[]>builder()
                        .setBootstrapServers("localhost:1")
                        .setTopics("t")
                        .setGroupId("g")
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setDeserializer(
                                KafkaRecordDeserializationSchema.valueOnly(
                                        ByteArrayDeserializer.class));
        return new RestorableSource<>(
                (bounded ? builder.setBounded(OffsetsInitializer.latest()) : builder).build());
    }

    private static KafkaPartitionSplit split(int partition) {
        return new KafkaPartitionSplit(new TopicPartition("t", partition), 0, 100);
    }

    /** Partitions 0 and 1 were with readers, 2 and 3 were not yet. */
    private static KafkaSourceEnumState state() {
        return new KafkaSourceEnumState(
                List.of(split(0), split(1)), List.of(split(2), split(3)), true);
    }

    private void register(int subtask) {
        context.readers.put(subtask, new ReaderInfo(subtask, "localhost"));
    }

    @Test
    void eachReaderOfABoundedSourceHearsAfterARestoreThatNoMoreComes() throws Exception {
        var enumerator = source(true).restoreEnumerator(context, state());
        enumerator.start();
        register(0);
        enumerator.addReader(0);
        assertEquals(Map.of(0, List.of(2)), context.assigned);
        assertEquals(List.of(0), context.ended);
        register(1);
        enumerator.addReader(1);
        assertEquals(Map.of(0, List.of(2), 1, List.of(3)), context.assigned);
        assertEquals(List.of(0, 1), context.ended);
        KafkaSourceEnumState next = enumerator.snapshotState(7);
        assertEquals(4, next.assignedSplits().size());
        assertEquals(0, next.unassignedSplits().size());
        enumerator.close();
    }

    @Test
    void theReaderThatTakesTheLostOnesPlaceGetsItsSplits() throws Exception {
        var enumerator = source(true).restoreEnumerator(context, state());
        register(0);
        enumerator.addReader(0);
        context.readers.clear();
        context.assigned.clear();
        context.ended.clear();
        enumerator.addSplitsBack(List.of(split(2)), 0);
        assertEquals(
                Map.of(2, false, 3, false, 0, true, 1, true),
                enumerator.snapshotState(8).splits().stream()
                        .collect(
                                Collectors.toMap(
                                        s -> s.split().getPartition(),
                                        s -> s.assignmentStatus().name().equals("ASSIGNED"))));
        register(0);
        enumerator.addReader(0);
        assertEquals(Map.of(0, List.of(2)), context.assigned);
        assertEquals(List.of(0), context.ended);
    }

    @Test
    void aCheckpointBeforeTheFirstDiscoveryAndASourceWithoutAnEndDiscover() throws Exception {
        var early = new KafkaSourceEnumState(List.of(), List.of(), false);
        assertInstanceOf(
                KafkaSourceEnumerator.class, source(true).restoreEnumerator(context, early));
        assertInstanceOf(
                KafkaSourceEnumerator.class, source(false).restoreEnumerator(context, state()));
    }

    /** As while Kafka is away. */
    @Test
    void aLookForPartitionsThatFailsIsBorneOnceTheyAreKnown() {
        List<String> heard = new ArrayList<>();
        BiConsumer<String, Throwable> handler =
                (found, failure) -> heard.add(failure == null ? found : failure.getMessage());
        Throwable away = new IllegalStateException("away");
        new PatientDiscovery(context, false).callAsync(() -> "", handler, 0, 1);
        context.looks.get(0).accept(null, away);
        assertEquals(List.of("away"), heard, "a job that finds no partition fails");
        context.looks.get(0).accept("partitions", null);
        context.looks.get(0).accept(null, away);
        context.looks.get(0).accept("more", null);
        assertEquals(List.of("away", "partitions", "more"), heard);

        new PatientDiscovery(context, true).callAsync(() -> "", handler, 0, 1);
        context.looks.get(1).accept(null, away);
        assertEquals(3, heard.size(), "of a checkpoint they are known");
    }
}
