package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.classify.VerdictWriter;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.CaptureSum;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.Pace;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.OutputFile;
import dev.sluice.job.replay.Progress;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice classify}: verdicts on captures, without Kafka and Flink. */
@Command(
        name = "classify",
        description = {
            "Tells for every packet of captures which rule it hits, on the CPU of this machine, without Kafka and Flink: "
                    + "the verdict file that replay writes, from a captured file, or from standard input as it comes.",
            "Without --verdicts the lines go to standard output and the summary to stderr.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ClassifyCommand implements Callable<Integer>, Interruptible {
    private static final long WAIT_MILLIS = 100;

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Spec private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4, or patterns in quotes as 'day/**/*.pcap'; FIFOs, too, and - for standard input.")
    private List<Path> captures = List.of();

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--verdicts",
            paramLabel = "OUT.tsv",
            description = "Write one line for every packet, in capture order, to this file.")
    private @Nullable Path verdicts;

    @Option(
            names = "--summary",
            description = "Print only the summary, to standard output: no line a packet.")
    private boolean summaryOnly;

    @Option(
            names = "--follow",
            description =
                    "Go on as the capture grows, until Ctrl-C, which is then no failure; of one capture.")
    private boolean follow;

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets, which captures do not tell.")
    private @Nullable Integer inPort;

    @Mixin private SummaryOptions summary = new SummaryOptions();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private boolean interrupted;

    @Override
    public Integer call() throws Exception {
        requireUse();
        List<CaptureSource> sources = CaptureSource.all(captures);
        RuleSet rules =
                ruleOptions
                        .read(spec.commandLine().getErr())
                        .toRuleSet(ruleOptions.file().toString(), 1, ruleOptions.defaultAction());
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        headers.warn(rules.rules(), err);
        try (CaptureHits hits = new CaptureHits(rules, headers.parsing(), inPort)) {
            long start = System.nanoTime();
            List<CaptureEnd> ends;
            try (Interruption interruption = new Interruption();
                    CaptureFeed feed = new CaptureFeed(sources, follow, hits::newBatch)) {
                reading = true;
                if (!write(feed, hits, rules, interruption)) {
                    return 0; // nobody reads our output any more
                }
                ends = feed.ends();
                double seconds = (System.nanoTime() - start) / 1e9;
                summary.print(summary(rules, hits, ends, seconds), printsLines() ? err : out);
                return report(ends, err) ? 0 : 1;
            }
        }
    }

    /** Tells whether lines of verdicts go to standard output. */
    private boolean printsLines() {
        return verdicts == null && !summaryOnly && !summary.isJson();
    }

    private HitSummary summary(
            RuleSet rules, CaptureHits hits, List<CaptureEnd> ends, double seconds) {
        List<CaptureSum> sums = new ArrayList<>();
        for (int i = 0; i < captures.size(); i++) {
            CaptureEnd end = i < ends.size() ? ends.get(i) : null;
            sums.add(hits.capture(i, captures.get(i).toString(), end));
        }
        long dead = hits.unclassified();
        Outcomes outcomes =
                new Outcomes(
                        Map.of(VerdictStatus.OK, hits.packets() - dead),
                        Set.of(),
                        rules.defaultAction(),
                        hits.deadLetters());
        return new HitSummary(
                new KnownRules("", rules, Map.of()),
                hits.take(),
                sums,
                outcomes,
                hits.shutTunnels(),
                Pace.of(hits.packets(), seconds));
    }

    private void requireUse() {
        UsageException.requirePort("--in-port", inPort);
        if (verdicts != null && summaryOnly) {
            throw new UsageException("--summary writes no verdicts; leave out --verdicts");
        }
        OutputPath.requireOtherThanStandardOutput(captures);
        if (verdicts != null) {
            OutputPath.requireFile("--verdicts", verdicts);
            OutputPath.requireOther("--verdicts", verdicts, captures);
            OutputPath.requireOther("--verdicts", verdicts, ruleOptions.files());
        }
        if (follow && captures.size() > 1) {
            throw new UsageException("--follow is of one capture; name one");
        }
    }

    /** Classifies all; false if the lines' reader has gone. */
    private boolean write(
            CaptureFeed feed, CaptureHits hits, RuleSet rules, Interruption interruption)
            throws InterruptedException {
        List<String> names = captures.stream().map(Path::toString).toList();
        VerdictText text = new VerdictText(names, rules);
        if (verdicts == null && !printsLines()) {
            classify(feed, hits, interruption, (batch, found) -> feed.giveBack(batch), () -> false);
            return true;
        }
        if (verdicts == null) {
            Printed printed = new Printed(spec.commandLine().getOut());
            try (VerdictWriter lines = new VerdictWriter(printed, text, feed::giveBack)) {
                classify(feed, hits, interruption, lines::take, () -> printed.unread);
            }
            return !printed.unread;
        }
        try (OutputFile file = follow ? OutputFile.growing(verdicts) : new OutputFile(verdicts)) {
            try (VerdictWriter lines = new VerdictWriter(file, text, feed::giveBack)) {
                classify(feed, hits, interruption, lines::take, () -> false);
            }
            if (interrupted && !CaptureSource.areLive(captures)) {
                verdicts = file.keep();
            } else {
                file.complete();
            }
        }
        return true;
    }

    /** Lines on standard output, whose reader may go. */
    private static final class Printed implements LineBytes.Output {
        private final PrintWriter out;
        private volatile boolean unread;

        Printed(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(LineBytes lines) {
            if (out instanceof Utf8Writer bytes) {
                bytes.write(lines);
            } else {
                out.append(lines.toString());
            }
            flush(); // looks whether somebody reads
        }

        @Override
        public void flush() {
            unread |= out.checkError();
        }
    }

    /** Takes a batch over with its verdicts, which are good until the next call. */
    private interface Lines {
        void take(CaptureBatch batch, int[] found) throws InterruptedException;
    }

    /** Classifies until all is read, nobody wants more, or the process is to end. */
    private void classify(
            CaptureFeed feed,
            CaptureHits hits,
            Interruption interruption,
            Lines lines,
            BooleanSupplier unread)
            throws InterruptedException {
        boolean quiet = Console.isTerminal() && printsLines();
        try (Progress progress =
                quiet ? null : new Progress(spec.commandLine().getErr(), "classifying")) {
            while (!feed.isFinished() && !unread.getAsBoolean()) {
                if (interruption.isAsked()) {
                    interrupted = true;
                    feed.stop();
                    if (progress != null) {
                        progress.at(hits.packets(), hits.packets(), follow);
                    }
                    return;
                }
                CaptureBatch batch = feed.next(WAIT_MILLIS);
                if (batch != null) {
                    lines.take(batch, hits.classify(batch));
                }
                if (progress != null) {
                    progress.at(hits.packets(), feed.share());
                }
            }
            if (progress != null) { // there may have been nothing to classify
                progress.at(hits.packets(), hits.packets(), feed.isFinished());
            }
        }
    }

    private boolean report(List<CaptureEnd> ends, PrintWriter err) {
        boolean clean = CaptureEnds.report(captures, ends, err);
        if (interrupted) {
            err.println("sluice: interrupted; every packet up to there was classified");
            clean &= follow; // which ends so
        }
        if (verdicts != null) {
            err.println("sluice: verdicts are in " + verdicts);
        }
        return clean;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
