package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the history beside the job, until rules are in force, or all the time where
 * there is no broadcast; once at most.
 *
 * <p>It hands what it reads to the stream's thread, and waits while much of it is not followed. Of
 * what comes after the job's start it reads nothing before the start is decided, so that all tasks
 * begin with the same rules.
 *
 * <p>{@link RuleSource.Follower} is used by the reading thread; {@link #start}, {@link #goOn} by
 * the stream's; {@link #end} by any.
 */
final class BootstrapReader implements RuleSource.Follower {
    /** Hears what is read; in the stream's thread. */
    interface Listener {
        /** A message of the rules topic was read. */
        void read(TimedMessage message);

        /** All that the job begins with was read. */
        void startReached();

        /** The rules cannot be read. */
        void failed(Throwable why);
    }

    /** Messages that it has read and that are not followed; it waits while they are many. */
    private static final int MOST_UNDER_WAY = 64;

    private static final Logger LOG = LoggerFactory.getLogger(BootstrapReader.class);

    private final String name;
    private final @Nullable RuleSource source;
    private final boolean beside;
    private final Executor stream;
    private final Listener listener;
    private final RuleLedger ledger;
    private final StreamReport report;

    /** A permit for each message that may be under way. */
    private final Semaphore room = new Semaphore(MOST_UNDER_WAY);

    /** True if the broadcast begins at an earlier point of the topic than what was read. */
    private final AtomicBoolean broadcastBeginsEarlier = new AtomicBoolean();

    /** True while what is read is not brought by the broadcast. */
    private boolean unbroadcast;

    /** Opens when what the job begins with is decided: nothing after it is read before. */
    private volatile CountDownLatch decided = new CountDownLatch(1);

    // Guarded by this.
    private boolean reading;
    private boolean closed;
    private @Nullable Thread thread;

    /**
     * A reader that does not read so far.
     *
     * @param start its source is read; null: nothing is, the broadcast alone brings rules
     * @param stream runs what the listener hears
     * @param ledger is told when the topic is read again from its first message on
     * @param report is told of records that are no messages of rules, and that the broadcast does
     *     not bring
     */
    BootstrapReader(
            VersionService.Start start,
            Executor stream,
            Listener listener,
            RuleLedger ledger,
            StreamReport report) {
        this.name = start.name();
        this.source = start.source();
        this.beside = start.beside();
        this.stream = stream;
        this.listener = listener;
        this.ledger = ledger;
        this.report = report;
    }

    /** Id of the topic that stands now; empty: unknown, or nothing is read. */
    String topic() {
        return source == null ? "" : source.topic();
    }

    /** Tells whether it can {@link #start}. */
    synchronized boolean canStart() {
        return source != null && thread == null;
    }

    /**
     * Begins to read.
     *
     * @param madeAnew whether the broadcast goes on at a position of another topic of this name: it
     *     is read up to the end that it has now
     */
    synchronized void start(boolean madeAnew) {
        RuleSource from = Objects.requireNonNull(source);
        Thread started =
                VersionService.daemon(() -> run(from, madeAnew), "rule bootstrap of " + name);
        if (!closed) {
            decided = new CountDownLatch(1);
            reading = true;
            thread = started;
            started.start();
        }
    }

    /** Tells whether it reads, and the broadcast waits. */
    synchronized boolean reading() {
        return reading;
    }

    /** Tells, once, whether the broadcast begins at an earlier point than what was read. */
    boolean takeBroadcastBeginsEarlier() {
        return broadcastBeginsEarlier.getAndSet(false);
    }

    private void run(RuleSource from, boolean madeAnew) {
        try {
            read(from, madeAnew ? RuleSource.ALL : from.end(), madeAnew);
        } catch (InterruptedException e) {
            LOG.debug("the bootstrap of {} ends", name); // by enough or end alone
        } catch (Throwable e) {
            if (reading()) {
                stream.execute(() -> listener.failed(e));
            } else {
                LOG.debug("the bootstrap of {} ends", name, e);
            }
        }
    }

    private void read(RuleSource from, long end, boolean madeAnew) throws Exception {
        broadcastBeginsEarlier.set(end == RuleSource.ALL);
        // Where the broadcast of a topic made anew begins is not known: two letters are better than
        // none.
        unbroadcast = end != RuleSource.ALL || madeAnew;
        RuleSource.Range start = from.read(RuleSource.From.NEWEST_SNAPSHOT, end, this);
        unbroadcast = false;
        stream.execute(listener::startReached);
        decided.await();
        from.follow(start.end(), this);
    }

    @Override
    public void message(byte[] message, long timeNs, long position) throws InterruptedException {
        if (unbroadcast) {
            try {
                RuleChange.decode(message);
            } catch (MalformedMessageException e) {
                DeadLetter letter =
                        new DeadLetter(e, Objects.requireNonNull(source).where(message, position));
                stream.execute(() -> report.unreadable(letter));
                return;
            }
        }
        room.acquire();
        stream.execute(
                () -> {
                    room.release();
                    listener.read(new TimedMessage(timeNs, message));
                });
    }

    @Override
    public void quiet(long nanos) {
        // it waits for more
    }

    @Override
    public void rewound() {
        stream.execute(ledger::rewound);
    }

    /** Rules are in force: the broadcast brings what comes then, if there is one. */
    void served() {
        if (!beside) {
            enough();
        }
    }

    /** Nothing more is wanted: the broadcast brings the rest, or nobody follows the rules. */
    synchronized void enough() {
        reading = false;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The start of the job is in force, or cannot be served. */
    void goOn() {
        decided.countDown();
    }

    /** Ends the reading, for good. Does not wait for it. */
    synchronized void end() {
        closed = true;
        enough();
    }
}
