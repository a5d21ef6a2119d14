package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.FilteredCapture;
import dev.sluice.job.classify.PacketFilter;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice filter}: the packets of captures that have a certain verdict, as a capture. */
@Command(
        name = "filter",
        description = {
            "Writes the packets of a rule, an action or an outcome as a capture, unchanged. It also works in a pipe, between "
                    + "tcpdump -w - and tshark -r -.",
            "With several of --rule, --action and --outcome a packet must have all. Packets that cannot be classified are left out.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class FilterCommand extends SluiceCommand implements Interruptible {
    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();
    @Mixin private JudgingOptions judging = new JudgingOptions();

    @Option(
            names = "--rule",
            paramLabel = "LINE|ID",
            description =
                    "Packets of this rule, by its line or its id; none: those that no rule matches.")
    private @Nullable String rule;

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description =
                    "Packets with this action, in the words of the rule file, in upper or lower case; the default action counts, too.")
    private @Nullable String action;

    @Option(
            names = "--outcome",
            paramLabel = "OUTCOME",
            description =
                    "Packets with this outcome by a policy: permit, deny, depends, not-judged.")
    private @Nullable VerdictOutcome outcome;

    @Option(
            names = {"-w", "--write"},
            paramLabel = "OUT",
            required = true,
            description =
                    "The capture to write, - for standard output; gzip'd if it ends with .gz. For others pipe it: -w - | zstd > OUT.")
    private Path to = CaptureSource.STANDARD_INPUT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "pcapng (any link types, each packet with the name of its capture) or pcap (one link type) (default: pcap where OUT ends so, else pcapng).")
    private CaptureWriter.@Nullable Form format;

    @Mixin private JsonOption json = new JsonOption();

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Path> files = captures.files;
        requireUse(files);
        List<CaptureSource> sources = CaptureSource.all(files);
        try (CaptureHits hits = judging.open(err());
                FilteredCapture file = new FilteredCapture(to);
                Interruption interruption = new Interruption()) {
            VerdictChoice choice = new VerdictChoice(hits, rule, action, outcome);
            PacketFilter filter;
            List<CaptureEnd> ends;
            boolean broken;
            try (Progress progress = new Progress(err(), "filtering");
                    CaptureWriter out = file.open(format, files);
                    CaptureFeed feed =
                            new CaptureFeed(sources, false, () -> hits.newBatch().keeping())) {
                reading = true;
                filter = new PacketFilter(hits, choice, out);
                VerdictRun run = new VerdictRun(feed, hits, false, interruption::isAsked, progress);
                run.filter(filter);
                filter.flush();
                ends = feed.ends();
                broken = run.isInterrupted();
            } catch (UncheckedIOException e) {
                IOException why = Objects.requireNonNull(e.getCause());
                if (FilteredCapture.isStandardOutput(to) && StandardOutput.isUnread(why)) {
                    return 0; // nobody reads our output any more
                }
                throw file.failure(why);
            }
            to = file.complete(broken && !CaptureSource.areLive(files));
            return report(filter, ends, broken) ? 0 : 1;
        }
    }

    private void requireUse(List<Path> files) {
        FilteredCapture.requireName(to);
        if (rule == null && action == null && outcome == null) {
            throw new UsageException(
                    "--rule, --action or --outcome is missing: which packets are to be handed on?");
        }
        if (FilteredCapture.isStandardOutput(to) && Console.isTerminal()) {
            throw new UsageException(
                    "-w - writes a capture, and standard output is a terminal; name a file, or add | tshark -r -");
        }
        if (FilteredCapture.isStandardOutput(to)) {
            OutputPath.requireOtherThanStandardOutput(files);
        }
        OutputPath.requireOther("-w", to, files);
        OutputPath.requireOther("-w", to, judging.rules.files());
    }

    private boolean report(PacketFilter filter, List<CaptureEnd> ends, boolean broken) {
        PrintWriter last = FilteredCapture.isStandardOutput(to) ? err() : out();
        last.println(json.isGiven() ? filter.json(to) : filter.describe(to));
        boolean clean = CaptureEnds.report(captures.files, ends, err());
        filter.warnings().forEach(warning -> say(warning));
        if (broken) {
            say("interrupted; every packet up to there was filtered");
        }
        return clean && !broken;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
