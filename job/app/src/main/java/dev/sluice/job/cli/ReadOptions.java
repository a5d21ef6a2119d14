package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.read.SchemaIds;
import dev.sluice.job.watch.Interruption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of all commands that print a topic. */
final class ReadOptions {
    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = "earliest",
            description =
                    "earliest, latest, or a time of Kafka's messages, such as 2026-11-22T14:00:00Z (default ${DEFAULT-VALUE}).")
    private String from = "earliest";

    @Option(
            names = "--follow",
            description =
                    "Go on at the end and wait for more, until Ctrl-C, which is then no failure.")
    private boolean follow;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Stop after N lines (default: no limit).")
    @Range(from = 1)
    long limit = Long.MAX_VALUE;

    @Option(
            names = "--schema-id",
            paramLabel = "ID=NAME",
            description =
                    "Schema of messages that begin with a 0 and a registry's schema id, as run --schema-id writes them: 7=VerdictBlock, or 7=VerdictBlock.1 for an older version; may be given more than once.")
    private List<String> schemaIds = new ArrayList<>();

    TopicScan scan(KafkaClients kafka, String topic) {
        return new TopicScan(kafka, topic, from, follow);
    }

    /** Ctrl-C as the end of a command that follows, else null: then it ends the process. */
    @Nullable Interruption interruption() {
        return follow ? new Interruption() : null;
    }

    /** Tells when a following command is to end. */
    BooleanSupplier until(@Nullable Interruption interruption) {
        return () -> interruption != null && interruption.isAsked();
    }

    /** The last line of a command that Ctrl-C has ended, as {@code --follow} ends. */
    void sayInterrupted(@Nullable Interruption interruption, PrintWriter err) {
        if (until(interruption).getAsBoolean()) {
            err.println("sluice: interrupted: what came up to here is printed");
        }
    }

    /** Describes the progress of an interrupted command; a following command reports it itself. */
    @Nullable String whereItStands() {
        return follow ? Interruptible.ITSELF : null;
    }

    SchemaIds schemaIds() {
        return SchemaIds.parse(schemaIds);
    }
}
