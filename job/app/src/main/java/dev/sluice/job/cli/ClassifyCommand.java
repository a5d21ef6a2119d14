package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.schemas.codec.PacketField;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice classify}: verdicts on captures, without Kafka and Flink. */
@Command(
        name = "classify",
        description = {
            "Tells for every packet of captures which rule it hits, on the CPU of this machine, without Kafka and Flink. "
                    + "It writes the same verdict file as replay, and also reads standard input as it comes.",
            "Without --verdicts the lines go to standard output and the summary to stderr.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ClassifyCommand extends SluiceCommand implements Interruptible {
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();

    @Mixin private JudgingOptions judging = new JudgingOptions();

    @ArgGroup private Lines lines = new Lines();

    /** One of these at most. */
    private static final class Lines {
        @Option(
                names = "--verdicts",
                paramLabel = "OUT.tsv",
                description = "Write one line for every packet, in capture order, to this file.")
        private @Nullable Path verdicts;

        @Option(
                names = "--summary",
                description = "Print only the summary, to standard output: no line a packet.")
        private boolean summaryOnly;
    }

    @Option(
            names = "--follow",
            description =
                    "Go on as the capture grows, until Ctrl-C, which is then no failure; of one capture.")
    private boolean follow;

    @Option(
            names = "--denied",
            description =
                    "Write lines of packets that are denied, and no others: by a policy's outcome, or where rules stand for themselves by an action drop, deny, reject, discard or block. sluice report counts them by rule, source and service.")
    private boolean denied;

    @Option(
            names = "--fields",
            paramLabel = "FIELDS",
            description =
                    "Columns of a line beside the verdict: 5-tuple, and fields such as ip-src, frame-length or ttl, which docs/fields.md lists; frame-length where sluice report is to count bytes.")
    private @Nullable VerdictFields fields;

    @Mixin private ConnectionRowOptions rows = new ConnectionRowOptions();

    @Mixin private SummaryOptions summary = new SummaryOptions();

    private boolean interrupted;

    @Override
    public Integer call() throws Exception {
        requireUse();
        List<Path> files = captures.files;
        List<CaptureSource> sources = CaptureSource.all(files);
        PrintWriter err = err();
        try (CaptureHits hits = judging.open(err, rows.areKept());
                ConnectionRowOptions kept = rows.open(hits, files, follow);
                Interruption interruption = new Interruption();
                CaptureFeed feed = new CaptureFeed(sources, follow, stating(hits)::newBatch)) {
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
                summary.print(hits.summary(files, ends, seconds), printsLines() ? err : out());
            } // else nothing was read, and the report says why
            return report(ends, err) ? 0 : 1;
        }
    }

    /** Makes batches state the fields of the lines. */
    private CaptureHits stating(CaptureHits hits) {
        if (fields != null) {
            hits.stating(PacketField.wordBits(fields.fields()));
        }
        return hits;
    }

    /** Tells whether lines of verdicts go to standard output. */
    private boolean printsLines() {
        return lines.verdicts == null && !lines.summaryOnly && !summary.json;
    }

    private void requireUse() {
        OutputPath.requireOtherThanStandardOutput(captures.files);
        List<Path> reads = new ArrayList<>(captures.files);
        reads.addAll(judging.rules.files());
        OutputPath.require("--verdicts", lines.verdicts, reads);
        if ((denied || fields != null)
                && (lines.summaryOnly || summary.json && lines.verdicts == null)) {
            throw new UsageException(
                    "--denied and --fields are of lines a packet, which --summary and --json leave out; for counts use sluice report");
        }
        if (fields != null && (fields.actions() || fields.fields().isEmpty())) {
            throw new UsageException(
                    "--fields: name fields of packets, as in 5-tuple,frame-length; lines have the action always");
        }
        rows.requireUse(reads, lines.verdicts, printsLines());
        if (follow && captures.files.size() > 1) {
            throw new UsageException("--follow is of one capture; name one");
        }
    }

    /** Classifies all; false if the lines' reader has gone. */
    private boolean write(CaptureFeed feed, CaptureHits hits, Interruption interruption)
            throws InterruptedException {
        List<Path> files = captures.files;
        List<String> names = files.stream().map(Path::toString).toList();
        VerdictText text =
                VerdictText.of(names, hits, rows.notes)
                        .with(
                                fields == null ? List.of() : fields.fields(),
                                denied ? VerdictChoice.denied(hits) : null);
        PrintedLines printed = new PrintedLines(out());
        boolean quiet = Console.isTerminal() && printsLines();
        try (Progress progress = quiet ? null : new Progress(err(), "classifying")) {
            VerdictRun run = new VerdictRun(feed, hits, follow, interruption::isAsked, progress);
            if (printsLines()) {
                run.write(printed, text, printed::isUnread);
            } else if (lines.verdicts == null) {
                run.count();
            } else {
                lines.verdicts = run.write(lines.verdicts, text, CaptureSource.areLive(files));
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
        if (lines.verdicts != null) {
            err.println("sluice: verdicts are in " + lines.verdicts);
        }
        rows.report(err);
        return clean;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
