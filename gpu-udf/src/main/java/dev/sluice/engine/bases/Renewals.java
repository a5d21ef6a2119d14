package dev.sluice.engine.bases;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.versions.VersionedRules;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compiles new bases in the background when much has changed since the last one, or copies the
 * overlay to a new one when most of it is dead.
 *
 * <p>The rules as of one version are compiled while others go on to change them; what they change
 * is noted, and brought into the copy in rounds ({@link Renewal}). The last, short round is made
 * with the engine's lock held; then the version in force is replaced by one of the same number over
 * the new base. Older versions keep the old one until they are closed, and until then no other
 * renewal begins, so that two bases live at most.
 *
 * <p>A failure leaves everything as it is; after a pause it is tried again.
 */
public final class Renewals {
    private static final Logger LOG = LoggerFactory.getLogger(Renewals.class);

    /** Noted changes that are brought over with the lock held. */
    private static final int SHORT_ROUND = 1000;

    /** Rounds after which the last one is made however long it is. */
    private static final int MOST_ROUNDS = 12;

    /** The rules in force; its methods are called with the lock held. */
    public interface InForce {
        /** The rules that the version in force is a version of. */
        VersionedRules rules();

        /** Holds the version in force once more. */
        HeldVersion hold();

        /** Replaces the version in force by one of the same number over another base. */
        void replace(ServedBase base, VersionedRules rules);
    }

    private final InForce inForce;
    private final Object lock;
    private final long budgetBytes;
    private final RenewalBounds bounds;
    private final ScheduledThreadPoolExecutor background;

    // Guarded by the lock.
    private @Nullable Renewal underWay;
    private @Nullable VersionedRules frozen;
    private boolean lookingAgain;
    private int failures;
    private long notBeforeNanos = System.nanoTime();

    /** Tasks that were handed over, and those of them that run. */
    private int tasks;

    private int running;
    private @Nullable Runnable atTheEnd;
    private long done;
    private @Nullable Throwable failure;

    /**
     * Renewals of the rules in force.
     *
     * @param lock guards the rules in force
     * @param budgetBytes bytes that what changes may grow to
     */
    public Renewals(InForce inForce, Object lock, long budgetBytes, RenewalBounds bounds) {
        this.inForce = inForce;
        this.lock = lock;
        this.budgetBytes = budgetBytes;
        this.bounds = bounds;
        // Two: one may compile for long while rules that were loaded are prepared for removals.
        this.background =
                new ScheduledThreadPoolExecutor(
                        2,
                        run -> {
                            Thread thread = new Thread(run, "new rule bases");
                            thread.setDaemon(true);
                            return thread;
                        });
        background.setKeepAliveTime(5, TimeUnit.SECONDS);
        background.allowCoreThreadTimeOut(true);
        background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Rules were loaded; with the lock held.
     *
     * @param before the rules in force before, if there were any
     */
    public void loaded(ServedBase base, @Nullable VersionedRules before) {
        underWay = null;
        frozen = before;
        failures = 0;
        notBeforeNanos = System.nanoTime();
        tasks++;
        background.execute(() -> counted(base::buildAll));
    }

    private void counted(Runnable task) {
        synchronized (lock) {
            if (isClosed()) {
                return;
            }
            running++;
        }
        try {
            task.run();
        } finally {
            synchronized (lock) {
                tasks--;
                running--;
                lock.notifyAll();
                Runnable end = atTheEnd;
                if (end != null && running == 0) {
                    end.run();
                }
            }
        }
    }

    private boolean isClosed() {
        return atTheEnd != null;
    }

    /** The rules took a delta; with the lock held. */
    public void note(RuleDelta delta) {
        Renewal renewal = underWay;
        if (renewal != null) {
            renewal.note(delta);
        }
    }

    /** Begins a renewal if it is time; with the lock held. */
    public void consider() {
        if (underWay != null || isClosed()) {
            return;
        }
        VersionedRules rules = inForce.rules();
        boolean much = rules.overlaySize() > bounds.most(rules.size());
        boolean worn = rules.isWorn();
        if (!much && !worn) {
            return;
        }
        VersionedRules old = frozen;
        long wait = notBeforeNanos - System.nanoTime();
        if (old != null && old.isInUse() || wait > 0 && !worn) {
            lookAgain(wait);
            return;
        }
        frozen = null;
        Renewal renewal = new Renewal(rules);
        underWay = renewal;
        boolean whole = much && wait <= 0;
        HeldVersion version = inForce.hold();
        try {
            tasks++;
            background.execute(() -> counted(() -> run(renewal, version, whole)));
        } catch (RejectedExecutionException e) {
            tasks--;
            underWay = null;
            version.close(); // the engine is being closed
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is scheduled throws nothing
    private void lookAgain(long waitNanos) {
        if (lookingAgain) {
            return;
        }
        lookingAgain = true;
        long millis = Math.max(20, TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1);
        try {
            Future<?> unused = background.schedule(this::lookNow, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            lookingAgain = false; // the engine is being closed
        }
    }

    private void lookNow() {
        synchronized (lock) {
            lookingAgain = false;
            consider();
        }
    }

    /**
     * Makes a renewal, in the background.
     *
     * @param whole whether a new base is compiled, or only the overlay copied
     */
    private void run(Renewal renewal, HeldVersion version, boolean whole) {
        long start = System.nanoTime();
        ServedBase base = version.base();
        boolean replaced = false;
        try {
            VersionedRules to;
            try (version) {
                if (whole) {
                    base = base.next(version.rules());
                    to = prepared(base);
                    to.reserve(version.versioned());
                } else {
                    to = version.versioned().copy(version.view(), budgetBytes);
                }
            }
            base.follow(to);
            replaced = catchUp(renewal, base, to);
            base.ended(to); // where it did not come into force
            if (replaced && whole) {
                LOG.debug(
                        "new base of '{}': {} rules in {} ms",
                        base.base().rules().name(),
                        base.base().size(),
                        (System.nanoTime() - start) / 1_000_000);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            failed(renewal, version.name(), e);
        } finally {
            if (whole && !replaced && base != version.base()) {
                base.drop();
            }
            synchronized (lock) {
                if (underWay == renewal) {
                    underWay = null;
                }
                if (whole && replaced) {
                    long now = System.nanoTime();
                    int cores = Runtime.getRuntime().availableProcessors();
                    notBeforeNanos = now + RenewalBounds.restNanos(now - start, cores);
                }
                if (!isClosed()) {
                    consider();
                }
            }
        }
    }

    private VersionedRules prepared(ServedBase base) {
        base.buildAll();
        if (!base.awaitRemovals()) {
            throw new IllegalStateException(
                    "second looks need more memory than the budget of %,d bytes"
                            .formatted(budgetBytes));
        }
        return new VersionedRules(base.base(), budgetBytes);
    }

    /** Brings the copy up to date and puts it in force; false if the rules are others by now. */
    private boolean catchUp(Renewal renewal, ServedBase base, VersionedRules to) {
        for (int round = 0; ; round++) {
            List<RuleDelta> deltas;
            synchronized (lock) {
                if (isClosed() || underWay != renewal) {
                    return false;
                }
                boolean last = renewal.size() <= SHORT_ROUND || round >= MOST_ROUNDS;
                deltas = renewal.take();
                if (deltas.stream().anyMatch(delta -> !to.hasWordsOf(delta))) {
                    // Rules went whose words only later rules look at again: the base is made anew.
                    return false;
                }
                if (last) {
                    deltas.forEach(to::apply);
                    putInForce(renewal, base, to);
                    return true;
                }
            }
            Renewal.united(deltas, to).forEach(to::apply);
        }
    }

    private void putInForce(Renewal renewal, ServedBase base, VersionedRules to) {
        inForce.replace(base, to);
        frozen = renewal.from();
        failures = 0;
        failure = null;
        done++;
    }

    private void failed(Renewal renewal, String name, Throwable e) {
        synchronized (lock) {
            if (isClosed() || underWay != renewal) {
                return;
            }
            failures++;
            long pause = bounds.pauseMillis(failures);
            notBeforeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
            failure = e;
            LOG.warn(
                    "no new base of '{}'; everything stays as it is, next try in {} ms",
                    name,
                    pause,
                    e);
        }
    }

    /** Renewals that came into force. */
    public long done() {
        synchronized (lock) {
            return done;
        }
    }

    /** Failure of the last one; null if it did not fail. */
    public @Nullable Throwable failure() {
        synchronized (lock) {
            return failure;
        }
    }

    /** Waits until nothing is under way. */
    public void await() throws InterruptedException {
        synchronized (lock) {
            while (tasks > 0) {
                lock.wait();
            }
        }
    }

    /**
     * Begins nothing more; with the lock held.
     *
     * @param end is run when nothing else runs any more, now or later
     */
    public void close(Runnable end) {
        atTheEnd = end;
        underWay = null;
        background.shutdownNow();
        if (running == 0) {
            end.run();
        }
    }
}
