package dev.sluice.job.cli;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.OutcomeChange;
import dev.sluice.job.report.OutcomeChanges;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.ReportColumn;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.report.UnmetPairs;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.PolicyOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice whatif}: what a change of rules would do to captured packets. */
@Command(
        name = "whatif",
        description = {
            "Tells what a change of rules would do to the packets of captures, or of a running job: judges each packet by the rules of before and of after, and counts those with another outcome "
                    + "by pair of rules, source and service. sluice rules diff --semantic compares rules without traffic.",
            "An outcome is permit, deny, depends or not-judged; of rules that stand for themselves permit, deny or another action. "
                    + "A connection is counted if a packet of it has another outcome; docs/guide/ask.md tells which packets are one.",
            "Exit status 1 if there is a difference of --fail-on, a capture did not end cleanly, or a message cannot be read.",
            ""
        })
final class WhatIfCommand extends SluiceCommand implements Interruptible {
    @Parameters(
            arity = "0..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4, or patterns in quotes as 'day/**/*.pcap'; none: the packets topic is read.")
    private List<Path> captures = List.of();

    @Mixin private PacketsTopicOptions topic = new PacketsTopicOptions();
    @Mixin private RulePairOptions rules = new RulePairOptions();
    @Mixin private JudgedPackets packets = new JudgedPackets();
    @Mixin private TopOptions tops = new TopOptions();
    @Mixin private UnmetOption unmet = new UnmetOption();
    @Mixin private FailOnOption failOn = new FailOnOption();
    @Mixin private RowOptions form = new RowOptions(RowOptions.Format.MARKDOWN);
    @Mixin private ChangePageOption page = new ChangePageOption();

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Override
    public Integer call() throws InterruptedException {
        boolean ofTopic = topic.isGiven(captures);
        Path before = rules.old();
        Path after = rules.fresh();
        PacketCounts<OutcomeChange> counts =
                tops.counts(
                        EnumSet.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE));
        TopReport<OutcomeChange> report = tops.report(counts, LabelForm.CHANGES);
        List<CaptureSource> sources = CaptureSource.all(captures);
        page.requireUse(captures, before, after);
        PolicyOptions options = packets.options(ofTopic);
        List<JudgedPackets.Rules> both =
                List.of(
                        packets.read(rules, before, options, err()),
                        packets.read(rules, after, options, err()));
        List<CaptureHits> sides =
                ofTopic ? packets.ofTopic(both, err()) : packets.open(both, false, err());
        List<String> names = new ArrayList<>();
        captures.forEach(file -> names.add(file.toString()));
        try (CaptureHits old = sides.get(0);
                CaptureHits fresh = sides.get(1);
                ChangePageOption asked = page.open(captures, names, old, fresh, tops.keep());
                Interruption interruption = new Interruption()) {
            old.stating(OutcomeChanges.WORDS | fresh.wordBits());
            OutcomeChanges changes = new OutcomeChanges(names, old, fresh, counts, tops.keep());
            ComparedPackets compared =
                    new ComparedPackets(
                            old,
                            fresh,
                            (batch, was, is) -> {
                                changes.add(batch, was, is);
                                asked.see(batch, was, is);
                            },
                            interruption::isAsked,
                            err());
            reading = true;
            List<CaptureEnd> ends = new ArrayList<>();
            boolean clean =
                    ofTopic ? compared.read(topic, names) : compared.read(captures, sources, ends);
            if (old.packets() > 0 || clean) {
                UnmetPairs others = unmet.find(changes, rules, options);
                print(report, changes, others, old);
                asked.write(report, others, old.summary(captures, ends, 0), before, after, err());
            }
            boolean broken = interruption.isAsked();
            if (broken) {
                say("interrupted; every packet up to there was compared");
            }
            boolean fails =
                    failOn.fails(changes.mayDeny(), changes.mayPermit(), !changes.isEmpty());
            return clean && !broken && !fails ? 0 : 1;
        }
    }

    private void print(
            TopReport<OutcomeChange> report,
            OutcomeChanges changes,
            UnmetPairs others,
            CaptureHits old) {
        others.print(report, rows -> form.open(rows, LinesOut.all(out()), rows::markdown));
        say(report.describe(changes.describe(old.packets())));
        Stream.of(others.describe(report.counts()))
                .filter(words -> !words.isEmpty())
                .forEach(this::say);
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
