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
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pool of producers for a connector's writer that reuses transactional ids.
 *
 * <p>After each checkpoint the connector ({@code TransactionNamingStrategy.INCREMENTING}) requests
 * a producer with a new id, which the broker keeps for seven days. This pool answers with
 *
 * <ul>
 *   <li>the producer of the transaction before, if that transaction is empty: Kafka is not asked;
 *   <li>a producer with an id whose transaction was committed with the checkpoint that ended it,
 *       after {@value #LATER} further checkpoints with commits;
 *   <li>a producer with the new id, if there is neither.
 * </ul>
 *
 * <p>An id rests that long because a job may resume from an older checkpoint. It then commits the
 * transactions of that checkpoint again, and asks Kafka for their outcome; Kafka knows only the
 * last transaction of an id. For the same reason the pool does not reuse an id whose transaction
 * was ended by a savepoint or a failed checkpoint: that transaction is committed with the next
 * checkpoint, and a job may resume from a savepoint at any later time. Ids used by one attempt of
 * the job are not reused by the next attempt. An id is given up before its producer's epoch
 * overflows, since a transaction at that limit cannot be committed after a restore (FLINK-40689).
 *
 * <p>A thread beside the task prepares producers. For a checkpoint the writer makes two requests to
 * the broker, at first by a new producer; a busy broker answers after tens of ms, in which the task
 * does nothing else. The thread makes these requests as soon as the transaction before has a
 * producer, for the job's first checkpoint when the writer starts. A prepared producer has no
 * transaction yet: it is in no checkpoint, and blocks no reader. A failure to prepare it is thrown
 * when the writer requests it.
 *
 * <p>Threads: the task's, which alone calls these methods, and one that calls the connector's pool;
 * never both at once.
 */
@SuppressWarnings("try") // the close() of the connector's pool may throw anything
final class TransactionPool implements ProducerPool {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionPool.class);

    /**
     * Number of commits after its own for which an id rests; commits of one checkpoint count once.
     */
    static final int LATER = 64;

    /** Producer epoch from which on an id is given up; the largest is 32,767. */
    static final short LAST_EPOCH = 30_000;

    /** Age at which a prepared producer is initialized again, since Kafka forgets unused ids. */
    static final Duration FRESH = Duration.ofMinutes(10);

    /**
     * Checkpoint number given to the connector's pool. At a commit that pool takes the transactions
     * of earlier checkpoints to be over.
     */
    private static final long UNTOLD = Long.MAX_VALUE;

    /** Pattern of a transactional id that ends with a checkpoint's number. */
    private static final Pattern NUMBERED = Pattern.compile("(.*-)(\\d{1,18})");

    /** Interval at which an ending thread is interrupted again. */
    private static final long LOOK_MILLIS = 100;

    /** Checkpoints, by id, of this process's transactions that are not known to be over. */
    private static final Map<String, Long> CHECKPOINTS = new ConcurrentHashMap<>();

    /** Complete checkpoints, by writer of this process. */
    private static final Map<String, NavigableSet<Long>> COMPLETE = new ConcurrentHashMap<>();

    /** Maximal number of complete checkpoints kept: more than wait for their commits. */
    private static final int KEPT = 1_000;

    private final ProducerPool pool;
    private final String writer;
    private final LongSupplier clock;
    private final NavigableSet<Long> complete = new ConcurrentSkipListSet<>();

    private final ExecutorService thread;

    /** Started thread of {@link #thread}; null before. */
    private @Nullable Thread worker;

    /** Checkpoint that ends the transaction, by id that was given to the writer. */
    private final Map<String, Long> given = new HashMap<>();

    /** Checkpoints of the transactions in the connector's pool at the start, by id. */
    private final Map<String, Long> found = new HashMap<>();

    /** Ids of committed transactions, in the order of their commits. */
    private final Deque<Resting> resting = new ArrayDeque<>();

    /** Number of checkpoints after which the writer was notified of commits. */
    private long looks;

    /** True if the writer was notified of a commit since it got its newest producer. */
    private boolean told;

    /** Ids that may be reused. */
    private final Deque<String> free = new ArrayDeque<>();

    /** Producer with an empty transaction. */
    private @Nullable Ready spare;

    /** Producer of the writer. */
    private @Nullable Ready current;

    /** Producer that is being prepared for the next transaction. */
    private @Nullable Future<Ready> ahead;

    /** Id whose transaction is committed, and the value of {@link TransactionPool#looks} then. */
    private record Resting(String id, long look) {}

    /** Producer with an id that Kafka knows. */
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
     * Creates a pool over the connector's.
     *
     * @param writer its name for {@link #checkpointComplete}
     * @param name of the thread that prepares producers
     */
    TransactionPool(ProducerPool pool, String writer, String name, LongSupplier clock) {
        this.pool = pool;
        this.writer = writer;
        this.clock = clock;
        this.thread = thread(name);
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
     * Finds the checkpoint that ends a transaction of this process; empty if it is over, or of
     * another process.
     *
     * <p>The transactions are those of the process's sinks, and of the checkpoint from which the
     * sinks were restored.
     */
    static OptionalLong checkpoint(String transactionalId) {
        Long checkpoint = CHECKPOINTS.get(transactionalId);
        return checkpoint == null ? OptionalLong.empty() : OptionalLong.of(checkpoint);
    }

    /**
     * Notes for a writer that a checkpoint, which is no savepoint, is complete; does nothing for an
     * unknown writer.
     */
    static void checkpointComplete(String writer, long checkpoint) {
        NavigableSet<Long> all = COMPLETE.get(writer);
        if (all != null) {
            all.add(checkpoint);
            if (all.size() > KEPT) {
                all.pollFirst();
            }
        }
    }

    /**
     * Aborts transactions that another attempt of the job has left open, and starts to prepare the
     * producer of the transaction after the writer's first, which is the newest of the pool.
     */
    void start(Collection<String> left) {
        for (String id : left) {
            pool.recycle(pool.getTransactionalProducer(id, 0)); // begins a new epoch, which aborts
        }
        found.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .ifPresent(first -> begin(first.getKey()));
    }

    @Override
    public FlinkKafkaInternalProducer<byte[], byte[]> getTransactionalProducer(
            String transactionalId, long checkpoint) {
        Ready next = spare;
        Future<Ready> begun = ahead;
        spare = null;
        if (next == null && begun != null) {
            ahead = null;
            next = await(begun);
        } else if (next == null) {
            next = take(free.poll(), transactionalId);
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

    /** Starts to prepare the producer after the newest one. */
    private void begin(String transactionalId) {
        Matcher numbered = NUMBERED.matcher(transactionalId);
        if (ahead == null && numbered.matches()) {
            String fresh = numbered.group(1) + (Long.parseLong(numbered.group(2)) + 1);
            String used = free.poll();
            ahead = thread.submit(() -> take(used, fresh));
        }
    }

    /** Returns a producer with a reused id, or with a new one if there is none. */
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

    /** Returns the producer that is being prepared. */
    private static Ready await(Future<Ready> begun) {
        try {
            return begun.get();
        } catch (ExecutionException e) {
            ExceptionUtils.rethrow(e.getCause());
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new InterruptException(e); // sets the thread's interrupt flag
        }
    }

    /** Waits until no other thread uses the pool. */
    private ProducerPool quiet() {
        Future<Ready> begun = ahead;
        if (begun != null && !begun.isDone()) {
            try {
                await(begun);
            } catch (InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                LOG.debug("The next transaction has no producer; its request will fail", e);
            }
        }
        return pool;
    }

    /** Returns the transactions that the writer has begun and that are not known to be over. */
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

    /** Takes back a producer with an empty transaction. */
    @Override
    public void recycle(FlinkKafkaInternalProducer<byte[], byte[]> producer) {
        Ready back = current;
        if (back == null || back.producer() != producer) {
            back = new Ready(producer, clock.getAsLong()); // the first one is the connector's own
        }
        current = null;
        over(back.id());
        if (producer.isInTransaction()) {
            producer.commitTransaction(); // sends no request, since the transaction is empty
        }
        if (spare == null && producer.getEpoch() < LAST_EPOCH) {
            spare = back;
        } else {
            quiet().recycle(producer);
        }
    }

    /** Notes that the transaction of an id is over, and returns its checkpoint. */
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
            return; // of another subtask before a rescale, or of unknown outcome
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
     * Closes all producers, after the thread has ended.
     *
     * <p>The method waits for the thread even if it is interrupted: a remaining thread could abort
     * a transaction that the next attempt of the job has begun under the same id. The thread's
     * waits can be interrupted, except the creation of a producer, after which the thread is
     * interrupted again.
     */
    @Override
    public void close() throws Exception {
        COMPLETE.remove(writer, complete);
        Set<String> left = new HashSet<>(given.keySet());
        left.addAll(found.keySet());
        left.forEach(this::over);
        boolean interrupted = end();
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
     * @return whether the waiting thread was interrupted
     */
    private boolean end() {
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
        return interrupted;
    }
}
