package dev.sluice.lab.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.BlockOptions;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.Interruptible;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.cli.Times;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.kit.ExitHook;
import dev.sluice.lab.kit.Results;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice load}: fills a packets topic, at a rate or as fast as it can. */
@Command(
        name = "load",
        description = {
            "Fills the packets topic of a Kafka cluster with blocks of headers, again and again, at a rate or as "
                    + "fast as it can: for so many headers, for a time, or until it is stopped.",
            "Packets are numbered in the order of the load, on through all repetitions. Their times are those of "
                    + "the load: they lie between the block of the flow shard before and the sending of their own.",
            ""
        })
public final class LoadCommand extends SluiceCommand implements Interruptible, CommandContribution {
    /** Headers that all flow shards' blocks may hold while they are filled: 100 MB. */
    private static final long MOST_FILLING = 1 << 20;

    private static final long LOOK_MILLIS = 200;
    private static final long STOP_MILLIS = 60_000;

    @Mixin private SourceOptions source = new SourceOptions();

    @Mixin private TargetOptions target = new TargetOptions();

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "Headers a second, as in 500k or 10M (default: as fast as it can). A block goes as a whole, when its last header is due. A load that is late catches up at 1.25 times the rate, but not for what it is late by more than a second; it says so.")
    @Range(from = 1)
    private @Nullable Long rate;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = Times.Pause.class,
            description = "How long to go on, as in 30s or 8h (default: until it is stopped).")
    private @Nullable Duration lasts;

    @Option(
            names = "--headers",
            paramLabel = "N",
            description = "How many headers to load, as in 100M (default: until it is stopped).")
    @Range(from = 1)
    private @Nullable Long headers;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private BlockOptions blocks = new BlockOptions();

    @Option(
            names = "--name",
            paramLabel = "TEXT",
            description =
                    "What blocks say that their headers come from; loads of one topic at a time need different ones to be told apart (default: the file).")
    private @Nullable String name;

    /** Checked options of a load. */
    private record Plan(double rate, long lastsNanos, long headers, BlockCycle.Cut cut) {}

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = err();
        Plan plan = plan();
        BlockCycle cycle =
                new BlockCycle(source.read(plan.headers(), err), plan.cut(), plan.headers());
        TopicLoad.Target to = target.connect(blocks.shards(), err);
        Results.print(out(), json, load(plan, to, cycle, err));
        return 0;
    }

    private Plan plan() {
        source.check();
        int shards = blocks.shards();
        int blockSize = blocks.blockSize();
        if ((long) shards * blockSize > MOST_FILLING) {
            throw new UsageException(
                    "--shards %d with --block-size %d: blocks of all flow shards may hold %,d headers at most; lower one of them"
                            .formatted(shards, blockSize, MOST_FILLING));
        }
        target.check(shards);
        return new Plan(
                rate == null ? 0 : rate,
                lasts == null ? Long.MAX_VALUE : lasts.toNanos(),
                headers == null ? Long.MAX_VALUE : headers,
                new BlockCycle.Cut(name == null ? source.name() : name, shards, blockSize));
    }

    private static ObjectNode load(
            Plan plan, TopicLoad.Target to, BlockCycle cycle, PrintWriter err)
            throws InterruptedException {
        Pacer pacer = new Pacer(plan.rate(), plan.lastsNanos(), LoadClock.system());
        try (Progress progress = new Progress(err, "loading", "headers");
                TopicLoad load =
                        new TopicLoad(
                                to, i -> cycle.feed(i, to.producers()), pacer, plan.headers())) {
            Thread main = Thread.currentThread();
            ExitHook atExit = new ExitHook(() -> stop(load, main));
            try (atExit) {
                watch(load, pacer, plan, progress, err);
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
            long nanos = plan.rate() > 0 ? count.lastNanos() : load.storedAfterNanos();
            return totals(count, nanos / 1e9, plan.rate(), pacer.movedNanos() / 1e9);
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
    private static void watch(
            TopicLoad load, Pacer pacer, Plan plan, Progress progress, PrintWriter err)
            throws InterruptedException {
        boolean told = false;
        boolean known = plan.headers() != Long.MAX_VALUE;
        try {
            while (!load.await(LOOK_MILLIS)) {
                long sent = load.count().headers();
                progress.at(sent, known ? plan.headers() : sent, known);
                if (!told && pacer.movedNanos() > 0) {
                    told = true;
                    err.printf(
                            "sluice: the load is more than a second behind its rate of %,.0f headers/s, which is not made up for; the totals will say how much%n",
                            pacer.rate());
                    err.flush();
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

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
