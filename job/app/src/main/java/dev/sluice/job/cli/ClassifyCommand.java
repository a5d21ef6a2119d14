package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.CaptureSum;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.Pace;
import dev.sluice.job.replay.OutputFile;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Spec private CommandSpec spec;

    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();

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

    @Mixin private InPortOption inPort = new InPortOption();

    @Mixin private SummaryOptions summary = new SummaryOptions();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private boolean interrupted;

    @Override
    public Integer call() throws Exception {
        requireUse();
        List<CaptureSource> sources = CaptureSource.all(captures.files());
        PrintWriter err = spec.commandLine().getErr();
        RuleSet rules = ruleOptions.readSet(headers, err);
        try (CaptureHits hits = new CaptureHits(rules, headers.parsing(), inPort.number())) {
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
                summary.print(
                        summary(rules, hits, ends, seconds),
                        printsLines() ? err : spec.commandLine().getOut());
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
        for (int i = 0; i < captures.files().size(); i++) {
            CaptureEnd end = i < ends.size() ? ends.get(i) : null;
            sums.add(hits.capture(i, captures.files().get(i).toString(), end));
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
        if (verdicts != null && summaryOnly) {
            throw new UsageException("--summary writes no verdicts; leave out --verdicts");
        }
        OutputPath.requireOtherThanStandardOutput(captures.files());
        if (verdicts != null) {
            OutputPath.requireFile("--verdicts", verdicts);
            OutputPath.requireOther("--verdicts", verdicts, captures.files());
            OutputPath.requireOther("--verdicts", verdicts, ruleOptions.files());
        }
        if (follow && captures.files().size() > 1) {
            throw new UsageException("--follow is of one capture; name one");
        }
    }

    /** Classifies all; false if the lines' reader has gone. */
    private boolean write(
            CaptureFeed feed, CaptureHits hits, RuleSet rules, Interruption interruption)
            throws InterruptedException {
        List<Path> files = captures.files();
        VerdictText text = new VerdictText(files.stream().map(Path::toString).toList(), rules);
        PrintWriter err = spec.commandLine().getErr();
        boolean quiet = Console.isTerminal() && printsLines();
        try (Progress progress = quiet ? null : new Progress(err, "classifying")) {
            VerdictRun run = new VerdictRun(feed, hits, follow, interruption::isAsked, progress);
            boolean read = true;
            if (printsLines()) {
                PrintedLines lines = new PrintedLines(spec.commandLine().getOut());
                run.write(lines, text, lines::isUnread);
                read = !lines.isUnread();
            } else if (verdicts == null) {
                run.count();
            } else {
                try (OutputFile file =
                        follow ? OutputFile.growing(verdicts) : new OutputFile(verdicts)) {
                    run.write(file, text, () -> false);
                    if (run.isInterrupted() && !CaptureSource.areLive(files)) {
                        verdicts = file.keep();
                    } else {
                        file.complete();
                    }
                }
            }
            interrupted = run.isInterrupted();
            return read;
        }
    }

    private boolean report(List<CaptureEnd> ends, PrintWriter err) {
        boolean clean = CaptureEnds.report(captures.files(), ends, err);
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
