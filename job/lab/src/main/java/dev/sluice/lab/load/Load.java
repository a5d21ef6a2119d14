package dev.sluice.lab.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.ExitHook;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;

/**
 * A load of a topic at a pace.
 *
 * @param rate headers a second; 0: as fast as it can
 * @param lastsNanos time after which it ends
 * @param headers after which it ends
 * @param cut of its blocks
 */
record Load(double rate, long lastsNanos, long headers, BlockCycle.Cut cut) {
    private static final long LOOK_MILLIS = 200;
    private static final long STOP_MILLIS = 60_000;

    /** Cuts headers into the blocks of this load. */
    BlockCycle cycle(LoadHeaders from) {
        return new BlockCycle(from, cut, headers);
    }

    /** Loads a topic, and returns the totals. */
    ObjectNode run(TopicLoad.Target to, BlockCycle cycle, PrintWriter err)
            throws InterruptedException {
        Pacer pacer = new Pacer(rate, lastsNanos, LoadClock.system());
        try (Progress progress = new Progress(err, "loading", "headers");
                TopicLoad load =
                        new TopicLoad(to, i -> cycle.feed(i, to.producers()), pacer, headers)) {
            Thread main = Thread.currentThread();
            ExitHook atExit = new ExitHook(() -> stop(load, main));
            try (atExit) {
                watch(load, pacer, progress, err);
            } catch (SluiceException e) {
                throw new SluiceException(
                        "%s; the topic holds at most %s of this load"
                                .formatted(
                                        e.getMessage(),
                                        Amount.of(load.count().headers(), "header")),
                        e);
            }
            LoadCount count = load.count();
            progress.at(count.headers(), count.headers(), true);
            long nanos = rate > 0 ? count.lastNanos() : load.storedAfterNanos();
            return totals(count, nanos / 1e9, rate, pacer.movedNanos() / 1e9);
        }
    }

    /**
     * Returns the totals of a load.
     *
     * @param seconds from the start to the last block that was sent; where no rate was set, until
     *     all was stored
     * @param rate headers a second that were wanted; 0: as fast as it can
     * @param givenUp seconds of its lateness that the load did not make up for
     */
    static ObjectNode totals(LoadCount count, double seconds, double rate, double givenUp) {
        double late = rate > 0 ? Math.max(0, seconds - count.headers() / rate) : 0;
        return JsonOption.object()
                .put("headers", count.headers())
                .put("blocks", count.blocks())
                .put("bytes", count.bytes())
                .put("seconds", seconds)
                .put("headers_per_second", count.headers() / Math.max(1e-9, seconds))
                .put("wanted_per_second", rate > 0 ? Double.valueOf(rate) : null)
                .put("late_seconds", late)
                .put("given_up_seconds", givenUp);
    }

    /** Waits for the end, and tells how far the load is. */
    private void watch(TopicLoad load, Pacer pacer, Progress progress, PrintWriter err)
            throws InterruptedException {
        boolean told = false;
        boolean known = headers != Long.MAX_VALUE;
        try {
            while (!load.await(LOOK_MILLIS)) {
                long sent = load.count().headers();
                progress.at(sent, known ? headers : sent, known);
                if (!told && pacer.movedNanos() > 0) {
                    told = true;
                    err.printf(
                            "sluice: the load is more than a second behind its rate of %,.0f headers/s, which is not made up for; the totals will say how much%n",
                            pacer.rate());
                }
            }
        } catch (InterruptedException e) {
            load.stop(); // whoever interrupts wants the end, not the loss of what was sent
            load.await(STOP_MILLIS);
        }
    }

    /** At Ctrl-C: ends the load, and leaves the process to the command, which prints the totals. */
    private static void stop(TopicLoad load, Thread main) {
        load.stop();
        try {
            main.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
