package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.history.LogCompaction;
import dev.sluice.operators.rules.history.RuleLog;
import dev.sluice.operators.rules.serving.PendingVersions.Step;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the rule history for all subtasks of a process: decodes each message once, keeps the
 * content, and has one engine serve it.
 *
 * <p>Every subtask receives all messages of the broadcast, in the same order, and counts them from
 * its start; the first to bring a number hands the message over ({@link RuleLease#message}).
 *
 * <p>Threads. The stream's own thread decodes, follows the content and applies small changes. A
 * second one builds. A third, if there is a bootstrap, reads the history beside the job until rules
 * are in force. The tasks' mailbox threads only hand messages over and take versions: they hold a
 * lock under which nothing is decoded, built or waited for.
 *
 * <p>State. After each message a task finds under the lock what a checkpoint needs: the log of what
 * was followed, and the messages that were not yet.
 *
 * <p>It is a state machine of {@link StreamPhase}s; all transitions but to CLOSED are made by the
 * stream's thread.
 */
final class RuleStream extends VersionService {
    /** Time without messages after which the stream tidies up. */
    private static final long IDLE_MILLIS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(RuleStream.class);

    private final RuleServer server;
    private final RuleLog log = new RuleLog();
    private final RuleServing serving;
    private final Thread follower;
    private final BootstrapReader reader;
    private final RuleLeases leases = new RuleLeases();
    private final StreamReport report;

    private final Object lock = new Object();

    // Guarded by the lock.
    private final Deque<Runnable> orders = new ArrayDeque<>();
    private final RuleLedger ledger;

    /** Written with the lock held. */
    private volatile StreamPhase phase = StreamPhase.RESTORING;

    /** True if a task that ends waits until all messages are followed. */
    private boolean completeAwaited;

    // Written by the follower alone.
    private @Nullable RuleSource bootstrap;

    /** Id of the topic that the log is of. */
    private String topic;

    /** Id of a topic that was made anew, until the log has its rules. */
    private @Nullable String topicMadeAnew;

    private boolean idle;
    private boolean logIsStale;

    /** True if the broadcast begins before what the bootstrap has read. */
    private boolean rewindAtEnd;

    private long steps;

    /**
     * A stream that begins where a state ends.
     *
     * @param name for threads and the log
     * @param server closed with the stream
     * @param bootstrap reads the history while there are no rules; null if there are some
     * @param nanoTime clock of the pauses after refusals, as {@link System#nanoTime}
     */
    RuleStream(
            String name,
            RuleServer server,
            @Nullable RuleSource bootstrap,
            RuleStreamState state,
            LongSupplier nanoTime) {
        super(name);
        this.server = server;
        this.bootstrap = bootstrap;
        this.serving =
                new RuleServing(
                        server,
                        log,
                        builder::execute,
                        this::order,
                        new RefusalPause(nanoTime),
                        new ServingListener());
        this.report = new StreamReport(name);
        this.ledger = new RuleLedger(state);
        this.topic = state.topic();
        this.reader =
                new BootstrapReader(
                        name, new ReadStream(), run -> daemon(run, "rule bootstrap of " + name));
        orders.add(() -> restore(state));
        leases.hold();
        this.follower = daemon(this::run, "rule stream of " + name);
    }

    // What leases ask, in mailbox threads.

    void add(RuleLease lease) {
        leases.add(lease);
        synchronized (lock) {
            if (follower.getState() == Thread.State.NEW) {
                follower.start();
            }
        }
    }

    /** Ends a lease. */
    void remove(RuleLease lease) {
        leases.remove(lease);
        release();
    }

    /** A message of the broadcast has come to a subtask; whether it may use a newer version now. */
    boolean message(RuleLease lease, TimedMessage message) {
        lease.received++;
        synchronized (lock) {
            if (ledger.receive(lease.received, message)) {
                lock.notifyAll();
            }
        }
        return leases.hasNewer(lease);
    }

    /** Tells whether so much waits to be followed that no more should be handed over for now. */
    boolean isFull() {
        synchronized (lock) {
            return ledger.isFull() && !phase.isOver();
        }
    }

    @Nullable ServedVersion take(RuleLease lease) {
        requireFollowed();
        return leases.take(lease);
    }

    /** State for a checkpoint, and the dead letters of all that its log holds. */
    RuleLease.Capture capture(boolean withLetters) {
        Supplier<RuleStreamState> state;
        List<DeadLetter> letters;
        synchronized (lock) {
            state = ledger.state();
            letters = withLetters ? ledger.takeLetters() : List.of();
        }
        return new RuleLease.Capture(state.get(), letters);
    }

    boolean lettersComplete() {
        boolean rulesInForce = leases.hasVersion();
        synchronized (lock) {
            boolean complete = phase.isDecided() && !(rulesInForce && ledger.hasNext());
            completeAwaited |= !complete;
            return complete;
        }
    }

    List<DeadLetter> letters() {
        synchronized (lock) {
            return ledger.takeLetters();
        }
    }

    RuleStreamFigures figures() {
        RuleStreamFigures known = report.figures();
        return new RuleStreamFigures(
                known.wanted(),
                known.inForce(),
                known.pending(),
                known.refused(),
                known.dropped(),
                known.histories(),
                server.figures());
    }

    // The stream's thread.

    /** Has the stream's thread do something; called by any thread. */
    private void order(Runnable what) {
        synchronized (lock) {
            orders.add(what);
            lock.notifyAll();
        }
    }

    private void run() {
        try {
            while (step()) {
                // one order or message after the other
            }
        } catch (InterruptedException e) {
            LOG.debug("{} ends", name); // nobody but close interrupts it
        } catch (Throwable e) {
            fail(e);
        }
    }

    /** Does the next thing; false when the stream is closed. */
    @SuppressWarnings("WaitNotInLoop") // whoever wakes it up, run() calls this again
    private boolean step() throws InterruptedException {
        Runnable next;
        RuleLedger.@Nullable Received message = null;
        synchronized (lock) {
            long longest =
                    TimeUnit.MILLISECONDS.toNanos(
                            idle ? StreamReport.REMINDER_MILLIS : IDLE_MILLIS);
            long end = System.nanoTime() + Math.min(longest, nanosToNextTry());
            for (long left = end - System.nanoTime();
                    left > 0 && nothingToDo();
                    left = end - System.nanoTime()) {
                lock.wait(1 + TimeUnit.NANOSECONDS.toMillis(left));
            }
            if (phase.isOver()) {
                return false;
            }
            next = orders.poll();
            if (next == null && !nothingToDo()) {
                message = ledger.next(); // it stays there until the log holds it
            }
        }
        boolean wasIdle = idle;
        boolean tryAgain = next == null && message == null && nanosToNextTry() == 0;
        idle = next == null && message == null && !tryAgain;
        if (idle) {
            if (!wasIdle) {
                tidy(true);
            }
            report.remind();
            return true;
        }
        if (next != null) {
            next.run();
        } else if (message != null) {
            if (rewindAtEnd) {
                rewindAtEnd = false;
                log.rewound();
            }
            follow(message.message(), message.index(), false);
            publish(true);
            serving.advance();
        } else if (tryAgain) {
            serving.advance();
        }
        tidy(false);
        publish(false);
        if (phase == StreamPhase.DECIDING && !serving.building()) {
            decided();
        }
        bootstrapIfNothingIsServable();
        tell();
        return true;
    }

    /** Has a log that is long made shorter, by the thread that builds. */
    private void tidy(boolean withTime) {
        Step inForce = serving.inForce();
        LogCompaction next =
                log.compactionDue(
                        inForce == null
                                ? null
                                : new RuleLog.Held(inForce.history(), inForce.version()),
                        withTime);
        if (next != null) {
            builder.execute(() -> compact(next));
        }
    }

    private void compact(LogCompaction next) {
        try {
            next.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            order(() -> fail(e));
            return;
        }
        order(
                () -> {
                    log.compacted(next);
                    logIsStale = true;
                });
    }

    /** Nanoseconds until what waits after a refusal is to be tried. */
    private long nanosToNextTry() {
        return phase == StreamPhase.READING ? Long.MAX_VALUE : serving.nanosToNextTry();
    }

    /**
     * Shows leases at once what a message has changed: the log holds it, and its letter is there.
     */
    private void publish(boolean ofBacklog) {
        RuleLog.State nextLog = logIsStale ? log.state() : null;
        logIsStale = false;
        boolean tell = report.hasLetters();
        synchronized (lock) {
            if (ofBacklog) {
                boolean wasFull = ledger.isFull();
                ledger.followed();
                tell |= wasFull && !ledger.isFull();
            }
            if (nextLog != null) {
                ledger.log(topic, nextLog);
            }
            ledger.addLetters(report.takeLetters());
            tell |= completeAwaited && !ledger.hasNext();
        }
        if (tell) {
            leases.notifyTasks();
        }
    }

    /** Called with the lock held. */
    private boolean nothingToDo() {
        boolean follows = phase == StreamPhase.FOLLOWING && ledger.hasNext();
        return !phase.isOver() && orders.isEmpty() && !follows;
    }

    private void go(StreamPhase then) {
        synchronized (lock) {
            if (phase != StreamPhase.CLOSED) {
                phase = phase.to(then);
            }
        }
    }

    /**
     * Follows a message; what is in force changes with the next {@code serving.advance()}.
     *
     * @param broadcastFollows whether the broadcast brings it again, and makes a dead letter of it
     *     if it is malformed
     */
    private void follow(TimedMessage message, long index, boolean broadcastFollows) {
        int histories = log.newHistories();
        try {
            Version version = log.accept(message.message(), message.timeNs());
            if (version != null) {
                serving.follow(
                        new Step(
                                ++steps,
                                index,
                                version.history(),
                                version.number(),
                                version.delta()));
            }
        } catch (MalformedMessageException e) {
            report.dropped(e, !broadcastFollows);
        }
        logIsStale = true;
        if (log.newHistories() > histories) {
            LOG.warn(
                    "the rules topic of {} was made anew: its history begins with version {}",
                    name,
                    log.book().version());
        }
    }

    private void restore(RuleStreamState state) {
        try {
            log.restore(state.log());
            for (RuleLog.Held held : log.toTry(RuleServing.MOST_WAITING)) {
                serving.follow(new Step(++steps, 0, held.history(), held.number(), null));
            }
        } catch (MalformedMessageException e) {
            throw new IllegalStateException(
                    "the checkpoint's rules cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
        logIsStale = true;
        RuleSource source = bootstrap;
        String now = source == null ? "" : source.topic();
        boolean madeAnew = !log.book().isEmpty() && RuleSource.isAnother(topic, now);
        if (madeAnew) {
            topicMadeAnew = now;
        } else if (!now.isEmpty()) {
            topic = now;
        }
        if (!log.book().isEmpty()) {
            LOG.info("rules of {} restored: version {}", name, log.book().version());
            followRestoredBacklog();
        }
        if (source != null && madeAnew) {
            LOG.warn(
                    "the rules topic of {} was made anew since its checkpoint: it is read from its"
                            + " newest snapshot on",
                    name);
            read(source, true);
        } else if (source != null && log.book().isEmpty()) {
            LOG.info("{} waits for the first rules", name);
            read(source, false);
        } else {
            go(StreamPhase.DECIDING);
            serving.advance();
        }
    }

    /** Follows what had come before the checkpoint's barrier and was not in its log. */
    private void followRestoredBacklog() {
        while (true) {
            RuleLedger.Received next;
            synchronized (lock) {
                next = ledger.next();
            }
            if (next == null || next.index() > 0) {
                return;
            }
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
        RuleSource source = bootstrap;
        if (source != null
                && phase == StreamPhase.FOLLOWING
                && !serving.building()
                && serving.pending() > 0
                && !leases.hasVersion()) {
            LOG.info("{} waits for the first rules", name);
            log.rewound();
            read(source, false);
        }
    }

    private void read(RuleSource source, boolean madeAnew) {
        bootstrap = null; // once
        go(StreamPhase.READING);
        serving.patient(false);
        leases.hold();
        reader.start(source, madeAnew);
    }

    /** Publishes figures. */
    private void tell() {
        report.figures(
                log.book().version(), leases.newest(), serving.pending(), log.newHistories());
    }

    private void fail(Throwable why) {
        if (phase.isOver()) {
            return;
        }
        failed(why);
        go(StreamPhase.FAILED);
        reader.enough();
        leases.notifyTasks();
    }

    @Override
    Thread stop() {
        synchronized (lock) {
            phase = phase.to(StreamPhase.CLOSED);
            lock.notifyAll();
        }
        reader.end();
        return follower;
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

    /** Rules are in force: the bootstrap reads no further. */
    private void searchEnds() {
        reader.enough();
        if (phase == StreamPhase.SEARCHING) {
            go(StreamPhase.FOLLOWING);
        }
    }

    /** Phase of the stream; for tests. */
    StreamPhase phase() {
        return phase;
    }

    /** Listener to the fate of versions. */
    private final class ServingListener implements RuleServing.Listener {
        @Override
        public void inForce(Step step, ServedVersion lookup, boolean built) {
            if (built) {
                log.servable(step.history(), step.version());
                logIsStale = true; // it says what can be served
                LOG.info("rules of {} in force: {}", name, lookup);
            } else {
                LOG.debug("rules of {} in force: {}", name, lookup);
            }
            searchEnds();
            leases.inForce(new RuleLeases.Entry(step.serial(), step.index(), lookup));
        }

        @Override
        public void refused(Step step, RuntimeException why, boolean again) {
            logIsStale = true; // it says what cannot be served
            report.refused(step, why, again, serving.inForce() != null);
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
        }
    }

    /** Listener to the bootstrap. */
    private final class ReadStream implements BootstrapReader.Stream {
        @Override
        public void order(Runnable what) {
            RuleStream.this.order(what);
        }

        @Override
        public void followRead(TimedMessage message) {
            boolean started = phase != StreamPhase.READING;
            follow(message, 0, started);
            if (started) {
                serving.advance();
            }
        }

        @Override
        public void unreadable(DeadLetter letter) {
            report.unreadable(letter);
        }

        @Override
        public void startReached() {
            if (phase == StreamPhase.READING) {
                go(StreamPhase.DECIDING);
            }
            followRestoredBacklog();
            serving.advance();
            if (topicMadeAnew != null && log.newHistories() > 0) {
                topic = topicMadeAnew;
                topicMadeAnew = null;
                logIsStale = true;
            }
        }

        @Override
        public void rewound() {
            log.rewound();
        }

        @Override
        public void broadcastBeginsEarlier() {
            rewindAtEnd = true;
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
        }
    }
}
