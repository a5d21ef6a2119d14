package dev.sluice.job.graph;

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
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
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
class TransactionsAheadTest {
    private final Pool pool = new Pool();
    private final TransactionsAhead producers = new TransactionsAhead(pool, "ahead of a test");

    /** The connector's pool without a broker, which notes who asks it for what. */
    private static final class Pool implements ProducerPool {
        private final Map<String, FlinkKafkaInternalProducer<byte[], byte[]>> made =
                new HashMap<>();
        private final Map<String, Long> ongoing = new TreeMap<>();
        private final Map<String, Thread> askers = new HashMap<>();
        private final List<String> recycled = new ArrayList<>();
        private @Nullable String failing;
        private @Nullable String stalling;
        private final CountDownLatch stalled = new CountDownLatch(1);
        private boolean closed;
        private boolean closedBehindAll;

        @Override
        public FlinkKafkaInternalProducer<byte[], byte[]> getTransactionalProducer(
                String id, long checkpoint) {
            assertEquals(null, askers.put(id, Thread.currentThread()), id + " twice");
            ongoing.put(id, checkpoint);
            if (id.equals(failing)) {
                throw new KafkaException("no " + id);
            }
            if (id.equals(stalling)) {
                stalled.countDown();
                // The first one may come where nothing can be interrupted, and be lost.
                assertThrows(InterruptedException.class, () -> Thread.sleep(60_000));
                assertThrows(InterruptedException.class, () -> Thread.sleep(60_000));
            }
            Properties config = new Properties();
            config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
            config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            FlinkKafkaInternalProducer<byte[], byte[]> producer =
                    new FlinkKafkaInternalProducer<>(config);
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
            made.forEach((id, is) -> recycled.addAll(is == producer ? List.of(id) : List.of()));
        }

        @Override
        public void recycleByTransactionId(String id, boolean success) {
            recycled.add(id);
        }

        @Override
        public void close() {
            closedBehindAll = made.size() == askers.size();
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
        assertEquals(10, pool.ongoing.get("a-verdicts-0-10"));
    }

    /** As the connector fills the gap that checkpoints leave which were given up. */
    @Test
    void idsOfCheckpointsThatWereGivenUpAreTakenEachOnce() {
        producers.getTransactionalProducer("a-0-1", 1);
        producers.recycle(producers.getTransactionalProducer("a-0-2", 4));
        producers.recycle(producers.getTransactionalProducer("a-0-3", 4));
        FlinkKafkaInternalProducer<byte[], byte[]> last =
                producers.getTransactionalProducer("a-0-4", 4);
        assertSame(pool.made.get("a-0-4"), last);
        assertEquals(List.of("a-0-2", "a-0-3"), pool.recycled);
        assertFalse(ongoing().contains("a-0-5"));
    }

    @Test
    void whatWasMadeReadyForAnotherIdIsGivenBack() {
        producers.getTransactionalProducer("a-0-1", 1);
        FlinkKafkaInternalProducer<byte[], byte[]> other =
                producers.getTransactionalProducer("b", 2);
        assertSame(pool.made.get("b"), other);
        assertEquals(List.of("a-0-2"), pool.recycled);
        producers.recycleByTransactionId("a-0-1", true);
        assertEquals(List.of("a-0-2", "a-0-1"), pool.recycled);
        assertEquals(3, pool.askers.size(), "an id without a number has none behind it");
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
        assertFalse(TransactionsAhead.giveTo("no writer", "none"));
    }
}
