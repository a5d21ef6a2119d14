package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.rules.topic.RuleSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule streams of this process: one for each attempt of a job to run an operator, shared by the
 * operator's subtasks. A stream is made with its first lease and closed after its last.
 *
 * <p>The streams belong to the class loader of the job, as static fields do: two jobs never share
 * one. Thread-safe.
 */
public final class RuleStreams {
    /**
     * What subtasks have in common that share a stream.
     *
     * @param job id of the job
     * @param operator id of the operator
     * @param attempt of the attempt to run the operator; another after every failure and rescaling
     * @param device which of the devices that the operator may use, counted from 0: each has an
     *     engine of its own, and the subtasks are spread over them
     */
    public record Key(String job, String operator, String attempt, int device) {}

    /**
     * How a stream begins; only the first subtask's counts, as all have the same.
     *
     * @param name of the operator, for threads and the log
     * @param options how rules are served
     * @param instance number among the engines that may share devices
     * @param state what a checkpoint held, or nothing
     * @param bootstrap reads the history while there are no rules in force; null: the broadcast
     *     alone does
     */
    public record Start(
            String name,
            EngineOptions options,
            int instance,
            RuleStreamState state,
            @Nullable RuleSource bootstrap) {}

    private static final Logger LOG = LoggerFactory.getLogger(RuleStreams.class);

    /** Streams that have leases; guarded by itself. */
    private static final Map<Key, RuleStream> STREAMS = new HashMap<>();

    /** Streams without leases that are not closed so far; guarded by {@link #STREAMS}. */
    private static int closing;

    private RuleStreams() {}

    /**
     * A lease of the stream of a key.
     *
     * @param task hears of newer versions
     * @param reports whether the task emits the stream's dead letters: one of the job does
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     */
    public static RuleLease acquire(Key key, Start start, RuleLease.Task task, boolean reports) {
        return acquire(
                key,
                start,
                () -> new EngineServer(start.options, start.instance),
                System::nanoTime,
                task,
                reports);
    }

    static RuleLease acquire(
            Key key,
            Start start,
            Supplier<? extends RuleServer> servers,
            LongSupplier nanoTime,
            RuleLease.Task task,
            boolean reports) {
        synchronized (STREAMS) {
            RuleStream stream = STREAMS.get(key);
            boolean first = stream == null;
            if (stream == null) {
                stream =
                        new RuleStream(
                                start.name, servers.get(), start.bootstrap, start.state, nanoTime);
                STREAMS.put(key, stream);
            }
            RuleLease lease = new RuleLease(key, stream, task, reports);
            stream.add(lease);
            if (first) {
                stream.start();
            }
            return lease;
        }
    }

    static void release(Key key, RuleStream stream, RuleLease lease) {
        synchronized (STREAMS) {
            if (!stream.remove(lease)) {
                return;
            }
            STREAMS.remove(key);
            closing++;
        }
        ExecutorService closer =
                Executors.newSingleThreadExecutor(
                        run -> new Thread(run, "end of the rule stream of " + key.operator));
        closer.execute(
                () -> {
                    try {
                        stream.close();
                    } catch (RuntimeException e) {
                        LOG.warn("the rules of {} were not given back", key, e);
                    } finally {
                        synchronized (STREAMS) {
                            closing--;
                            STREAMS.notifyAll();
                        }
                    }
                });
        closer.shutdown();
    }

    /** Waits until all streams without leases are closed; for tests. */
    static void awaitClosed() throws InterruptedException {
        synchronized (STREAMS) {
            while (closing > 0) {
                STREAMS.wait();
            }
        }
    }

    /** Streams that have leases; for tests. */
    static int open() {
        synchronized (STREAMS) {
            return STREAMS.size();
        }
    }
}
