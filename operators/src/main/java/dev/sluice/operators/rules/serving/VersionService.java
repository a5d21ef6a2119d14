package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.operators.rules.topic.RuleSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Versions of the rules, ready for look-ups, which the subtasks of a process share: a service for
 * each attempt of a job to run an operator. {@link RuleStream} serves the newest version that is
 * ready, {@link SharedTimeline} the one that was in force at a time.
 *
 * <p>A service is made for its first user, and given back after its last by a thread of its own:
 * nobody waits for a build that is under way. The services belong to the class loader of the job,
 * as static fields do: two jobs never share one. Thread-safe.
 */
public abstract class VersionService {
    /**
     * Common ground of subtasks that share a service.
     *
     * @param job id of the job
     * @param operator id of the operator
     * @param attempt of the attempt to run the operator; another after every failure and rescaling
     * @param device which of the devices that the operator may use, counted from 0: each has an
     *     engine of its own, and the subtasks are spread over them
     */
    public record Key(String job, String operator, String attempt, int device) {}

    /**
     * Common beginning of a service; only the first subtask's counts, as all have the same.
     *
     * @param name of the operator, for threads and the log
     * @param options how rules are served
     * @param instance number of the first engine among those that may share devices
     * @param source reads the rules topic beside the job; null: nothing does
     * @param beside whether there is no broadcast: the source is followed as long as the service is
     *     open, no packet waits for rules, and dead letters are in the log alone
     */
    public record Start(
            String name,
            EngineOptions options,
            int instance,
            @Nullable RuleSource source,
            boolean beside) {
        /** Beginning of a service whose rules a broadcast brings, too. */
        public Start(
                String name, EngineOptions options, int instance, @Nullable RuleSource source) {
            this(name, options, instance, source, false);
        }

        /** An engine without rules. */
        RuleServer open() {
            return PolicyServer.open(options, instance);
        }
    }

    /**
     * Figures of a service, at one moment.
     *
     * @param wanted newest version of the rules' content; -1 before the first
     * @param inForce newest version that can be served; -1 before the first
     * @param pending versions of the content after the one in force
     * @param refused versions that could not be served, so far
     * @param dropped transactions and messages that were malformed, so far
     * @param histories histories that took the place of another, so far
     * @param engine what the engine counts
     */
    public record Figures(
            long wanted,
            long inForce,
            int pending,
            long refused,
            long dropped,
            int histories,
            EngineFigures engine) {
        /** Figures before the first rules. */
        public static final Figures NONE = new Figures(-1, -1, 0, 0, 0, 0, EngineFigures.NONE);

        /** These figures with what the engine counts now. */
        Figures with(EngineFigures now) {
            return new Figures(wanted, inForce, pending, refused, dropped, histories, now);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(VersionService.class);

    /** Services that have users; guarded by itself. */
    private static final Map<Key, VersionService> OPEN = new HashMap<>();

    /** Services without users that are not given back so far; guarded by {@link #OPEN}. */
    private static int closing;

    /** Name of the operator, for threads and the log. */
    final String name;

    /** Runs builds, one at a time. */
    final ExecutorService builder;

    /** Guarded by {@link #OPEN}. */
    private int users;

    private volatile @Nullable Throwable failure;

    VersionService(String name) {
        this.name = name;
        this.builder =
                Executors.newSingleThreadExecutor(run -> daemon(run, "rule builder of " + name));
    }

    /** A thread that does not keep the process alive. */
    public static Thread daemon(Runnable run, String name) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        return thread;
    }

    /** A thread that carries out orders one by one; orders after its end are passed over. */
    static ScheduledExecutorService orderThread(String name) {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        run -> daemon(run, name),
                        (order, ended) -> LOG.debug("{} has ended meanwhile", name));
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** The service of a key, which has one user more. */
    static <S extends VersionService> S acquire(Key key, Class<S> type, Supplier<S> maker) {
        synchronized (OPEN) {
            VersionService service = OPEN.get(key);
            if (service == null) {
                service = maker.get();
                OPEN.put(key, service);
            }
            service.users++;
            return type.cast(service);
        }
    }

    /** One user less. None of its batches may be under way any more. */
    final void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.values().remove(this);
            closing++;
        }
        new Thread(this::end, "end of the rules of " + name).start();
    }

    private void end() {
        try {
            stop();
            builder.shutdown();
            while (!builder.awaitTermination(1, TimeUnit.MINUTES)) {
                LOG.info("a build of rules that nobody waits for is still under way in {}", name);
            }
            giveBack();
        } catch (InterruptedException | RuntimeException e) {
            LOG.warn("the rules of {} were not given back", name, e);
        } finally {
            synchronized (OPEN) {
                closing--;
                OPEN.notifyAll();
            }
        }
    }

    /** Ends the thread that follows the rules, if there is one: it gives the builder work. */
    abstract void stop() throws InterruptedException;

    /** Closes versions and engines; no thread uses them any more. */
    abstract void giveBack();

    /** The rules cannot be followed any more. */
    final void failed(Throwable why) {
        LOG.error("the rules of {} cannot be followed", name, why);
        failure = why;
    }

    /**
     * Looks whether the rules are followed.
     *
     * @throws IllegalStateException if they cannot be any more; the task is to fail
     */
    final void requireFollowed() {
        Throwable why = failure;
        if (why != null) {
            throw new IllegalStateException("the rules of " + name + " cannot be followed", why);
        }
    }

    /** Waits until all services without users are given back; for tests. */
    static void awaitClosed() throws InterruptedException {
        synchronized (OPEN) {
            while (closing > 0) {
                OPEN.wait();
            }
        }
    }

    /** Services that have users; for tests. */
    static int open() {
        synchronized (OPEN) {
            return OPEN.size();
        }
    }
}
