package dev.sluice.operators.stream;

import dev.sluice.engine.EngineFigures;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
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
 * <p>State. What a checkpoint needs is put together after each message, under the lock, so that a
 * task finds it ready: the log of what was followed, and the messages that were not yet.
 */
final class RuleStream {
    /** Bytes of messages that wait to be followed before tasks are held up. */
    private static final long MOST_BACKLOG_BYTES = 32L << 20;

    /** Dead letters that wait for a task to emit them. */
    private static final int MOST_LETTERS = 10_000;

    /** Time after which packets that still wait for rules are mentioned again. */
    private static final long REMINDER_MILLIS = 10_000;

    /** Time without messages after which the stream tidies up. */
    private static final long IDLE_MILLIS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(RuleStream.class);

    /** A message that the broadcast brought. */
    private record Received(long index, TimedMessage message) {
        int length() {
            return message.message().length;
        }
    }

    private final String name;
    private final RuleServer server;
    private final RuleContent content = new RuleContent();
    private final RuleServing serving;
    private final Thread follower;
    private final ExecutorService builder;
    private final BootstrapReader reader = new BootstrapReader();

    private final Object lock = new Object();

    // Guarded by the lock.
    private final Set<RuleLease> leases = new LinkedHashSet<>();
    private final VersionsInForce versions = new VersionsInForce();
    private final Deque<Runnable> orders = new ArrayDeque<>();
    private final Deque<Received> backlog = new ArrayDeque<>();
    private final Deque<DeadLetter> letters = new ArrayDeque<>();
    private long backlogBytes;
    private long received;
    private List<byte[]> log = List.of();

    /**
     * Whether what the tasks begin with is not decided. The backlog waits meanwhile, and no version
     * is shown to tasks: a version that is served on the way to the newest may be older than what
     * judged packets before a restart.
     */
    private boolean starting = true;

    /** Whether the bootstrap reads. */
    private boolean bootstrapping;

    /** The newest version that came into force while the stream is starting. */
    private VersionsInForce.@Nullable Entry held;

    private boolean closed;
    private @Nullable Throwable failure;

    // Written by the follower alone.
    private volatile RuleStreamFigures figures;
    private @Nullable RuleBootstrap bootstrap;
    private boolean startReached = true;
    private boolean idle;
    private long reminded = System.nanoTime();
    private boolean logIsStale;

    /** Whether the broadcast begins before what the bootstrap has read. */
    private boolean rewindAtEnd;

    private final List<DeadLetter> unpublished = new ArrayList<>();
    private long refused;
    private long dropped;
    private String lastRefusal = "";

    /**
     * A stream that begins where a state ends.
     *
     * @param name for threads and the log
     * @param server closed with the stream
     * @param bootstrap reads the history while there are no rules; null if there are some
     */
    RuleStream(
            String name,
            RuleServer server,
            @Nullable RuleBootstrap bootstrap,
            RuleStreamState state) {
        this.name = name;
        this.server = server;
        this.bootstrap = bootstrap;
        this.builder =
                Executors.newSingleThreadExecutor(run -> daemon(run, "rule builder of " + name));
        this.serving =
                new RuleServing(
                        server, content, builder::execute, this::order, new ServingListener());
        this.figures = new RuleStreamFigures(-1, -1, 0, 0, 0, 0, EngineFigures.NONE);
        this.log = state.log();
        for (TimedMessage message : state.backlog()) {
            backlog.add(new Received(0, message));
            backlogBytes += message.message().length;
        }
        orders.add(() -> restore(state.log()));
        this.follower = daemon(this::run, "rule stream of " + name);
    }

    private static Thread daemon(Runnable run, String name) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        follower.start();
    }

    // What leases ask, in mailbox threads.

    void add(RuleLease lease) {
        synchronized (lock) {
            leases.add(lease);
        }
    }

    /** Ends a lease; whether it was the last. */
    boolean remove(RuleLease lease) {
        List<RuleSetLookup> gone;
        boolean last;
        synchronized (lock) {
            leases.remove(lease);
            last = leases.isEmpty();
            gone = last ? List.of() : versions.forget(readers());
        }
        gone.forEach(RuleSetLookup::close);
        return last;
    }

    /** A message of the broadcast has come to a subtask; whether it may use a newer version now. */
    boolean message(VersionsInForce.Reader reader, TimedMessage message) {
        synchronized (lock) {
            reader.received++;
            if (reader.received > received) {
                received++;
                backlog.add(new Received(received, message));
                backlogBytes += message.message().length;
                lock.notifyAll();
            }
            return versions.hasNewer(reader);
        }
    }

    /** Whether so much waits to be followed that no more should be handed over for now. */
    boolean isFull() {
        synchronized (lock) {
            return backlogBytes > MOST_BACKLOG_BYTES && failure == null && !closed;
        }
    }

    @Nullable RuleSetLookup take(VersionsInForce.Reader reader) {
        List<RuleSetLookup> gone;
        VersionsInForce.Entry taken;
        synchronized (lock) {
            if (failure != null) {
                throw new IllegalStateException(
                        "the rules of " + name + " cannot be followed", failure);
            }
            taken = versions.take(reader);
            gone = taken == null ? List.of() : versions.forget(readers());
        }
        gone.forEach(RuleSetLookup::close);
        return taken == null ? null : taken.lookup();
    }

    /** What a checkpoint holds, and the dead letters of all that its log holds. */
    RuleLease.Capture capture(boolean withLetters) {
        synchronized (lock) {
            List<TimedMessage> waiting = backlog.stream().map(Received::message).toList();
            return new RuleLease.Capture(
                    new RuleStreamState(log, waiting), withLetters ? takeLetters() : List.of());
        }
    }

    List<DeadLetter> letters() {
        synchronized (lock) {
            return takeLetters();
        }
    }

    private List<DeadLetter> takeLetters() {
        List<DeadLetter> all = List.copyOf(letters);
        letters.clear();
        return all;
    }

    RuleStreamFigures figures() {
        RuleStreamFigures known = figures;
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
        Received message = null;
        synchronized (lock) {
            long end =
                    System.nanoTime()
                            + TimeUnit.MILLISECONDS.toNanos(idle ? REMINDER_MILLIS : IDLE_MILLIS);
            for (long left = end - System.nanoTime();
                    left > 0 && nothingToDo();
                    left = end - System.nanoTime()) {
                lock.wait(1 + TimeUnit.NANOSECONDS.toMillis(left));
            }
            if (closed) {
                return false;
            }
            next = orders.poll();
            if (next == null && !nothingToDo()) {
                message = backlog.element(); // it stays there until the log holds it
            }
        }
        boolean wasIdle = idle;
        idle = next == null && message == null;
        if (idle) {
            if (!wasIdle) {
                logIsStale |= content.tidy(serving.inForce(), true);
                publish(false);
            }
            remind();
            return true;
        }
        if (next != null) {
            next.run();
        } else if (message != null) {
            if (rewindAtEnd) {
                rewindAtEnd = false;
                content.rewound();
            }
            follow(message.message, message.index, false);
            publish(true);
            serving.advance();
        }
        logIsStale |= content.tidy(serving.inForce(), false);
        publish(false);
        if (startReached && !serving.building()) {
            decideStart();
        }
        bootstrapIfNothingIsServable();
        tell();
        return true;
    }

    /**
     * Shows leases at once what a message has changed: the log holds it, and its letter is there.
     */
    private void publish(boolean ofBacklog) {
        List<byte[]> nextLog = logIsStale ? content.messages() : null;
        logIsStale = false;
        boolean tell = !unpublished.isEmpty();
        synchronized (lock) {
            if (ofBacklog) {
                boolean wasFull = backlogBytes > MOST_BACKLOG_BYTES;
                backlogBytes -= backlog.remove().length();
                tell |= wasFull && backlogBytes <= MOST_BACKLOG_BYTES;
            }
            if (nextLog != null) {
                log = nextLog;
            }
            letters.addAll(unpublished);
            while (letters.size() > MOST_LETTERS) {
                letters.remove(); // no task of this process emits them
            }
        }
        unpublished.clear();
        if (tell) {
            notifyLeases();
        }
    }

    /** Called with the lock held. */
    private boolean nothingToDo() {
        return !closed && orders.isEmpty() && (starting || bootstrapping || backlog.isEmpty());
    }

    /**
     * Follows a message; what is in force changes with the next {@code serving.advance()}.
     *
     * @param broadcastFollows whether the broadcast brings it again, and makes a dead letter of it
     *     if it is malformed
     */
    private void follow(TimedMessage message, long index, boolean broadcastFollows) {
        int histories = content.newHistories();
        try {
            ContentStep step = content.accept(message.message(), message.timeNs(), index);
            if (step != null) {
                serving.follow(step);
            }
        } catch (MalformedMessageException e) {
            dropped++;
            LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
            if (!broadcastFollows) {
                unpublished.add(new DeadLetter(e.reason(), e.detail(), null, null));
            }
        }
        logIsStale = true;
        if (content.newHistories() > histories) {
            LOG.warn(
                    "the rules topic of {} was made anew: the rules are now those of its first snapshot, version {}",
                    name,
                    content.version());
        }
    }

    private void restore(List<byte[]> state) {
        try {
            content.restore(state).forEach(serving::follow);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException(
                    "the checkpoint's rules cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
        logIsStale = true;
        if (content.isEmpty()) {
            startBootstrap();
        } else {
            LOG.info("rules of {} restored: version {}", name, content.version());
            followRestoredBacklog();
            serving.advance();
        }
    }

    /** Follows what had come before the checkpoint's barrier and was not in its log. */
    private void followRestoredBacklog() {
        while (true) {
            Received next;
            synchronized (lock) {
                next = backlog.peek();
            }
            if (next == null || next.index > 0) {
                return;
            }
            follow(next.message, 0, false);
            publish(true);
        }
    }

    /** Shows tasks what they begin with, once that is decided. */
    private void decideStart() {
        VersionsInForce.Entry first;
        synchronized (lock) {
            if (!starting) {
                return;
            }
            starting = false;
            first = held;
            held = null;
            if (first != null) {
                versions.add(first, readers());
                bootstrapping = false;
            }
            lock.notifyAll();
        }
        reader.goOn();
        notifyLeases();
    }

    /** Packets may wait for rules that the broadcast cannot bring while they wait. */
    private void bootstrapIfNothingIsServable() {
        if (!serving.building() && serving.pending() > 0) {
            boolean nothing;
            synchronized (lock) {
                nothing = versions.newest() == null;
            }
            if (nothing) {
                startBootstrap();
            }
        }
    }

    private void startBootstrap() {
        RuleBootstrap source = bootstrap;
        if (source == null) {
            return;
        }
        bootstrap = null; // once
        LOG.info("{} waits for the first rules", name);
        startReached = false;
        if (!content.isEmpty()) {
            content.rewound();
        }
        synchronized (lock) {
            starting = true;
            bootstrapping = true;
        }
        reader.start(source);
    }

    /** Publishes figures. */
    private void tell() {
        long inForce;
        synchronized (lock) {
            VersionsInForce.Entry newest = versions.newest();
            inForce = newest == null ? -1 : newest.lookup().version();
        }
        figures =
                new RuleStreamFigures(
                        content.version(),
                        inForce,
                        serving.pending(),
                        refused,
                        dropped,
                        content.newHistories(),
                        EngineFigures.NONE);
    }

    private void remind() {
        if (System.nanoTime() - reminded < TimeUnit.MILLISECONDS.toNanos(REMINDER_MILLIS)) {
            return;
        }
        reminded = System.nanoTime();
        boolean waiting;
        synchronized (lock) {
            waiting = versions.newest() == null && !closed && failure == null;
        }
        if (waiting) {
            RuleStreamFigures known = figures;
            LOG.warn(
                    "packets of {} wait for rules: {}",
                    name,
                    known.wanted() < 0
                            ? "the rules topic holds no complete snapshot yet; publish one"
                            : "version " + known.wanted() + " cannot be served: " + lastRefusal);
        }
    }

    private List<VersionsInForce.Reader> readers() {
        List<VersionsInForce.Reader> readers = new ArrayList<>(leases.size());
        for (RuleLease lease : leases) {
            readers.add(lease.reader());
        }
        return readers;
    }

    private void notifyLeases() {
        List<RuleLease> all;
        synchronized (lock) {
            all = List.copyOf(leases);
        }
        all.forEach(RuleLease::notifyTask);
    }

    private void fail(Throwable why) {
        LOG.error("the rules of {} cannot be followed", name, why);
        synchronized (lock) {
            failure = why;
        }
        notifyLeases();
    }

    /**
     * Ends the threads and gives the engine back. It waits for a build that is under way, so it is
     * called by a thread that nobody waits for. No batch may be under way any more.
     */
    void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        reader.end();
        boolean interrupted = false;
        try {
            follower.join();
            builder.shutdown();
            while (!builder.awaitTermination(1, TimeUnit.MINUTES)) {
                LOG.info("a build of rules that nobody waits for is still under way in {}", name);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        List<RuleSetLookup> gone;
        synchronized (lock) {
            gone = new ArrayList<>(versions.clear());
            if (held != null) {
                gone.add(held.lookup());
            }
        }
        try {
            gone.forEach(RuleSetLookup::close);
            serving.close();
        } finally {
            server.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What becomes of versions. */
    private final class ServingListener implements RuleServing.Listener {
        @Override
        public void inForce(ContentStep step, RuleSetLookup lookup, boolean built) {
            if (built) {
                content.built(step);
                LOG.info("rules of {} in force: {}", name, lookup);
            } else {
                LOG.debug("rules of {} in force: {}", name, lookup);
            }
            List<RuleSetLookup> gone;
            synchronized (lock) {
                gone =
                        versions.add(
                                new VersionsInForce.Entry(
                                        step.serial(),
                                        step.index(),
                                        new HistoryLookup(step.history(), lookup)),
                                readers());
                bootstrapping = false;
                lock.notifyAll();
            }
            gone.forEach(RuleSetLookup::close);
            notifyLeases();
        }

        @Override
        public void refused(ContentStep step, RuntimeException why) {
            refused++;
            lastRefusal = String.valueOf(why.getMessage());
            LOG.warn(
                    "version {} of the rules of {} cannot be served, and {}: {}",
                    step.version(),
                    name,
                    serving.inForce() == null
                            ? "none before it is in force"
                            : "the one before stays in force",
                    lastRefusal);
            unpublished.add(
                    new RefusedVersion(step.version(), step.history(), lastRefusal).toDeadLetter());
        }

        @Override
        public void failed(Throwable failure) {
            fail(failure);
        }
    }

    /** The thread that reads the history beside the job. */
    private final class BootstrapReader implements RuleBootstrap.Target {
        /** Messages that it has read and that are not followed; it waits while they are many. */
        private static final int MOST_UNDER_WAY = 64;

        // Guarded by the lock.
        private int underWay;

        /** Whether what the job begins with is being built: nothing after it is read meanwhile. */
        private boolean pausing;

        private @Nullable Thread thread;

        void start(RuleBootstrap source) {
            Thread started = daemon(() -> read(source), "rule bootstrap of " + name);
            synchronized (lock) {
                thread = started;
            }
            started.start();
        }

        private void read(RuleBootstrap source) {
            try {
                source.read(this);
                order(this::ended);
            } catch (InterruptedException e) {
                LOG.debug("the bootstrap of {} ends", name); // by close alone
            } catch (Throwable e) {
                if (wanted()) {
                    fail(e);
                } else {
                    LOG.debug("the bootstrap of {} ends", name, e);
                }
            }
        }

        @Override
        public void message(byte[] message, long timeNs) throws InterruptedException {
            synchronized (lock) {
                while ((pausing || underWay >= MOST_UNDER_WAY) && wanted()) {
                    lock.wait();
                }
                if (!wanted()) {
                    return;
                }
                underWay++;
            }
            order(
                    () -> {
                        synchronized (lock) {
                            underWay--;
                            lock.notifyAll();
                        }
                        followRead(new TimedMessage(timeNs, message));
                    });
        }

        /** Rules are in force, or the source has no more: the broadcast takes over. */
        private void ended() {
            synchronized (lock) {
                bootstrapping = false;
            }
            startReached = true;
            followRestoredBacklog();
            serving.advance();
        }

        /** What the job begins with is in force, or cannot be served. */
        void goOn() {
            synchronized (lock) {
                if (pausing) {
                    pausing = false;
                    lock.notifyAll();
                }
            }
        }

        @Override
        public void broadcastBeginsEarlier() {
            order(() -> rewindAtEnd = true);
        }

        @Override
        public void startReached() {
            synchronized (lock) {
                pausing = true;
            }
            order(
                    () -> {
                        startReached = true;
                        followRestoredBacklog();
                        serving.advance();
                    });
        }

        @Override
        public boolean wanted() {
            synchronized (lock) {
                return bootstrapping && !closed && failure == null;
            }
        }

        void end() {
            Thread running;
            synchronized (lock) {
                running = thread;
            }
            if (running != null) {
                running.interrupt();
            }
        }
    }

    private void followRead(TimedMessage message) {
        follow(message, 0, startReached);
        if (startReached) {
            serving.advance();
        }
    }
}
