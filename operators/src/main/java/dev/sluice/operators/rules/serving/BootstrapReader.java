package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.RuleBootstrap;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
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
 * <p>{@link RuleBootstrap.Target} is used by the reading thread; {@link #start}, {@link #goOn} by
 * the stream's; {@link #end} by any. It holds its lock for no call of the stream.
 */
final class BootstrapReader implements RuleBootstrap.Target {
    /** The stream that is read for. Called in its thread, but for {@link #order}. */
    interface Stream {
        /** Has the stream's thread do something; called by the reading thread. */
        void order(Runnable what);

        /** A message of the rules topic was read. */
        void followRead(TimedMessage message);

        /** A record that is no message of rules was read. */
        void unreadable(DeadLetter letter);

        /** All that the job begins with was read. */
        void startReached();

        /** There is no more to read: the broadcast takes over. */
        void ended();

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

    // Guarded by the lock.
    private int underWay;
    private boolean reading;

    /** Whether what the job begins with is being built: nothing after it is read meanwhile. */
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

    /** Begins to read. */
    void start(RuleBootstrap source) {
        Thread started = threads.newThread(() -> read(source));
        synchronized (lock) {
            if (closed) {
                return;
            }
            reading = true;
            thread = started;
        }
        started.start();
    }

    /** Whether it reads, and the broadcast waits. */
    boolean reading() {
        synchronized (lock) {
            return reading;
        }
    }

    private void read(RuleBootstrap source) {
        try {
            source.read(this);
            stream.order(stream::ended);
        } catch (InterruptedException e) {
            LOG.debug("the bootstrap of {} ends", name); // by end alone
        } catch (Throwable e) {
            if (wanted()) {
                stream.order(() -> stream.failed(e));
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
    public void unreadable(DeadLetter letter) {
        stream.order(() -> stream.unreadable(letter));
    }

    /** Rules are in force, or nobody follows them any more: nothing more is wanted. */
    void enough() {
        synchronized (lock) {
            reading = false;
            lock.notifyAll();
        }
    }

    /** What the job begins with is in force, or cannot be served. */
    void goOn() {
        synchronized (lock) {
            pausing = false;
            lock.notifyAll();
        }
    }

    @Override
    public void broadcastBeginsEarlier() {
        stream.order(stream::broadcastBeginsEarlier);
    }

    @Override
    public void startReached() {
        synchronized (lock) {
            pausing = true;
        }
        stream.order(stream::startReached);
    }

    @Override
    public boolean wanted() {
        synchronized (lock) {
            return reading && !closed;
        }
    }

    /** Ends the reading, for good. Does not wait for it. */
    void end() {
        Thread running;
        synchronized (lock) {
            closed = true;
            running = thread;
            lock.notifyAll();
        }
        if (running != null) {
            running.interrupt();
        }
    }
}
