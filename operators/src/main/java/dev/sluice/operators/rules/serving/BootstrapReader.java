package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the history beside the job, until rules are in force.
 *
 * <p>It hands what it reads to the stream's thread, and waits while much of it is not followed. Of
 * what comes after the job's start it reads nothing before the start is decided, so that all tasks
 * begin with the same rules.
 *
 * <p>{@link RuleSource.Follower} is used by the reading thread; {@link #start}, {@link #goOn} by
 * the stream's; {@link #end} by any. It holds its lock for no call of the stream.
 */
final class BootstrapReader implements RuleSource.Follower {
    /** The stream that is read for. Called in its thread, but for {@link #order}. */
    interface Stream {
        /** Has the stream's thread do something; called by the reading thread. */
        void order(Runnable what);

        /** A message of the rules topic was read. */
        void followRead(TimedMessage message);

        /** A record was read that is no message of rules, and that the broadcast does not bring. */
        void unreadable(DeadLetter letter);

        /** All that the job begins with was read. */
        void startReached();

        /** The topic is read again from its first message on. */
        void rewound();

        /** The broadcast begins at an earlier point of the topic than what was read. */
        void broadcastBeginsEarlier();

        /** The rules cannot be read. */
        void failed(Throwable why);
    }

    /** Messages that it has read and that are not followed; it waits while they are many. */
    private static final int MOST_UNDER_WAY = 64;

    private static final Logger LOG = LoggerFactory.getLogger(BootstrapReader.class);

    private final String name;
    private final Stream stream;
    private final ThreadFactory threads;
    private final Object lock = new Object();

    /** Source of messages that the broadcast does not bring; null: it brings them. */
    private @Nullable RuleSource unbroadcast;

    // Guarded by the lock.
    private int underWay;
    private boolean reading;

    /** True if what the job begins with is being built: nothing after it is read meanwhile. */
    private boolean pausing;

    private boolean closed;
    private @Nullable Thread thread;

    /**
     * A reader that does not read so far.
     *
     * @param name of the stream, for the log
     * @param threads makes the thread that reads
     */
    BootstrapReader(String name, Stream stream, ThreadFactory threads) {
        this.name = name;
        this.stream = stream;
        this.threads = threads;
    }

    /**
     * Begins to read.
     *
     * @param madeAnew whether the broadcast goes on at a position of another topic of this name: it
     *     is read up to the end that it has now
     */
    void start(RuleSource source, boolean madeAnew) {
        Thread started = threads.newThread(() -> run(source, madeAnew));
        synchronized (lock) {
            if (closed) {
                return;
            }
            reading = true;
            thread = started;
        }
        started.start();
    }

    /** Tells whether it reads, and the broadcast waits. */
    boolean reading() {
        synchronized (lock) {
            return reading;
        }
    }

    private void run(RuleSource source, boolean madeAnew) {
        try {
            read(source, madeAnew ? RuleSource.ALL : source.end(), madeAnew);
        } catch (InterruptedException e) {
            LOG.debug("the bootstrap of {} ends", name); // by enough or end alone
        } catch (Throwable e) {
            if (wanted()) {
                stream.order(() -> stream.failed(e));
            } else {
                LOG.debug("the bootstrap of {} ends", name, e);
            }
        }
    }

    private void read(RuleSource source, long end, boolean madeAnew) throws Exception {
        if (end == RuleSource.ALL) {
            stream.order(stream::broadcastBeginsEarlier);
        }
        // Where the broadcast of a topic made anew begins is not known: two letters are better than
        // none.
        unbroadcast = end != RuleSource.ALL || madeAnew ? source : null;
        RuleSource.Range start = source.read(RuleSource.From.NEWEST_SNAPSHOT, end, this);
        unbroadcast = null;
        synchronized (lock) {
            pausing = true;
        }
        stream.order(stream::startReached);
        if (awaitRoom()) {
            source.follow(start.end(), this);
        }
    }

    /** Waits while much is not followed, or the start is not decided; whether more is wanted. */
    private boolean awaitRoom() throws InterruptedException {
        synchronized (lock) {
            while ((pausing || underWay >= MOST_UNDER_WAY) && wanted()) {
                lock.wait();
            }
            return wanted();
        }
    }

    @Override
    public void message(byte[] message, long timeNs, long position) throws InterruptedException {
        if (!awaitRoom()) {
            return;
        }
        RuleSource source = unbroadcast;
        if (source != null) {
            try {
                RuleChange.decode(message);
            } catch (MalformedMessageException e) {
                DeadLetter letter = new DeadLetter(e, source.where(message, position));
                stream.order(() -> stream.unreadable(letter));
                return;
            }
        }
        synchronized (lock) {
            underWay++;
        }
        stream.order(
                () -> {
                    synchronized (lock) {
                        underWay--;
                        lock.notifyAll();
                    }
                    stream.followRead(new TimedMessage(timeNs, message));
                });
    }

    @Override
    public void quiet(long nanos) {
        // it waits for more
    }

    @Override
    public void rewound() {
        stream.order(stream::rewound);
    }

    /** Rules are in force, or nobody follows them any more: nothing more is wanted. */
    void enough() {
        Thread running;
        synchronized (lock) {
            reading = false;
            running = thread;
            lock.notifyAll();
        }
        if (running != null) {
            running.interrupt();
        }
    }

    /** The start of the job is in force, or cannot be served. */
    void goOn() {
        synchronized (lock) {
            pausing = false;
            lock.notifyAll();
        }
    }

    private boolean wanted() {
        synchronized (lock) {
            return reading && !closed;
        }
    }

    /** Ends the reading, for good. Does not wait for it. */
    void end() {
        synchronized (lock) {
            closed = true;
        }
        enough();
    }
}
