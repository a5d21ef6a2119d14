package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.report.CapturedCounts;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.ReportColumn;
import dev.sluice.job.report.RuleLabel;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.report.VerdictLines;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice report}: who was denied by which line. */
@Command(
        name = "report",
        description = {
            "Counts the packets that a policy denies by rule, source and service: who was denied by which line. It judges captures, or reads verdict files "
                    + "that classify --fields 5-tuple wrote. sluice verdicts --by counts the verdicts of a job.",
            "Denied is the outcome deny of a policy; where rules stand for themselves, an action drop, deny, reject, discard or block.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ReportCommand extends SluiceCommand implements Interruptible {
    @Parameters(
            arity = "1..*",
            paramLabel = "CAPTURE|VERDICTS",
            description =
                    "Captures, as of sluice classify, or verdict files (tab-separated); of verdict files --rules adds the texts of rules.")
    private List<Path> files = List.of();

    @Mixin private JudgingOptions judging = new JudgingOptions();
    @Mixin private TopOptions tops = new TopOptions();

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description =
                    "Count packets with this action in place of denied ones, in the words of the rule file.")
    private @Nullable String action;

    @Option(
            names = "--outcome",
            paramLabel = "OUTCOME",
            description =
                    "Count packets with this outcome by a policy in place of denied ones: permit, deny, depends, not-judged.")
    private @Nullable VerdictOutcome outcome;

    @Mixin private RowOptions form = new RowOptions();

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Override
    public Integer call() throws InterruptedException {
        Set<ReportColumn> usual =
                EnumSet.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE);
        PacketCounts<RuleLabel> counts = tops.counts(usual);
        TopReport<RuleLabel> report = tops.report(counts, LabelForm.RULES);
        long verdictFiles = files.stream().filter(VerdictLines::isVerdicts).count();
        if (verdictFiles == 0) {
            return captures(counts, report) ? 0 : 1;
        }
        if (verdictFiles < files.size()) {
            throw new UsageException("name captures or verdict files, not both");
        }
        if (!judging.rules.isGiven()) {
            String why =
                    "judges captures; leave it out, or name captures (of verdict files --rules adds texts)";
            GivenOptions.refuse(spec(), "judging", why);
        }
        List<Rule> texts =
                judging.rules.isGiven() ? judging.readSet(err()).seen().rules() : List.of();
        VerdictLines lines = new VerdictLines(counts, action, outcome, texts);
        files.forEach(lines::read);
        print(report, lines.packets(), lines.depends(), lines.deadLetters());
        return 0;
    }

    private boolean captures(PacketCounts<RuleLabel> counts, TopReport<RuleLabel> report)
            throws InterruptedException {
        List<CaptureSource> sources = CaptureSource.all(files);
        try (CaptureHits hits = judging.open(err());
                Interruption interruption = new Interruption()) {
            VerdictChoice chosen =
                    action == null && outcome == null
                            ? VerdictChoice.denied(hits)
                            : new VerdictChoice(hits, null, action, outcome);
            CapturedCounts counter = new CapturedCounts(hits, chosen, counts);
            List<CaptureEnd> ends;
            boolean broken;
            try (Progress progress = new Progress(err(), "counting");
                    CaptureFeed feed = new CaptureFeed(sources, false, hits::newBatch)) {
                reading = true;
                VerdictRun run = new VerdictRun(feed, hits, false, interruption::isAsked, progress);
                run.visit(counter::add);
                ends = feed.ends();
                broken = run.isInterrupted();
            }
            boolean clean = CaptureEnds.report(files, ends, err());
            if (hits.packets() > 0 || clean) {
                print(report, hits.packets(), counter.depends(), hits.unclassified());
            }
            if (broken) {
                say("interrupted; every packet up to there was counted");
            }
            return clean && !broken;
        }
    }

    private void print(TopReport<RuleLabel> report, long packets, long depends, long dead) {
        report.print(rows -> form.open(rows, LinesOut.all(out())));
        String word = action != null ? action : outcome != null ? outcome.label() : "denied";
        String counted =
                "%,d of %s: %s"
                        .formatted(report.counts().packets(), Amount.of(packets, "packet"), word);
        say(report.describe(counted));
        if (depends > 0 && action == null && outcome == null) {
            say("%,d more may be denied: --outcome depends counts those".formatted(depends));
        }
        if (dead > 0) {
            say("%,d of the packets cannot be classified; sluice headers says why".formatted(dead));
        }
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
