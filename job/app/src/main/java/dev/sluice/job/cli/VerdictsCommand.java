package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.read.NamedPackets;
import dev.sluice.job.read.RuleHistory;
import dev.sluice.job.read.VerdictFilter;
import dev.sluice.job.read.VerdictForm;
import dev.sluice.job.read.VerdictRow;
import dev.sluice.job.read.VerdictRows;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketField;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice verdicts}: the verdicts topic, a line a packet. */
@Command(
        name = "verdicts",
        description = {
            "Prints the committed verdicts of a topic, a line a packet, whichever form they have. What a "
                    + "block does not say of its rules (line, priority, action, text) comes from the rules topic.",
            "Packets of one flow come in their order. Exit status 1 if a message cannot be read; it is "
                    + "named and passed over. A topic that begins with other messages is not read on.",
            ""
        })
final class VerdictsCommand implements Callable<Integer>, Interruptible {
    private static final String DEFAULT_FIELDS = "5-tuple,frame-length";

    @Spec private CommandSpec spec;

    @Mixin
    private TopicOptions topics =
            new TopicOptions(TopicOptions.Topic.VERDICTS, TopicOptions.Topic.RULES);

    @Mixin private ReadOptions read = new ReadOptions();

    @Mixin private RowOptions rows = new RowOptions();

    @Option(
            names = "--fields",
            paramLabel = "FIELDS",
            description = {
                "Fields of packets to print, of those that the job sends (run --verdict-fields), by the same names",
                "(default: " + DEFAULT_FIELDS + "; in json all that are there)."
            })
    private @Nullable String fields;

    @Option(
            names = "--rule",
            paramLabel = "ID|LINE",
            description =
                    "Only verdicts of this rule, by its id or its line; none: those that no rule matched.")
    private @Nullable String rule;

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description = "Only verdicts with this action, in the words of the rule file.")
    private @Nullable String action;

    @Option(
            names = "--address",
            paramLabel = "CIDR",
            description =
                    "Only packets from or to these addresses: 10.1.2.3, 10.1.0.0/16, 2001:db8::/32.")
    private @Nullable String address;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description =
                    "Only verdicts with this status: classified, no-rules, history-deleted, late, unknown.")
    private @Nullable String status;

    @Option(
            names = "--version",
            paramLabel = "N",
            description = "Only verdicts of this version of the rules.")
    private @Nullable Long version;

    @Option(
            names = "--history",
            paramLabel = "ID",
            description =
                    "Only verdicts of versions of this rule history, by its id or the beginning of it, as rules log has it.")
    private @Nullable String history;

    /** Its own, since --version means another thing here than everywhere else. */
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean help;

    @Override
    public Integer call() {
        VerdictFilter filter = filter();
        RowForm<VerdictRow> form = form();
        PrintWriter err = spec.commandLine().getErr();
        LinesOut out = new LinesOut(spec.commandLine().getOut(), read.limit());
        String rulesTopic = topics.name(TopicOptions.Topic.RULES);
        try (KafkaAccess access = new KafkaAccess(topics.kafka())) {
            access.requireReadable(rulesTopic);
        }
        try (Interruption interruption = read.interruption();
                TopicScan scan =
                        read.scan(topics.kafka(), topics.name(TopicOptions.Topic.VERDICTS));
                RuleHistory rules = new RuleHistory(topics.kafka(), rulesTopic);
                NamedPackets packets = new NamedPackets(topics.kafka())) {
            RowsOut<VerdictRow> printed = rows.open(form, out);
            Printer printer =
                    new Printer(
                            new VerdictRows(read.schemaIds(), rules, packets),
                            filter,
                            printed,
                            err,
                            read.until(interruption));
            scan.forEach(printer);
            printed.flush();
            if (filter.withoutAddress() > 0) {
                err.printf(
                        "sluice: without an address in the verdict: %s; a job has them there by --verdict-fields 5-tuple%n",
                        Amount.of(filter.withoutAddress(), "packet"));
            }
            if (filter.notIp() > 0) {
                err.printf(
                        "sluice: without an IP address, as of ARP, and so not from or to %s: %s%n",
                        address, Amount.of(filter.notIp(), "packet"));
            }
            if (rules.passedOver() > 0) {
                err.printf(
                        "sluice: malformed, and so without an effect on the rules: %s of %s%n",
                        Amount.of(rules.passedOver(), "message"), rulesTopic);
            }
            read.sayInterrupted(interruption, err);
            return printer.unreadable == 0 ? 0 : 1;
        }
    }

    @Override
    public @Nullable String whereItStands() {
        return read.whereItStands();
    }

    private VerdictFilter filter() {
        VerdictFilter filter = new VerdictFilter();
        if (rule != null) {
            filter.rule(rule);
        }
        if (action != null) {
            filter.action(action);
        }
        if (address != null) {
            filter.address(address);
        }
        if (status != null) {
            filter.status(status);
        }
        if (version != null) {
            UsageException.requireAtLeast("--version", version, 0);
            filter.version(version);
        }
        if (history != null) {
            filter.history(history);
        }
        return filter;
    }

    private RowForm<VerdictRow> form() {
        List<PacketField> columns =
                VerdictOptions.parse("--fields", fields == null ? DEFAULT_FIELDS : fields).fields();
        return VerdictForm.of(columns, fields == null ? PacketField.values() : columns);
    }

    /** Prints the rows of messages; names messages that cannot be read. */
    private static final class Printer implements TopicScan.Visitor {
        private final VerdictRows rows;
        private final VerdictFilter filter;
        private final RowsOut<VerdictRow> out;
        private final PrintWriter err;
        private final BooleanSupplier ended;
        private long unreadable;

        Printer(
                VerdictRows rows,
                VerdictFilter filter,
                RowsOut<VerdictRow> out,
                PrintWriter err,
                BooleanSupplier ended) {
            this.ended = ended;
            this.rows = rows;
            this.filter = filter;
            this.out = out;
            this.err = err;
        }

        @Override
        public boolean take(ConsumerRecord<byte[], byte[]> message) {
            if (ended.getAsBoolean()) {
                return false;
            }
            byte[] value = message.value() == null ? new byte[0] : message.value();
            try {
                return rows.visit(value, this::print);
            } catch (MalformedMessageException e) {
                unreadable++;
                err.printf(
                        "sluice: offset %d of partition %d of %s: %s: %s%n",
                        message.offset(),
                        message.partition(),
                        message.topic(),
                        e.reason(),
                        e.detail());
                String held = rows.heldInstead();
                if (held == null) {
                    return true;
                }
                err.printf(
                        "sluice: and more; %s holds %s: check --verdicts-topic%n",
                        message.topic(), held);
                return false;
            }
        }

        private boolean print(VerdictRow row) {
            return !filter.chooses(row) || out.row(row);
        }

        @Override
        public boolean pause() {
            return out.flush() && !ended.getAsBoolean();
        }
    }
}
