package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice classify}: verdicts on captures, without Kafka and Flink. */
@Command(
        name = "classify",
        description = {
            "Tells for every packet of captures which rule it hits, on the CPU of this machine, without Kafka and Flink. "
                    + "It writes the same verdict file as replay, and also reads standard input as it comes.",
            "Without --verdicts and --report the lines go to standard output and the summary to stderr.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ClassifyCommand extends SluiceCommand implements Interruptible {
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();

    @Mixin private JudgingOptions judging = new JudgingOptions();

    @Mixin private LineOptions lines = new LineOptions();

    @Option(
            names = "--follow",
            description =
                    "Go on as the capture grows, until Ctrl-C, which is then no failure; of one capture.")
    private boolean follow;

    @Mixin private ConnectionRowOptions rows = new ConnectionRowOptions();

    @Mixin private SummaryOptions summary = new SummaryOptions();
    @Mixin private CapturePageOption page = new CapturePageOption();

    private boolean interrupted;
    private @Nullable Path written;

    @Override
    public Integer call() throws Exception {
        requireUse();
        List<Path> files = captures.files;
        List<CaptureSource> sources = CaptureSource.all(files);
        PrintWriter err = err();
        try (CaptureHits hits = judging.open(err, rows.areKept());
                CapturePageOption asked = page.open(hits);
                ConnectionRowOptions kept = rows.open(hits, files, follow, asked.connections());
                Interruption interruption = new Interruption();
                CaptureFeed feed =
                        new CaptureFeed(sources, follow, lines.stating(hits)::newBatch)) {
            reading = true;
            long start = System.nanoTime();
            if (!write(feed, hits, interruption)) {
                kept.end(hits, false);
                rows.report(err);
                return 0; // nobody reads our output any more
            }
            kept.end(hits, !interrupted || CaptureSource.areLive(files));
            double seconds = (System.nanoTime() - start) / 1e9;
            List<CaptureEnd> ends = feed.ends();
            if (summary.json || hits.packets() > 0 || ends.stream().allMatch(CaptureEnd::isClean)) {
                HitSummary sums = hits.summary(files, ends, seconds);
                summary.print(sums, printsLines() ? err : out());
                asked.write(sums, files, judging, err);
            } // else nothing was read, and the report says why
            return report(ends, err) ? 0 : 1;
        }
    }

    private void requireUse() {
        OutputPath.requireOtherThanStandardOutput(captures.files);
        List<Path> reads = new ArrayList<>(captures.files);
        reads.addAll(judging.rules.files());
        lines.requireUse(summary.json || page.isAsked(), reads);
        rows.requireUse(reads, lines.file(), printsLines());
        page.requireUse(reads, lines.file());
        if (follow && captures.files.size() > 1) {
            throw new UsageException("--follow is of one capture; name one");
        }
    }

    private boolean printsLines() {
        return lines.arePrinted(summary.json || page.isAsked());
    }

    /** Classifies all; false if the lines' reader has gone. */
    private boolean write(CaptureFeed feed, CaptureHits hits, Interruption interruption)
            throws InterruptedException {
        List<Path> files = captures.files;
        VerdictText text = lines.of(files, hits, rows.notes);
        PrintedLines printed = new PrintedLines(out());
        boolean quiet = Console.isTerminal() && printsLines();
        try (Progress progress = quiet ? null : new Progress(err(), "classifying")) {
            VerdictRun run = new VerdictRun(feed, hits, follow, interruption::isAsked, progress);
            page.see(run);
            if (printsLines()) {
                run.write(printed, text, printed::isUnread);
            } else if (lines.file() == null) {
                run.count();
            } else {
                written = run.write(lines.file(), text, CaptureSource.areLive(files));
            }
            interrupted = run.isInterrupted();
            return !printed.isUnread();
        }
    }

    private boolean report(List<CaptureEnd> ends, PrintWriter err) {
        boolean clean = CaptureEnds.report(captures.files, ends, err);
        if (interrupted) {
            err.println("sluice: interrupted; every packet up to there was classified");
            clean &= follow; // which ends so
        }
        if (written != null) {
            err.println("sluice: verdicts are in " + written);
        }
        rows.report(err);
        return clean;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
