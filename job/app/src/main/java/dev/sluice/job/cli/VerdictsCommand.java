package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.read.NamedPackets;
import dev.sluice.job.read.RuleHistory;
import dev.sluice.job.read.VerdictFilter;
import dev.sluice.job.read.VerdictForm;
import dev.sluice.job.read.VerdictPrinter;
import dev.sluice.job.read.VerdictRow;
import dev.sluice.job.read.VerdictRows;
import dev.sluice.job.report.CountedRows;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.RuleLabel;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import dev.sluice.job.watch.Interruption;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.PacketField;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice verdicts}: the verdicts topic, a line a packet. */
@Command(
        name = "verdicts",
        description = {
            "Prints the committed verdicts of a topic, a line a packet. What a block does not say of its rules "
                    + "(line, priority, action, text) comes from the rules topic.",
            "Packets of one flow come in their order. A message that cannot be read is reported and skipped, and "
                    + "the exit status is then 1. A topic that begins with other messages is refused.",
            ""
        })
final class VerdictsCommand extends SluiceCommand implements Interruptible {
    private static final String DEFAULT_FIELDS = "5-tuple,frame-length";

    @Mixin
    private TopicOptions topics =
            new TopicOptions(TopicOptions.Topic.VERDICTS, TopicOptions.Topic.RULES);

    @Mixin private ReadOptions read = new ReadOptions();

    @Mixin private RowOptions rows = new RowOptions();

    @Option(
            names = "--fields",
            paramLabel = "FIELDS",
            description =
                    "Fields of packets to print, of those that the job sends (run --verdict-fields), by the same names (default: "
                            + DEFAULT_FIELDS
                            + "; in json all that are there).")
    private @Nullable VerdictFields fields;

    @Mixin private VerdictFilterOptions filter = new VerdictFilterOptions();

    @Mixin private TopOptions tops = new TopOptions();

    /** Its own, since --version means another thing here than everywhere else. */
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean help;

    @Override
    public Integer call() {
        boolean isCounting = tops.isGiven();
        VerdictFilter chosen = filter.toFilter();
        PacketCounts<RuleLabel> counts = tops.counts(Set.of());
        TopReport<RuleLabel> report = tops.report(counts, LabelForm.RULES);
        RowForm<VerdictRow> form = form();
        LinesOut out = new LinesOut(out(), read.limit);
        String rulesTopic = topics.name(TopicOptions.Topic.RULES);
        KafkaAccess.requireReadable(topics.kafka(), rulesTopic);
        try (Interruption interruption = read.interruption();
                TopicScan scan =
                        read.scan(topics.kafka(), topics.name(TopicOptions.Topic.VERDICTS));
                RuleHistory rules = new RuleHistory(topics.kafka(), rulesTopic);
                NamedPackets packets = new NamedPackets(topics.kafka())) {
            CountedRows counted = new CountedRows(counts, read.limit);
            RowsOut<VerdictRow> printed = isCounting ? counted : rows.open(form, out);
            VerdictPrinter printer =
                    new VerdictPrinter(
                            new VerdictRows(read.schemaIds(), rules, packets),
                            chosen,
                            printed,
                            err(),
                            read.until(interruption));
            scan.forEach(printer);
            printed.flush();
            if (isCounting) {
                report.print(top -> rows.open(top, LinesOut.all(out())));
                say(report.describe(Amount.of(counts.packets(), "verdict")));
            }
            if (counted.withoutAddress() + chosen.withoutAddress() > 0) {
                err().printf(
                                "sluice: without an address in the verdict: %s; a job has them there by --verdict-fields 5-tuple%n",
                                Amount.of(
                                        counted.withoutAddress() + chosen.withoutAddress(),
                                        "packet"));
            }
            if (chosen.notIp() > 0) {
                err().printf(
                                "sluice: without an IP address, as of ARP, and so not from or to %s: %s%n",
                                filter.address, Amount.of(chosen.notIp(), "packet"));
            }
            if (rules.passedOver() > 0) {
                err().printf(
                                "sluice: malformed, and so without an effect on the rules: %s of %s%n",
                                Amount.of(rules.passedOver(), "message"), rulesTopic);
            }
            read.sayInterrupted(interruption, err());
            return printer.unreadable() == 0 ? 0 : 1;
        }
    }

    @Override
    public @Nullable String whereItStands() {
        return read.whereItStands();
    }

    private RowForm<VerdictRow> form() {
        List<PacketField> columns =
                (fields == null ? VerdictFields.parse(DEFAULT_FIELDS) : fields).fields();
        return VerdictForm.of(columns, fields == null ? PacketField.values() : columns);
    }
}
