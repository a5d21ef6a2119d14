package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A subtask's share in the rule stream of its process. Used by the subtask's mailbox thread alone;
 * no method waits, decodes or builds.
 */
public final class RuleLease implements AutoCloseable {
    /** A task that uses a rule stream. */
    public interface Task {
        /**
         * Has the task call {@link #takeNewer} and emit {@link #deadLetters} soon; called by the
         * stream's threads, once until the task has called {@link #takeNewer}.
         */
        void rulesChanged();
    }

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

    /**
     * State for a checkpoint, at one moment.
     *
     * @param state the stream
     * @param letters dead letters of messages that the state's log holds, to be emitted before the
     *     barrier; empty if another subtask emits them
     */
    public record Capture(RuleStreamState state, List<DeadLetter> letters) {}

    private final RuleStream stream;
    private final Task task;
    private final boolean reports;
    private final AtomicBoolean notified = new AtomicBoolean();
    private boolean closed;

    /** Broadcast messages that the subtask has received. */
    long received;

    /** Serial of the version that it uses, 0 for none; guarded by the lock of the leases. */
    long serial;

    private RuleLease(RuleStream stream, Task task, boolean reports) {
        this.stream = stream;
        this.task = task;
        this.reports = reports;
    }

    /**
     * A lease of the stream of a key.
     *
     * @param task hears of newer versions
     * @param reports whether the task emits the stream's dead letters: one of the job does
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     */
    public static RuleLease acquire(
            VersionService.Key key, Start start, Task task, boolean reports) {
        return acquire(
                key,
                start,
                () -> new EngineServer(start.options, start.instance),
                System::nanoTime,
                task,
                reports);
    }

    static RuleLease acquire(
            VersionService.Key key,
            Start start,
            Supplier<? extends RuleServer> servers,
            LongSupplier nanoTime,
            Task task,
            boolean reports) {
        RuleStream stream =
                VersionService.acquire(
                        key,
                        RuleStream.class,
                        () ->
                                new RuleStream(
                                        start.name,
                                        servers.get(),
                                        start.bootstrap,
                                        start.state,
                                        nanoTime));
        RuleLease lease = new RuleLease(stream, task, reports);
        stream.add(lease);
        return lease;
    }

    /** Called by the stream's threads. */
    void notifyTask() {
        if (!notified.getAndSet(true)) {
            task.rulesChanged();
        }
    }

    /**
     * Takes a message of the broadcast. The subtasks of a job attempt must all bring all messages
     * in the same order.
     *
     * @param timeNs time of its record, ns since 1970 UTC, or {@link
     *     dev.sluice.operators.rules.topic.RuleTransaction#NO_TIME}
     * @return whether {@link #takeNewer} would find a newer version now
     */
    public boolean message(byte[] message, long timeNs) {
        return stream.message(this, new TimedMessage(timeNs, message));
    }

    /** Tells whether the subtask should wait before it brings more messages. */
    public boolean isFull() {
        return stream.isFull();
    }

    /**
     * The newest version that this subtask may use.
     *
     * @return the version, to be closed by the caller after its last batch; null if the subtask has
     *     taken it before, or there is none so far
     * @throws IllegalStateException if the rules cannot be followed any more; the task is to fail
     */
    public @Nullable ServedVersion takeNewer() {
        notified.set(false);
        return stream.take(this);
    }

    /** Dead letters to emit, each once; none if another subtask emits them. */
    public List<DeadLetter> deadLetters() {
        return reports ? stream.letters() : List.of();
    }

    /**
     * Tells whether the dead letters of all that the job began with and of all messages that came
     * since are there, so that the subtask that emits them may end. {@link Task#rulesChanged} is
     * called when that becomes so. Messages are not waited for while no rules are in force, nor a
     * build.
     */
    public boolean lettersComplete() {
        return !reports || stream.lettersComplete();
    }

    /** State for the checkpoint whose barrier comes next. */
    public Capture capture() {
        return stream.capture(reports);
    }

    /** Phase of the stream; for tests. */
    StreamPhase phase() {
        return stream.phase();
    }

    /** Figures of the stream. Thread-safe. */
    public RuleStreamFigures figures() {
        return stream.figures();
    }

    /**
     * Ends the lease; with the last lease the stream ends. No batch of the subtask may be under way
     * any more.
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            stream.remove(this);
        }
    }
}
