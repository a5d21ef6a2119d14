package dev.sluice.job.cli;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.OutcomeChange;
import dev.sluice.job.report.OutcomeChanges;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.ReportColumn;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.report.UnmetPairs;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.questions.SemanticDiff;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice whatif}: what a change of rules would do to the packets of captures. */
@Command(
        name = "whatif",
        description = {
            "Tells what a change of rules would do to the packets of captures: judges each packet by the rules of before and of after, and counts those with another outcome "
                    + "by pair of rules, source and service. sluice rules diff --semantic compares rules without traffic.",
            "An outcome is permit, deny, depends or not-judged; of rules that stand for themselves permit, deny or another action. "
                    + "A connection is counted if a packet of it has another outcome; docs/guide/ask.md tells which packets are one.",
            "Exit status 1 if there is a difference of --fail-on, or a capture did not end cleanly.",
            ""
        })
final class WhatIfCommand extends SluiceCommand implements Interruptible {
    @Mixin private CaptureArguments captures = new CaptureArguments();
    @Mixin private RulePairOptions rules = new RulePairOptions();
    @Mixin private JudgedPackets packets = new JudgedPackets();
    @Mixin private TopOptions tops = new TopOptions();

    @Option(
            names = "--unmet",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "List the N largest pairs of lines that decide otherwise about packets of which none was met, with the number of these packets and one of them; the others are counted; 0: do not look for them (default ${DEFAULT-VALUE}).")
    @Range(to = 1_000_000)
    private int unmet = 20;

    @Mixin private FailOnOption failOn = new FailOnOption();
    @Mixin private RowOptions form = new RowOptions(RowOptions.Format.MARKDOWN);

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Override
    public Integer call() throws InterruptedException {
        Path before = rules.old();
        Path after = rules.fresh();
        PacketCounts<OutcomeChange> counts =
                tops.counts(
                        EnumSet.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE));
        TopReport<OutcomeChange> report = tops.report(counts, LabelForm.CHANGES);
        List<CaptureSource> sources = CaptureSource.all(captures.files);
        List<CaptureHits> sides =
                packets.open(
                        List.of(
                                packets.read(rules, before, err()),
                                packets.read(rules, after, err())),
                        false,
                        err());
        try (CaptureHits old = sides.get(0);
                CaptureHits fresh = sides.get(1);
                Interruption interruption = new Interruption()) {
            old.stating(OutcomeChanges.WORDS | fresh.wordBits());
            OutcomeChanges changes =
                    new OutcomeChanges(
                            captures.files.stream().map(Path::toString).toList(),
                            old,
                            fresh,
                            counts,
                            tops.keep());
            List<CaptureEnd> ends;
            boolean broken;
            try (Progress progress = new Progress(err(), "comparing");
                    CaptureFeed feed =
                            new CaptureFeed(
                                    sources, false, () -> old.newBatch().with(fresh.newBatch()))) {
                reading = true;
                VerdictRun run = new VerdictRun(feed, old, false, interruption::isAsked, progress);
                run.visit(
                        (batch, found) ->
                                changes.add(batch, found, fresh.classify(batch.beside())));
                ends = feed.ends();
                broken = run.isInterrupted();
            }
            boolean clean = CaptureEnds.report(captures.files, ends, err());
            if (old.packets() > 0 || clean) {
                print(report, changes, unmet(changes), old);
            }
            if (broken) {
                say("interrupted; every packet up to there was compared");
            }
            boolean fails =
                    failOn.fails(changes.mayDeny(), changes.mayPermit(), !changes.isEmpty());
            return clean && !broken && !fails ? 0 : 1;
        }
    }

    /** Compares the files themselves. */
    private UnmetPairs unmet(OutcomeChanges changes) {
        PolicyOptions options = packets.options();
        if (unmet == 0) {
            return UnmetPairs.untold("");
        }
        if (options.translates() || options.assumed().host() != null) {
            return UnmetPairs.untold("files are compared without --nat and --host");
        }
        for (Path file : List.of(rules.old(), rules.fresh())) {
            Path one = RuleList.of(file).file();
            if (!Files.isRegularFile(one) && !Files.isDirectory(one)) {
                return UnmetPairs.untold(one + " is a pipe, which was read; write it into a file");
            }
        }
        SemanticDiff.Asked asked = new SemanticDiff.Asked(false, unmet, 0, rules.defaultAction());
        return UnmetPairs.of(
                changes,
                wanted -> {
                    try (OpenRules before = rules.reading.open(rules.old());
                            OpenRules after = rules.reading.open(rules.fresh())) {
                        return SemanticDiff.of(
                                before, after, rules.reading.ports.read(), options, asked, wanted);
                    }
                });
    }

    private void print(
            TopReport<OutcomeChange> report,
            OutcomeChanges changes,
            UnmetPairs others,
            CaptureHits old) {
        others.print(
                report, rows -> form.open(rows, LinesOut.all(out()), rows::markdown));
        say(report.describe(changes.describe(old.packets())));
        String more = others.describe(report.counts());
        if (!more.isEmpty()) {
            say(more);
        }
        if (old.unclassified() > 0) {
            say(
                    "%,d of the packets cannot be classified; sluice headers says why"
                            .formatted(old.unclassified()));
        }
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
