package dev.sluice.operators.rules.serving;

import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.rules.history.RuleLog;
import dev.sluice.operators.rules.serving.PendingVersions.Step;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows the rule history for all subtasks of a process: decodes each message once, keeps the
 * content, and has one engine serve it.
 *
 * <p>Every subtask receives all messages of the broadcast, in the same order, and counts them from
 * its start; the first to bring a number hands the message over ({@link #message}).
 *
 * <p>Threads. The stream's own thread decodes, follows the content and applies small changes. A
 * second one builds. A third, if there is a bootstrap, reads the history beside the job until rules
 * are in force. The tasks' mailbox threads only hand messages over and take versions: they wait for
 * no decoding and no build.
 *
 * <p>It is a state machine of {@link StreamPhase}s; all transitions but to CLOSED are made by the
 * stream's thread.
 */
public final class RuleStream extends VersionService {
    /** Pause between looks for what is due although nothing has come. */
    private static final long TICK_MILLIS = 50;

    /** The stream is idle when so many looks in a row found nothing. */
    private static final int IDLE_TICKS = 2;

    private final RuleServer server;
    private final RuleLedger ledger;
    private final RuleLeases leases = new RuleLeases();
    private final RuleServing serving;
    private final BootstrapReader reader;
    private final StreamReport report;
    private final ScheduledExecutorService thread;

    /** True if the stream's thread has an order to follow the next message of the broadcast. */
    private final AtomicBoolean followOrdered = new AtomicBoolean();

    /** Written by {@link #go} alone. */
    private volatile StreamPhase phase = StreamPhase.RESTORING;

    /** True if a task that ends waits until all messages are followed. */
    private volatile boolean completeAwaited;

    // Used by the stream's thread alone.
    private int quietTicks;

    /**
     * A stream that begins where a state ends.
     *
     * @param server closed with the stream
     * @param nanoTime clock of the pauses after refusals, as {@link System#nanoTime}
     */
    private RuleStream(
            Start start, RuleStreamState state, RuleServer server, LongSupplier nanoTime) {
        super(start.name());
        this.server = server;
        Listener listener = new Listener();
        ledger = new RuleLedger(state);
        report = new StreamReport(name, !start.beside());
        serving = new RuleServing(server, ledger.log(), builder, this::order, nanoTime, listener);
        reader = new BootstrapReader(start, this::order, listener, ledger, report);
        leases.hold();
        thread = orderThread("rule stream of " + name);
        order(() -> restore(state.log()));
        var unused =
                thread.scheduleWithFixedDelay(
                        () -> perform(this::tick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * The stream of a key, which has one user more: {@link #lease} for it, {@link #close} in the
     * end.
     *
     * @param start its source reads the history while there are no rules in force; null: the
     *     broadcast alone brings them
     * @param state what a checkpoint held, or nothing
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     */
    public static RuleStream acquire(Key key, Start start, RuleStreamState state) {
        return acquire(key, start, state, start::open, System::nanoTime);
    }

    static RuleStream acquire(
            Key key,
            Start start,
            RuleStreamState state,
            Supplier<? extends RuleServer> servers,
            LongSupplier nanoTime) {
        return acquire(
                key, RuleStream.class, () -> new RuleStream(start, state, servers.get(), nanoTime));
    }

    // What subtasks ask, in their mailbox threads.

    /**
     * A subtask's share in the stream.
     *
     * @param rulesChanged has the task call {@link #takeNewer} and emit {@link #deadLetters} soon;
     *     called by the stream's threads, once until the task has called {@link #takeNewer}
     * @param reports whether the task emits the stream's dead letters: one of the job does
     */
    public RuleLease lease(Runnable rulesChanged, boolean reports) {
        RuleLease lease = new RuleLease(rulesChanged, reports);
        leases.add(lease);
        return lease;
    }

    /**
     * Ends a lease; with the last one the stream ends. No batch of the subtask may be under way any
     * more.
     */
    public void close(RuleLease lease) {
        if (leases.remove(lease)) {
            release();
        }
    }

    /**
     * Takes a message of the broadcast. The subtasks of a job attempt must all bring all messages
     * in the same order.
     *
     * @return whether {@link #takeNewer} would find a newer version now
     */
    public boolean message(RuleLease lease, TimedMessage message) {
        lease.received++;
        if (ledger.receive(lease.received, message)) {
            orderNext();
        }
        return leases.hasNewer(lease);
    }

    /** Tells whether so much waits to be followed that no more should be handed over for now. */
    public boolean isFull() {
        return ledger.isFull() && !phase.isOver();
    }

    /**
     * The newest version that a subtask may use.
     *
     * @return the version, to be closed by the caller after its last batch; null if the subtask has
     *     taken it before, or there is none so far
     * @throws IllegalStateException if the rules cannot be followed any more; the task is to fail
     */
    public @Nullable ServedVersion takeNewer(RuleLease lease) {
        lease.looks();
        requireFollowed();
        return leases.take(lease);
    }

    /** Dead letters to emit, each once; none if another subtask emits them. */
    public List<DeadLetter> deadLetters(RuleLease lease) {
        return lease.reports ? ledger.takeLetters() : List.of();
    }

    /**
     * Tells whether the dead letters of all that the job began with and of all messages that came
     * since are there, so that the subtask that emits them may end. The task is told when that
     * becomes so. Messages are not waited for while no rules are in force, nor a build.
     */
    public boolean lettersComplete(RuleLease lease) {
        if (!lease.reports) {
            return true;
        }
        completeAwaited = true; // before the look, so that who follows the last message sees it
        return phase.isDecided() && !(leases.hasVersion() && ledger.hasNext());
    }

    /**
     * State for the checkpoint whose barrier comes next.
     *
     * @param letters emits the dead letters of messages that the state's log holds
     */
    public RuleStreamState capture(RuleLease lease, Consumer<List<DeadLetter>> letters) {
        return ledger.capture(lease.reports, letters);
    }

    /** Tells whether it is decided which version the tasks begin with; from any thread. */
    public boolean isDecided() {
        return phase.isDecided();
    }

    /** Figures of the stream; from any thread. */
    public Figures figures() {
        return report.figures().with(server.figures());
    }

    /** Phase of the stream; for tests. */
    StreamPhase phase() {
        return phase;
    }

    // The stream's thread.

    /** Has the stream's thread do something; called by any thread. */
    private void order(Runnable what) {
        thread.execute(
                () -> {
                    quietTicks = 0;
                    perform(what);
                });
    }

    /** Does one thing, and what follows from it. */
    private void perform(Runnable what) {
        if (phase.isOver()) {
            return;
        }
        try {
            what.run();
            compact(false);
            publish(false);
            if (phase == StreamPhase.DECIDING && !serving.building()) {
                decided();
            }
            bootstrapIfNothingIsServable();
            report.figures(ledger.book().version(), leases.newest(), serving.pending());
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void compact(boolean withTime) {
        ledger.compact(serving.inForce(), withTime, builder, this::order, this::fail);
    }

    /** Tries again what waits after a refusal; while nothing comes, shortens the log. */
    private void tick() {
        if (phase != StreamPhase.READING && serving.nanosToNextTry() == 0) {
            serving.advance();
        } else if (++quietTicks >= IDLE_TICKS) {
            if (quietTicks == IDLE_TICKS) {
                compact(true);
            }
            report.remind();
        }
    }

    /** Has the next message of the broadcast followed, if there is one; called by any thread. */
    private void orderNext() {
        if (ledger.hasNext() && !followOrdered.getAndSet(true)) {
            order(this::followNext);
        }
    }

    private void followNext() {
        followOrdered.set(false);
        // It stays in the ledger until the log holds it.
        RuleLedger.Received next = phase == StreamPhase.FOLLOWING ? ledger.next() : null;
        if (next == null) {
            return;
        }
        if (reader.takeBroadcastBeginsEarlier()) {
            ledger.rewound();
        }
        follow(next.message(), next.index(), false);
        publish(true);
        serving.advance();
        orderNext(); // other orders go between
    }

    /**
     * Shows tasks at once what a message has changed: the log holds it, and its letter is there.
     *
     * @param followed whether the next message of the backlog was followed
     */
    private void publish(boolean followed) {
        boolean tell = report.hasLetters();
        tell |= ledger.publish(followed, report.takeLetters());
        if (tell || completeAwaited && !ledger.hasNext()) {
            leases.notifyTasks();
        }
    }

    private synchronized void go(StreamPhase then) {
        if (phase == StreamPhase.CLOSED) {
            return;
        }
        phase = phase.to(then);
        if (then == StreamPhase.FOLLOWING) {
            orderNext();
        }
    }

    /**
     * Follows a message; what is in force changes with the next {@code serving.advance()}.
     *
     * @param broadcastFollows whether the broadcast brings it again, and makes a dead letter of it
     *     if it is malformed
     */
    private void follow(TimedMessage message, long index, boolean broadcastFollows) {
        try {
            Version made = ledger.follow(message);
            if (made != null) {
                serving.follow(index, made.history(), made.number(), made.delta());
                report.followed(made);
            }
        } catch (MalformedMessageException e) {
            report.dropped(e, !broadcastFollows);
        }
    }

    private void restore(List<byte[]> state) {
        for (RuleLog.Held held : ledger.restore(state, RuleServing.MOST_WAITING)) {
            serving.follow(0, held.history(), held.number(), null);
        }
        boolean madeAnew = ledger.isOfAnother(reader.topic());
        boolean empty = ledger.book().isEmpty();
        if (!empty) {
            report.restored(ledger.book().version());
            followRestoredBacklog();
        }
        if (reader.canStart() && (madeAnew || empty)) {
            read(madeAnew);
        } else {
            go(StreamPhase.DECIDING);
            serving.advance();
        }
    }

    /** Follows what had come before the checkpoint's barrier and was not in its log. */
    private void followRestoredBacklog() {
        for (RuleLedger.Received next = ledger.next();
                next != null && next.index() == 0;
                next = ledger.next()) {
            follow(next.message(), 0, false);
            publish(true);
        }
    }

    /** Shows tasks what they begin with. */
    private void decided() {
        go(reader.reading() ? StreamPhase.SEARCHING : StreamPhase.FOLLOWING);
        serving.patient(true);
        leases.release();
        reader.goOn();
    }

    /** Packets may wait for rules that the broadcast cannot bring while they wait. */
    private void bootstrapIfNothingIsServable() {
        if (phase == StreamPhase.FOLLOWING
                && !serving.building()
                && serving.pending() > 0
                && !leases.hasVersion()
                && reader.canStart()) {
            ledger.rewound();
            read(false);
        }
    }

    private void read(boolean madeAnew) {
        report.reads(madeAnew);
        go(StreamPhase.READING);
        serving.patient(false);
        leases.hold();
        reader.start(madeAnew);
    }

    private void fail(Throwable why) {
        if (!phase.isOver()) {
            failed(why);
            go(StreamPhase.FAILED);
            reader.enough();
            leases.notifyTasks();
        }
    }

    @Override
    void stop() throws InterruptedException {
        go(StreamPhase.CLOSED);
        reader.end();
        thread.shutdown();
        thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    void giveBack() {
        try {
            leases.clear();
            serving.close();
        } finally {
            server.close();
        }
    }

    /** Listener to what becomes of versions, and to the bootstrap. */
    private final class Listener implements RuleServing.Listener, BootstrapReader.Listener {
        @Override
        public void inForce(Step step, ServedVersion lookup, boolean built) {
            if (built) {
                ledger.log().servable(step.history(), step.version());
                ledger.changed();
            }
            report.inForce(lookup, built);
            reader.served();
            if (phase == StreamPhase.SEARCHING) {
                go(StreamPhase.FOLLOWING);
            }
            leases.inForce(new RuleLeases.Entry(step.serial(), step.index(), lookup));
        }

        @Override
        public void refused(Step step, RuntimeException why, boolean again) {
            ledger.changed(); // the log says what cannot be served
            report.refused(step, why, again, serving.inForce() != null);
        }

        @Override
        public void read(TimedMessage message) {
            boolean started = phase != StreamPhase.READING;
            follow(message, 0, started);
            if (started) {
                serving.advance();
            }
        }

        @Override
        public void startReached() {
            if (phase == StreamPhase.READING) {
                go(StreamPhase.DECIDING);
            }
            followRestoredBacklog();
            serving.advance();
            ledger.startReached();
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
        }
    }
}
