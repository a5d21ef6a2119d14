package dev.sluice.job.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.flink.connector.kafka.sink.internal.CheckpointTransaction;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.connector.kafka.sink.internal.ProducerPool;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That it works with the connector's own pool, {@code LostTransactionITCase} shows. */
@Timeout(60)
class TransactionPoolTest {
    private final Pool pool = new Pool();
    private final AtomicLong nanos = new AtomicLong();
    private final TransactionPool producers =
            new TransactionPool(pool, "a-0", "ahead of a test", nanos::get);

    /** The connector's pool without a broker, which notes who asks it for what. */
    private static final class Pool implements ProducerPool {
        private final Map<String, FlinkKafkaInternalProducer<byte[], byte[]>> made =
                new HashMap<>();
        private final Map<String, Long> ongoing = new TreeMap<>();
        private final Map<String, Thread> askers = new HashMap<>();
        private final List<String> recycled = new ArrayList<>();
        private final List<String> asked = new ArrayList<>();
        private @Nullable String failing;
        private @Nullable String stalling;
        private final CountDownLatch stalled = new CountDownLatch(1);
        private boolean closed;
        private boolean closedBehindAll;

        @Override
        public FlinkKafkaInternalProducer<byte[], byte[]> getTransactionalProducer(
                String id, long checkpoint) {
            askers.put(id, Thread.currentThread());
            asked.add(id);
            assertFalse(ongoing.containsKey(id), id + " is in use");
            ongoing.put(id, checkpoint);
            if (id.equals(failing)) {
                throw new KafkaException("no " + id);
            }
            if (id.equals(stalling)) {
                stalled.countDown();
                // The first one may come where nothing can be interrupted, and be lost.
                CountDownLatch never = new CountDownLatch(1);
                assertThrows(InterruptedException.class, never::await);
                assertThrows(InterruptedException.class, never::await);
            }
            FlinkKafkaInternalProducer<byte[], byte[]> before = made.get(id);
            if (before != null) {
                return before;
            }
            Properties config = new Properties();
            config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
            config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            FlinkKafkaInternalProducer<byte[], byte[]> producer =
                    new FlinkKafkaInternalProducer<>(config, id);
            made.put(id, producer);
            return producer;
        }

        @Override
        public Collection<CheckpointTransaction> getOngoingTransactions() {
            List<CheckpointTransaction> all = new ArrayList<>();
            ongoing.forEach((id, checkpoint) -> all.add(new CheckpointTransaction(id, checkpoint)));
            return all;
        }

        @Override
        public void recycle(FlinkKafkaInternalProducer<byte[], byte[]> producer) {
            ongoing.remove(producer.getTransactionalId());
            recycled.add(producer.getTransactionalId());
        }

        @Override
        public void recycleByTransactionId(String id, boolean success) {
            ongoing.remove(id);
            recycled.add(id);
        }

        @Override
        public void close() {
            closedBehindAll = made.keySet().equals(askers.keySet());
            closed = true;
        }
    }

    @AfterEach
    void close() throws Exception {
        producers.close();
        assertTrue(pool.closed);
        pool.made.values().forEach(producer -> producer.close(Duration.ZERO));
    }

    private List<String> ongoing() {
        return producers.getOngoingTransactions().stream()
                .map(CheckpointTransaction::getTransactionalId)
                .toList();
    }

    @Test
    void theNextProducerIsMadeReadyBesideTheTaskAndIsInNoCheckpointBeforeItIsAskedFor() {
        FlinkKafkaInternalProducer<byte[], byte[]> first =
                producers.getTransactionalProducer("a-verdicts-0-9", 9);
        assertSame(pool.made.get("a-verdicts-0-9"), first);
        assertSame(Thread.currentThread(), pool.askers.get("a-verdicts-0-9"));
        assertEquals(List.of("a-verdicts-0-9"), ongoing());

        FlinkKafkaInternalProducer<byte[], byte[]> ready = pool.made.get("a-verdicts-0-10");
        assertNotEquals(Thread.currentThread(), pool.askers.get("a-verdicts-0-10"));
        assertSame(ready, producers.getTransactionalProducer("a-verdicts-0-10", 10));
        assertEquals(List.of("a-verdicts-0-10", "a-verdicts-0-9"), ongoing());
        assertEquals(Map.of("a-verdicts-0-9", 9L, "a-verdicts-0-10", 10L), checkpoints());
    }

    /** So the first checkpoint waits for no new producer. */
    @Test
    void theProducerBehindTheFirstIsMadeReadyWhenTheWriterStarts() throws Exception {
        pool.ongoing.putAll(Map.of("a-0-3", 5L, "b-7-4", 4L, "a-0-6", 6L));
        try (TransactionPool restored = new TransactionPool(pool, "a-1", "its", nanos::get)) {
            restored.start(List.of("a-0-7"));
            Map<String, Long> before = checkpoints(restored);
            assertEquals(Map.of("a-0-3", 5L, "b-7-4", 4L, "a-0-6", 6L), before);
            assertEquals(List.of("a-0-7", "a-0-7"), pool.asked, "aborted, then made ready");
            assertEquals(List.of("a-0-7"), pool.recycled);
            assertNotEquals(Thread.currentThread(), pool.askers.get("a-0-7"));
            assertSame(pool.made.get("a-0-7"), restored.getTransactionalProducer("a-0-7", 7));
            assertEquals(7L, checkpoints(restored).get("a-0-7"));
        }
        assertTrue(pool.closedBehindAll);
    }

    /** As of a job that fails before its first checkpoint. */
    @Test
    void aProducerThatNobodyAskedForIsMadeBeforeThePoolIsClosed() throws Exception {
        pool.ongoing.put("a-0-1", 1L);
        pool.stalling = "a-0-2";
        try (TransactionPool restored = new TransactionPool(pool, "a-1", "its", nanos::get)) {
            restored.start(List.of());
            pool.stalled.await();
        }
        assertTrue(pool.made.containsKey("a-0-2"), "its wait was not interrupted");
        assertTrue(pool.closedBehindAll, "the pool was closed while another was at it");
    }

    private Map<String, Long> checkpoints() {
        return checkpoints(producers);
    }

    private static Map<String, Long> checkpoints(TransactionPool producers) {
        return producers.getOngoingTransactions().stream()
                .collect(
                        Collectors.toMap(
                                CheckpointTransaction::getTransactionalId,
                                CheckpointTransaction::getCheckpointId));
    }

    /** As the connector fills the gap that checkpoints leave which were given up. */
    @Test
    void aProducerThatNothingWasWrittenWithServesAgain() {
        var first = producers.getTransactionalProducer("a-0-1", 1);
        producers.recycle(first);
        assertEquals(List.of(), ongoing());
        for (long checkpoint = 2; checkpoint < 500; checkpoint++) {
            assertSame(first, producers.getTransactionalProducer("a-0-" + checkpoint, checkpoint));
            assertEquals(Map.of("a-0-1", checkpoint), checkpoints());
            producers.recycle(first);
        }
        assertEquals(List.of(), pool.recycled);
        assertEquals(List.of("a-0-1", "a-0-2"), pool.asked);
    }

    /** Kafka forgets an id that is not used for days. */
    @Test
    void aProducerThatWasReadyForLongIsMadeReadyAnew() {
        producers.recycle(producers.getTransactionalProducer("a-0-1", 1));
        assertEquals(List.of(), ongoing(), "and the one ahead is ready");
        nanos.addAndGet(TransactionPool.FRESH.toNanos() + 1);
        producers.getTransactionalProducer("a-0-2", 2);
        assertEquals(List.of("a-0-1"), pool.recycled);
        assertEquals(List.of("a-0-1", "a-0-2", "a-0-1"), pool.asked);
        assertEquals(Map.of("a-0-1", 2L), checkpoints());
        producers.getTransactionalProducer("a-0-3", 3);
        assertEquals(List.of("a-0-1", "a-0-2"), pool.recycled, "the one ahead is as old");
    }

    /** Each checkpoint writes, and is committed before the next. */
    @Test
    void anIdServesAgainWhenItHasRestedAndManyCheckpointsTakeFewIds() {
        List<String> given = new ArrayList<>();
        for (long checkpoint = 1; checkpoint <= 2_000; checkpoint++) {
            String id =
                    producers
                            .getTransactionalProducer("a-0-" + checkpoint, checkpoint)
                            .getTransactionalId();
            assertFalse(
                    given.subList(Math.max(0, given.size() - TransactionPool.LATER), given.size())
                            .contains(id),
                    id + " has not rested");
            given.add(id);
            assertEquals(Map.of(id, checkpoint), checkpoints());
            TransactionPool.checkpointComplete("a-0", checkpoint);
            producers.recycleByTransactionId(id, true);
        }
        assertTrue(pool.made.size() <= TransactionPool.LATER + 3, "ids: " + pool.made.keySet());
    }

    /** A job whose checkpoints fail has many transactions that one checkpoint commits. */
    @Test
    void commitsOfOneCheckpointAreNoRestForEachOther() {
        List<String> given = new ArrayList<>();
        for (long checkpoint = 1; checkpoint <= 200; checkpoint++) {
            given.add(
                    producers
                            .getTransactionalProducer("a-0-" + checkpoint, checkpoint)
                            .getTransactionalId());
        }
        for (long checkpoint = 1; checkpoint <= 200; checkpoint++) {
            TransactionPool.checkpointComplete("a-0", checkpoint);
        }
        given.forEach(id -> producers.recycleByTransactionId(id, true));
        String next = producers.getTransactionalProducer("a-0-201", 201).getTransactionalId();
        assertFalse(given.contains(next));
        assertEquals("a-0-201", next);
    }

    /** A job may go back to a savepoint after any time, and commits its transactions again. */
    @Test
    void theIdOfASavepointsTransactionServesNoMore() {
        for (long checkpoint = 1; checkpoint <= 500; checkpoint++) {
            String id =
                    producers
                            .getTransactionalProducer("a-0-" + checkpoint, checkpoint)
                            .getTransactionalId();
            if (checkpoint != 10) {
                TransactionPool.checkpointComplete("a-0", checkpoint);
            }
            producers.recycleByTransactionId(id, true);
        }
        assertEquals(1, pool.asked.stream().filter("a-0-10"::equals).count());
        assertEquals(
                8,
                pool.asked.stream().filter("a-0-9"::equals).count(),
                "that of a checkpoint serves again");
    }

    @Test
    void anIdWhoseCommitFailedServesNoMore() {
        for (long checkpoint = 1; checkpoint <= 500; checkpoint++) {
            String id =
                    producers
                            .getTransactionalProducer("a-0-" + checkpoint, checkpoint)
                            .getTransactionalId();
            TransactionPool.checkpointComplete("a-0", checkpoint);
            producers.recycleByTransactionId(id, checkpoint != 10);
        }
        assertEquals(1, pool.asked.stream().filter("a-0-10"::equals).count());
    }

    @Test
    void theCheckpointOfATransactionIsKnownUntilItIsOver() {
        producers.getTransactionalProducer("a-0-7", 7);
        assertEquals(OptionalLong.of(7), TransactionPool.checkpoint("a-0-7"));
        producers.recycleByTransactionId("a-0-7", true);
        assertEquals(OptionalLong.empty(), TransactionPool.checkpoint("a-0-7"));
    }

    /** What a checkpoint held is in the connector's pool, and so in the next checkpoint. */
    @Test
    void transactionsOfTheCheckpointBeforeStayUntilTheyAreOver() throws Exception {
        pool.ongoing.put("a-0-3", 5L);
        try (TransactionPool restored =
                new TransactionPool(pool, "a-1", "ahead of it", nanos::get)) {
            restored.getTransactionalProducer("a-0-6", 6);
            assertEquals(
                    List.of("a-0-3", "a-0-6"),
                    restored.getOngoingTransactions().stream()
                            .map(CheckpointTransaction::getTransactionalId)
                            .toList());
            assertEquals(OptionalLong.of(5), TransactionPool.checkpoint("a-0-3"));
            restored.recycleByTransactionId("a-0-3", true);
            restored.recycleByTransactionId("b-7-7", true); // of another subtask, before a rescale
            for (long checkpoint = 7; checkpoint < 200; checkpoint++) {
                TransactionPool.checkpointComplete("a-1", checkpoint);
                restored.recycleByTransactionId(
                        restored.getTransactionalProducer("a-0-" + checkpoint, checkpoint)
                                .getTransactionalId(),
                        true);
            }
            assertFalse(pool.asked.contains("a-0-3"), "an id of the attempt before is used again");
            assertFalse(pool.asked.contains("b-7-7"), "an id of another subtask is used");
        }
    }

    @Test
    void aFailureIsToldToWhoAsksForTheProducer() {
        pool.failing = "a-0-2";
        producers.getTransactionalProducer("a-0-1", 1);
        assertEquals(List.of("a-0-1"), ongoing());
        KafkaException told =
                assertThrows(
                        KafkaException.class, () -> producers.getTransactionalProducer("a-0-2", 2));
        assertEquals("no a-0-2", told.getMessage());
    }

    @Test
    void theEndInterruptsAProducerThatWaitsForItsBrokerUntilItsThreadHasEnded() throws Exception {
        pool.stalling = "a-0-2";
        producers.getTransactionalProducer("a-0-1", 1);
        pool.stalled.await();
        Thread.currentThread().interrupt(); // as who closes may have been
        producers.close();
        assertTrue(Thread.interrupted(), "the mark is lost");
        assertTrue(pool.made.containsKey("a-0-2"), "its wait was not interrupted");
        assertTrue(pool.closedBehindAll, "the pool was closed while another was at it");
    }

    @Test
    void aWriterOfAnotherConnectorStaysAsItIs() {
        assertEquals(Optional.empty(), ConnectorWriter.reuseIds("no writer", "a-0", "none"));
    }
}
