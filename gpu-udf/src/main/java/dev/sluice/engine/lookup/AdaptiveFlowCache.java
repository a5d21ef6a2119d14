package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A {@link FlowCache} that comes into use by itself, and is left again. Each thread decides for its
 * own traffic: now and then a few batches go through the cache; unless some of their headers repeat
 * they end there, else batches with and without the cache are timed in turns. The cache is used
 * from then on if it takes clearly less time, and left if it hardly does; so long as it is of no
 * use, trials become rarer, and in the end the thread's memory is given back between them. Batches
 * are counted, so that idle threads do nothing; small ones are not tried with. What a thread has
 * decided stays where another classifier takes the place of the one behind ({@link #next}), as when
 * changed rules are compiled anew several times a second.
 *
 * <p>Answers are those of the classifier behind it, always. Thread-safe: threads share nothing but
 * counters.
 */
public final class AdaptiveFlowCache implements Classifier, CacheCounts {
    /**
     * When trials come and what decides.
     *
     * @param first batches before the first trial
     * @param interval batches between trials, doubled after each without use
     * @param mostInterval batches between trials at most
     * @param smallest headers of a batch that a trial counts, at least
     */
    public record Pace(int first, int interval, int mostInterval, int smallest) {
        /** Less than one batch in a hundred goes through a cache that is of no use. */
        public static final Pace STANDARD = new Pace(32, 512, 8192, 64);
    }

    private static final int MOST_ENTRIES = 1 << 16;
    private static final int LEAST_ENTRIES = 1 << 10;

    /** Bytes of a thread's entries, so that they stay in a core's cache. */
    private static final long MOST_BYTES = 2L << 20;

    /** Batches that fill the cache before a trial goes on. */
    private static final int FILLING = 4;

    /** Share of the last one's headers that must repeat. */
    private static final double LEAST_HITS = 0.1;

    /** Timed batches with the cache, and as many without. */
    private static final int TIMED = 7;

    /** Share of the time without it below which the cache comes into use. */
    private static final double TURN_ON = 0.9;

    /** Share from which on it is left. */
    private static final double TURN_OFF = 0.98;

    /**
     * Trials to the end that may fail before they become rarer: the first ones time code that is
     * not compiled yet.
     */
    private static final int EARLY = 16;

    private static final int NO_TRIAL = -1;

    private final Classifier inner;
    private final FlowCache cache;
    private final Pace pace;
    private final LongSupplier nanos;
    private final Habit habit;
    private final int number;
    private final LongAdder looked = new LongAdder();

    /** A cache in front of a classifier, not in use. */
    public AdaptiveFlowCache(Classifier inner) {
        this(inner, Pace.STANDARD, System::nanoTime);
    }

    /**
     * A cache with a clock and a pace of one's own.
     *
     * @param nanos the time in nanoseconds, from any moment on
     */
    public AdaptiveFlowCache(Classifier inner, Pace pace, LongSupplier nanos) {
        this(inner, pace, nanos, new Habit(pace));
    }

    private AdaptiveFlowCache(Classifier inner, Pace pace, LongSupplier nanos, Habit habit) {
        this.inner = inner;
        this.cache = new FlowCache(inner, entries(inner));
        this.pace = pace;
        this.nanos = nanos;
        this.habit = habit;
        this.number = habit.caches.getAndIncrement();
    }

    /**
     * An empty cache in front of the classifier that takes this one's place for the same traffic:
     * threads go on as they had decided, and their trials stay as rare.
     */
    public AdaptiveFlowCache next(Classifier successor) {
        return new AdaptiveFlowCache(successor, pace, nanos, habit);
    }

    private static int entries(Classifier inner) {
        long most = MOST_BYTES / (4L * (inner.layout().size() + 1));
        return Math.max(LEAST_ENTRIES, (int) Long.highestOneBit(Math.min(MOST_ENTRIES, most)));
    }

    /** State that caches which take each other's place have in common. */
    private static final class Habit {
        final ThreadLocal<Trials> ofThread;
        final LongAdder turnedOn = new LongAdder();
        final LongAdder turnedOff = new LongAdder();

        /** Tells the caches apart. */
        final AtomicInteger caches = new AtomicInteger();

        Habit(Pace pace) {
            ofThread = ThreadLocal.withInitial(() -> new Trials(pace));
        }
    }

    /** Findings of a thread so far. */
    private static final class Trials {
        final double[] with = new double[TIMED];
        final double[] without = new double[TIMED];
        boolean on;

        /** Number of the cache that the trial under way is of. */
        int cache;

        /** Batches of the trial under way, {@link #NO_TRIAL} between trials. */
        int step = NO_TRIAL;

        /** Batches until the next trial. */
        int left;

        int interval;

        /** Trials to the end that failed. */
        int failed;

        /** True if the last trial said that the cache in use is not worth it. */
        boolean doubted;

        Trials(Pace pace) {
            left = pace.first;
            interval = pace.interval;
        }
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        Trials own = habit.ofThread.get();
        if (own.cache != number) {
            own.cache = number;
            if (own.step != NO_TRIAL) { // the trial of another one comes to nothing
                own.step = NO_TRIAL;
                own.left = pace.first;
            }
        }
        int n = headers.size();
        looked.add(n);
        if (n < pace.smallest) {
            answer(own.on, headers, verdicts);
        } else if (own.step == NO_TRIAL) {
            answer(own.on, headers, verdicts);
            if (--own.left <= 0) {
                own.step = 0;
            }
        } else if (own.step < FILLING) {
            long hits = cache.classifyCounting(headers, verdicts);
            if (++own.step == FILLING && hits < LEAST_HITS * n) {
                end(own, false);
            }
        } else {
            time(own, headers, verdicts);
        }
    }

    private void answer(boolean on, HeaderBatch headers, VerdictBatch verdicts) {
        if (on) {
            cache.classify(headers, verdicts);
        } else {
            inner.classify(headers, verdicts);
        }
    }

    private void time(Trials own, HeaderBatch headers, VerdictBatch verdicts) {
        int batch = own.step++ - FILLING;
        boolean with = batch % 2 == 0;
        long start = nanos.getAsLong();
        answer(with, headers, verdicts);
        long elapsed = nanos.getAsLong() - start;
        (with ? own.with : own.without)[batch / 2] = (double) elapsed / headers.size();
        if (batch == 2 * TIMED - 1) {
            double share = own.on ? TURN_OFF : TURN_ON;
            boolean useful = median(own.with) < share * median(own.without);
            if (own.on && !useful && !own.doubted) {
                // Once may be a disturbance: the next trial decides.
                own.doubted = true;
                own.step = NO_TRIAL;
                own.left = pace.first;
                return;
            }
            own.doubted = false;
            boolean early = !useful && own.failed++ < EARLY;
            end(own, useful);
            own.left = early ? Math.min(own.left, pace.first) : own.left;
            own.interval = early ? pace.interval : own.interval;
        }
    }

    /** Middle of some numbers, which it sorts. */
    private static double median(double[] of) {
        Arrays.sort(of);
        return of[of.length / 2];
    }

    private void end(Trials own, boolean useful) {
        if (useful) {
            if (!own.on) {
                habit.turnedOn.increment();
            }
            own.interval = pace.interval;
        } else {
            if (own.on) {
                habit.turnedOff.increment();
            }
            own.interval = own.on ? pace.interval : Math.min(pace.mostInterval, 2 * own.interval);
            if (own.interval == pace.mostInterval) {
                cache.forget();
            }
        }
        own.on = useful;
        own.step = NO_TRIAL;
        own.left = own.interval;
    }

    @Override
    public Image image() {
        return inner.image();
    }

    /** Returns the bytes of the classifier behind it: entries are a thread's, and few. */
    @Override
    public long bytes() {
        return inner.bytes();
    }

    @Override
    public double hitRate() {
        long all = looked.sum();
        return all == 0 ? 0 : (double) cache.hits() / all;
    }

    @Override
    public long turnedOn() {
        return habit.turnedOn.sum();
    }

    @Override
    public long turnedOff() {
        return habit.turnedOff.sum();
    }
}
