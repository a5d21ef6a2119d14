package dev.sluice.job.sink;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
 * The producers of a connector's writer, whose transactional ids are used again.
 *
 * <p>The connector ({@code TransactionNamingStrategy.INCREMENTING}) asks behind each checkpoint for
 * a producer with a new id, which the broker keeps for seven days. This pool answers with
 *
 * <ul>
 *   <li>the producer of the transaction before, if nothing was written in it: Kafka is not asked;
 *   <li>a producer with an id whose transaction was committed with the checkpoint that ended it,
 *       and others in {@value #LATER} checkpoints behind it;
 *   <li>a producer with the new id, if there is neither.
 * </ul>
 *
 * <p>An id rests that long because a job may go on from an older checkpoint. It commits the
 * transactions of that checkpoint once more, and asks Kafka what became of them; Kafka knows the
 * last transaction of an id alone. For the same reason the id of a transaction that a savepoint has
 * ended, or a checkpoint that failed, is not used again: it is committed with the next checkpoint,
 * and a savepoint may be gone back to after any time. An id that an attempt to run the job has used
 * is not used by the next attempt. An id is given up before its producer's epoch overflows, since a
 * transaction at that border cannot be committed after a restore (FLINK-40689).
 *
 * <p>A producer may be made ready ahead: behind a checkpoint the writer waits for the broker twice,
 * and a busy one answers after tens of ms, in which the task emits nothing and hands out no batch.
 * Here a thread beside the task does so as soon as the transaction before has a producer. What is
 * ready is no transaction yet: it is in no checkpoint, and holds no reader up. A failure to make it
 * ready is told when it is asked for.
 *
 * <p>Threads: the task's, which alone calls these methods, and one that calls the connector's pool;
 * never both at once.
 */
@SuppressWarnings("try") // the close() of the connector's pool may throw anything
final class TransactionPool implements ProducerPool {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionPool.class);

    /** Looks behind its commit, each with other commits, for which an id rests. */
    static final int LATER = 64;

    /** From this producer epoch on an id is given up; the largest is 32,767. */
    static final short LAST_EPOCH = 30_000;

    /** Kafka forgets an id that is not used for long, so that its producer is made ready anew. */
    static final Duration FRESH = Duration.ofMinutes(10);

    /**
     * A checkpoint that the connector's pool is told in place of one: when a transaction is
     * committed, that pool takes those of checkpoints before to be over.
     */
    private static final long UNTOLD = Long.MAX_VALUE;

    /** A transactional id with the number of a checkpoint behind it. */
    private static final Pattern NUMBERED = Pattern.compile("(.*-)(\\d{1,18})");

    /** After so long without an end the thread is interrupted again. */
    private static final long LOOK_MILLIS = 100;

    /** Checkpoints of the transactions of this process that are not known to be over, by id. */
    private static final Map<String, Long> CHECKPOINTS = new ConcurrentHashMap<>();

    /** Checkpoints that are complete, of each writer of this process. */
    private static final Map<String, NavigableSet<Long>> COMPLETE = new ConcurrentHashMap<>();

    /** How many of them are kept: more than wait for their commits. */
    private static final int KEPT = 1_000;

    private final ProducerPool pool;
    private final String writer;
    private final LongSupplier clock;
    private final NavigableSet<Long> complete = new ConcurrentSkipListSet<>();

    /** Makes producers ready ahead; null: nothing does. */
    private final @Nullable ExecutorService thread;

    /** The thread, once there is one. */
    private @Nullable Thread worker;

    /** The checkpoint that ends the transaction of each id that was given to the writer. */
    private final Map<String, Long> given = new HashMap<>();

    /** Checkpoints of the transactions in the connector's pool at the start, by id. */
    private final Map<String, Long> found = new HashMap<>();

    /** Ids whose transactions are committed, in that order. */
    private final Deque<Resting> resting = new ArrayDeque<>();

    /** How often the writer was told of commits. */
    private long looks;

    /** Whether it was told of one since it had its newest producer. */
    private boolean told;

    /** Ids that may be used again. */
    private final Deque<String> free = new ArrayDeque<>();

    /** A producer in whose transaction nothing was written. */
    private @Nullable Ready spare;

    /** The producer that the writer has. */
    private @Nullable Ready current;

    /** Producer that is being made ready for the next transaction. */
    private @Nullable Future<Ready> ahead;

    /** An id whose transaction is committed, and the look at which the writer was told. */
    private record Resting(String id, long look) {}

    /** A producer with an id that Kafka knows. */
    private record Ready(FlinkKafkaInternalProducer<byte[], byte[]> producer, long sinceNanos) {
        String id() {
            String id = producer.getTransactionalId();
            if (id == null) {
                throw new IllegalStateException("a producer without a transactional id");
            }
            return id;
        }
    }

    /**
     * Producers of a pool.
     *
     * @param writer by what {@link #checkpointComplete} names it
     * @param name of the thread that makes producers ready ahead; null: there is none
     */
    TransactionPool(ProducerPool pool, String writer, @Nullable String name, LongSupplier clock) {
        this.pool = pool;
        this.writer = writer;
        this.clock = clock;
        this.thread = name == null ? null : thread(name);
        for (CheckpointTransaction transaction : pool.getOngoingTransactions()) {
            found.put(transaction.getTransactionalId(), transaction.getCheckpointId());
        }
        CHECKPOINTS.putAll(found);
        COMPLETE.put(writer, complete);
    }

    private ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(
                work -> {
                    Thread begun = new Thread(work, name);
                    begun.setDaemon(true);
                    worker = begun;
                    return begun;
                });
    }

    /**
     * The checkpoint that ends a transaction of a sink of this process, or of the checkpoint from
     * which one of its sinks has gone on; empty if it is over, or of another process.
     */
    static OptionalLong checkpoint(String transactionalId) {
        Long checkpoint = CHECKPOINTS.get(transactionalId);
        return checkpoint == null ? OptionalLong.empty() : OptionalLong.of(checkpoint);
    }

    /** Notes that a checkpoint, which is no savepoint, is complete, for a writer if it is there. */
    static void checkpointComplete(String writer, long checkpoint) {
        NavigableSet<Long> all = COMPLETE.get(writer);
        if (all != null) {
            all.add(checkpoint);
            if (all.size() > KEPT) {
                all.pollFirst();
            }
        }
    }

    /** Ends transactions that another attempt to run the job has left open. */
    void abort(Collection<String> ids) {
        for (String id : ids) {
            pool.recycle(pool.getTransactionalProducer(id, 0)); // which begins a new epoch
        }
    }

    @Override
    public FlinkKafkaInternalProducer<byte[], byte[]> getTransactionalProducer(
            String transactionalId, long checkpoint) {
        Ready next = spare;
        spare = null;
        if (next == null) {
            next = ahead == null ? take(free.poll(), transactionalId) : await();
        }
        if (clock.getAsLong() - next.sinceNanos() > FRESH.toNanos()) {
            quiet().recycle(next.producer());
            next = ready(next.id());
        }
        current = next;
        told = false;
        given.put(next.id(), checkpoint);
        CHECKPOINTS.put(next.id(), checkpoint);
        begin(transactionalId);
        return next.producer();
    }

    /** Has the producer behind the newest made ready. */
    private void begin(String transactionalId) {
        Matcher numbered = NUMBERED.matcher(transactionalId);
        if (thread != null && ahead == null && numbered.matches()) {
            String fresh = numbered.group(1) + (Long.parseLong(numbered.group(2)) + 1);
            String used = free.poll();
            ahead = thread.submit(() -> take(used, fresh));
        }
    }

    /** A producer with an id that may be used again; with a new one where that is none. */
    private Ready take(@Nullable String used, String fresh) {
        if (used != null) {
            Ready again = ready(used);
            if (again.producer().getEpoch() < LAST_EPOCH) {
                return again;
            }
            pool.recycle(again.producer());
        }
        return ready(fresh);
    }

    private Ready ready(String id) {
        return new Ready(pool.getTransactionalProducer(id, UNTOLD), clock.getAsLong());
    }

    /** The producer that was begun. */
    private Ready await() {
        Future<Ready> begun = ahead;
        if (begun == null) {
            throw new IllegalStateException("no producer was begun");
        }
        ahead = null;
        return await(begun);
    }

    private static Ready await(Future<Ready> begun) {
        try {
            return begun.get();
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
        Future<Ready> begun = ahead;
        if (begun != null && !begun.isDone()) {
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

    /** The transactions that the writer has begun and that are not known to be over. */
    @Override
    public Collection<CheckpointTransaction> getOngoingTransactions() {
        List<CheckpointTransaction> ongoing = new ArrayList<>();
        for (CheckpointTransaction transaction : quiet().getOngoingTransactions()) {
            String id = transaction.getTransactionalId();
            Long checkpoint = given.containsKey(id) ? given.get(id) : found.get(id);
            if (checkpoint != null) {
                ongoing.add(new CheckpointTransaction(id, checkpoint));
            }
        }
        return ongoing;
    }

    /** Takes a producer in whose transaction nothing was written. */
    @Override
    public void recycle(FlinkKafkaInternalProducer<byte[], byte[]> producer) {
        Ready back = current;
        if (back == null || back.producer() != producer) {
            back = new Ready(producer, clock.getAsLong()); // the first one is the connector's own
        }
        current = null;
        over(back.id());
        if (producer.isInTransaction()) {
            producer.commitTransaction(); // which Kafka does not hear of, as nothing was written
        }
        if (spare == null && producer.getEpoch() < LAST_EPOCH) {
            spare = back;
        } else {
            quiet().recycle(producer);
        }
    }

    /** Notes that an id has no transaction, and returns the checkpoint of the one that it had. */
    private @Nullable Long over(String id) {
        Long checkpoint = given.remove(id);
        if (checkpoint == null) {
            checkpoint = found.remove(id);
        }
        if (checkpoint != null) {
            CHECKPOINTS.remove(id, checkpoint);
        }
        return checkpoint;
    }

    @Override
    public void recycleByTransactionId(String transactionalId, boolean success) {
        quiet().recycleByTransactionId(transactionalId, success);
        boolean own = given.containsKey(transactionalId);
        Long checkpoint = over(transactionalId);
        if (checkpoint == null || !success) {
            return; // of another subtask, before a rescale; or not known what became of it
        }
        if (!told) {
            told = true;
            looks++;
        }
        if (own && complete.remove(checkpoint)) {
            resting.add(new Resting(transactionalId, looks));
        }
        while (!resting.isEmpty() && resting.getFirst().look() + LATER <= looks) {
            free.add(resting.removeFirst().id());
        }
    }

    /**
     * Closes all producers, when the thread has ended. It waits for that however often it is
     * interrupted: a thread that was left behind could end the transaction of the same id that the
     * next attempt to run the job has begun. What the thread waits for can be interrupted, but for
     * the making of a producer, behind which it is interrupted again.
     */
    @Override
    public void close() throws Exception {
        COMPLETE.remove(writer, complete);
        Set<String> left = new HashSet<>(given.keySet());
        left.addAll(found.keySet());
        left.forEach(this::over);
        boolean interrupted = thread != null && end(thread);
        try {
            pool.close();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Ends the thread.
     *
     * @return whether who waits for it was interrupted
     */
    private boolean end(ExecutorService ending) {
        ending.shutdownNow();
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = ending.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            Thread left = worker;
            if (!ended && left != null) {
                left.interrupt();
            }
        }
        return interrupted;
    }
}
