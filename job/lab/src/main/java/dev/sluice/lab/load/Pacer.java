package dev.sluice.lab.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Says when blocks are sent. At a rate r, a block that ends with header n of the load is due n / r
 * after the start: when its last header would have come. All senders share a pacer, so that their
 * blocks follow one another as they do in the load.
 *
 * <p>A load that is late catches up at 1.25 times the rate, by the generic cell rate algorithm
 * (ITU-T I.371): two blocks may follow each other at once, or what a quarter of a millisecond has
 * room for, where a block takes less than a machine's timer can tell; no more. What it is late by
 * more than a second is not made up for: the schedule moves, which {@link #movedNanos} tells.
 *
 * <p>Waiting threads rest. Thread-safe.
 */
public final class Pacer {
    /** Lateness from which on the schedule moves. */
    static final long MOST_LATE_NANOS = 1_000_000_000L;

    private static final double CATCH_UP = 1.25;
    private static final long TIMER_NANOS = 250_000;

    /** Longest rest, after which a waiting sender sees that the load was stopped. */
    private static final long LOOK_NANOS = 50_000_000;

    private final LoadClock clock;
    private final double rate;
    private final double nanosAHeader;
    private final long lasts;

    /** Time at which the load began, or would have begun to be on time now. */
    private final AtomicLong origin = new AtomicLong();

    /** Before this no further block is sent, whatever is due. */
    private final AtomicLong free = new AtomicLong();

    private volatile long start;
    private volatile long moved;
    private volatile boolean stopped;

    /**
     * A pacer.
     *
     * @param rate headers a second; 0: as fast as it can
     * @param lastsNanos how long the load goes on; {@link Long#MAX_VALUE}: without end
     */
    public Pacer(double rate, long lastsNanos, LoadClock clock) {
        this.rate = rate;
        this.nanosAHeader = rate > 0 ? 1e9 / rate : 0;
        this.lasts = lastsNanos;
        this.clock = clock;
    }

    /** Begins the schedule: call it once, before any other. */
    public void start() {
        start = clock.nanos();
        origin.set(start);
        free.set(start);
    }

    /** Time in ns since the start. */
    long elapsedNanos() {
        return clock.nanos() - start;
    }

    /** Returns the clock. */
    LoadClock clock() {
        return clock;
    }

    /** Headers a second; 0: as fast as it can. */
    double rate() {
        return rate;
    }

    /** By how much the schedule was moved in all, ns. */
    long movedNanos() {
        return moved;
    }

    /** Ends the load: nobody waits any longer. */
    public void stop() {
        stopped = true;
    }

    /**
     * Waits until a block is due.
     *
     * @param end headers of the load up to the block's last one
     * @param headers of the block
     * @return false if the load's time is over before, or the load was stopped
     */
    boolean await(long end, int headers) {
        if (rate <= 0) {
            return !stopped && elapsedNanos() < lasts;
        }
        long offset = (long) (end * nanosAHeader);
        long began = origin.get();
        while (clock.nanos() < began + offset) {
            if (!restUntil(began + offset)) {
                return false;
            }
            began = origin.get(); // another sender may have been late
        }
        long late = clock.nanos() - began - offset;
        if (late > MOST_LATE_NANOS && origin.compareAndSet(began, began + late)) {
            move(late);
        }
        long turn = turn((long) (headers * nanosAHeader / CATCH_UP));
        while (clock.nanos() < turn) {
            if (!restUntil(turn)) {
                return false;
            }
        }
        return !stopped && elapsedNanos() <= lasts;
    }

    /** Rests until a time, or for a while; false if the load ends before that time. */
    private boolean restUntil(long time) {
        if (stopped || time - start > lasts) {
            return false;
        }
        clock.rest(Math.min(time - clock.nanos(), LOOK_NANOS));
        return true;
    }

    private synchronized void move(long late) {
        moved += late;
    }

    /** Takes the next time at which a block may be sent that is due. */
    private long turn(long gap) {
        long ahead = Math.max(gap, TIMER_NANOS);
        while (true) {
            long next = free.get();
            long turn = Math.max(next, clock.nanos() - ahead);
            if (free.compareAndSet(next, turn + gap)) {
                return turn;
            }
        }
    }
}
