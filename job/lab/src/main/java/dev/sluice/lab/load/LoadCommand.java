package dev.sluice.lab.load;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.BlockOptions;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.Interruptible;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.cli.Times;
import dev.sluice.lab.kit.Results;
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

    @Override
    public Integer call() throws InterruptedException {
        Load load = load();
        BlockCycle cycle = load.cycle(source.read(load.headers(), err()));
        TopicLoad.Target to = target.connect(blocks.shards(), err());
        Results.print(out(), json, load.run(to, cycle, err()));
        return 0;
    }

    private Load load() {
        source.check();
        int shards = blocks.shards();
        int blockSize = blocks.blockSize();
        if ((long) shards * blockSize > MOST_FILLING) {
            throw new UsageException(
                    "--shards %d with --block-size %d: blocks of all flow shards may hold %,d headers at most; lower one of them"
                            .formatted(shards, blockSize, MOST_FILLING));
        }
        target.check(shards);
        return new Load(
                rate == null ? 0 : rate,
                lasts == null ? Long.MAX_VALUE : lasts.toNanos(),
                headers == null ? Long.MAX_VALUE : headers,
                new BlockCycle.Cut(
                        name == null ? source.name() : name, shards, blocks.by(), blockSize));
    }

    @Override
    public boolean feedsJob() {
        return true;
    }

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
