package dev.sluice.job.graph;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.connector.kafka.sink.internal.CheckpointTransaction;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.connector.kafka.sink.internal.ProducerPool;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producers of a connector's writer, the next of them made ready beforehand. Behind each
 * checkpoint the writer takes a producer with a new transactional id, which waits for the broker
 * twice; a busy one answers after tens of ms, in which the task emits nothing and hands out no
 * batch. Here that is done in a thread beside the task, as soon as the transaction before has a
 * producer.
 *
 * <p>What is ready is no transaction yet: it is in no checkpoint, it holds no reader up, and
 * whoever probes the ids of a job that was killed finds it behind the one that was open. A failure
 * to make it ready is told when it is asked for. It is for ids that are numbered by checkpoints
 * ({@code TransactionNamingStrategy.INCREMENTING}), none of which comes again.
 *
 * <p>Threads: the task's, which alone calls these methods, and one that calls the connector's pool;
 * never both at once.
 */
@SuppressWarnings("try") // the close() of the connector's pool may throw anything
final class TransactionsAhead implements ProducerPool {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionsAhead.class);

    /** The connector's name for its pool, in the writer and in what names its transactions. */
    private static final String POOL = "producerPool";

    private static final String NAMING = "namingContext";

    /** A transactional id with the number of a checkpoint behind it. */
    private static final Pattern NUMBERED = Pattern.compile("(.*-)(\\d{1,18})");

    /** After so long without an end the thread is interrupted again. */
    private static final long LOOK_MILLIS = 100;

    private final ProducerPool pool;
    private final ExecutorService thread;

    /** The thread, once there is one. */
    private @Nullable Thread worker;

    /** What was begun for the transaction behind the newest. */
    private @Nullable Ahead ahead;

    /** A producer that is, or will be, ready for an id. */
    private record Ahead(String id, Future<FlinkKafkaInternalProducer<byte[], byte[]>> producer) {}

    /**
     * Producers of a pool.
     *
     * @param name of the thread
     */
    TransactionsAhead(ProducerPool pool, String name) {
        this.pool = pool;
        this.thread =
                Executors.newSingleThreadExecutor(
                        work -> {
                            Thread begun = new Thread(work, name);
                            begun.setDaemon(true);
                            worker = begun;
                            return begun;
                        });
    }

    /**
     * Gives a writer such producers. The connector offers no place for it, so that its fields are
     * set; where another version of it has others, the writer stays as it is.
     *
     * @param writer of the connector
     * @return whether it has them now
     */
    static boolean giveTo(Object writer, String name) {
        try {
            Field own = field(writer, POOL);
            Object naming = field(writer, NAMING).get(writer);
            Field named = field(naming, POOL);
            TransactionsAhead producers =
                    new TransactionsAhead((ProducerPool) own.get(writer), name);
            own.set(writer, producers);
            named.set(naming, producers);
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn(
                    "The Kafka connector is not the one that Sluice was made for: each checkpoint waits for the broker to begin a transaction",
                    e);
            return false;
        }
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    @Override
    public FlinkKafkaInternalProducer<byte[], byte[]> getTransactionalProducer(
            String transactionalId, long checkpoint) {
        Ahead begun = ahead;
        FlinkKafkaInternalProducer<byte[], byte[]> producer;
        if (begun != null && begun.id().equals(transactionalId)) {
            ahead = null;
            producer = await(begun);
        } else {
            giveUp();
            producer = pool.getTransactionalProducer(transactionalId, checkpoint);
        }
        Matcher numbered = NUMBERED.matcher(transactionalId);
        if (numbered.matches()) {
            long next = Long.parseLong(numbered.group(2)) + 1;
            String id = numbered.group(1) + next;
            ahead = new Ahead(id, thread.submit(() -> pool.getTransactionalProducer(id, next)));
        }
        return producer;
    }

    /** Gives back what is not the one that is asked for. */
    private void giveUp() {
        Ahead begun = ahead;
        ahead = null;
        if (begun != null) {
            pool.recycle(await(begun));
        }
    }

    private static FlinkKafkaInternalProducer<byte[], byte[]> await(Ahead begun) {
        try {
            return begun.producer().get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(cause);
        } catch (InterruptedException e) {
            throw new InterruptException(e); // which sets the thread's mark
        }
    }

    /** Waits until nobody else is at the pool. */
    private ProducerPool quiet() {
        Ahead begun = ahead;
        if (begun != null && !begun.producer().isDone()) {
            try {
                await(begun);
            } catch (InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                LOG.debug("The next transaction has no producer, as who asks for it is told", e);
            }
        }
        return pool;
    }

    @Override
    public Collection<CheckpointTransaction> getOngoingTransactions() {
        Collection<CheckpointTransaction> ongoing = quiet().getOngoingTransactions();
        Ahead begun = ahead;
        if (begun == null) {
            return ongoing;
        }
        return ongoing.stream().filter(is -> !is.getTransactionalId().equals(begun.id())).toList();
    }

    @Override
    public void recycle(FlinkKafkaInternalProducer<byte[], byte[]> producer) {
        quiet().recycle(producer);
    }

    @Override
    public void recycleByTransactionId(String transactionalId, boolean success) {
        quiet().recycleByTransactionId(transactionalId, success);
    }

    /**
     * Closes all producers, when the thread has ended. It waits for that however often it is
     * interrupted: a thread that was left behind could end the transaction of the same id that the
     * next attempt to run the job has begun. What the thread waits for can be interrupted, but for
     * the making of a producer, behind which it is interrupted again.
     */
    @Override
    public void close() throws Exception {
        thread.shutdownNow();
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = thread.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            Thread left = worker;
            if (!ended && left != null) {
                left.interrupt();
            }
        }
        try {
            pool.close();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
