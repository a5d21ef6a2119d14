package dev.sluice.operators.rules.serving;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that runs orders in their order, and looks for more by itself now and then. */
final class OrderThread implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(OrderThread.class);

    private final String name;
    private final ScheduledThreadPoolExecutor executor;

    OrderThread(String name) {
        this.name = name;
        executor = new ScheduledThreadPoolExecutor(1, run -> VersionService.daemon(run, name));
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs a look again and again, with so many milliseconds between. It throws nothing. */
    void every(long millis, Runnable look) {
        var unused = executor.scheduleWithFixedDelay(look, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Runs an order later, which throws nothing; none after {@link #end}. */
    @Override
    public void execute(Runnable order) {
        try {
            executor.execute(order);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has ended meanwhile", name, e);
        }
    }

    /** Ends with the order that is under way. */
    void end() throws InterruptedException {
        executor.shutdown();
        executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }
}
