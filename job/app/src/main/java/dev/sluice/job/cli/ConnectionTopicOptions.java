package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.classify.ConnectionFile.Format;
import dev.sluice.job.hits.InterfaceMap;
import dev.sluice.operators.classify.ConnectionOutput;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the topic that takes rows of connections. */
final class ConnectionTopicOptions {
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    @Option(
            names = "--connections-topic",
            paramLabel = "TOPIC",
            description =
                    "Write a row for each connection, also refused ones, to this topic, as in sluice-connections: at its end, and at intervals while it lives; of one key the last row counts; with --conntrack linux (docs/guide/stateful.md) (default: no rows).")
    private @Nullable String topic;

    @Option(
            names = "--connections-format",
            paramLabel = "FORMAT",
            description =
                    "Form of these messages: tsv, json or avro (the schema Connection) (default: avro).")
    private @Nullable Format format;

    @Option(
            names = "--connections-interval",
            paramLabel = "DURATION",
            converter = Times.Pause.class,
            description =
                    "Packet time after which a connection that goes on has another row, if it had packets: a number with ms, s, m, h or d behind it (default: 1m).")
    private @Nullable Duration interval;

    @Option(
            names = "--interfaces",
            paramLabel = "FILE",
            description =
                    "With --connections-topic: the file of --interfaces that packets are exported with, so that rows name the interface of the first packet (default: they name none).")
    private @Nullable Path interfaces;

    /** Name of the topic; null: none takes rows. */
    @Nullable String topic() {
        return topic;
    }

    /**
     * Returns how rows are written; null: none are.
     *
     * @param tracks whether connections are tracked
     * @throws UsageException if options do not go together
     */
    @Nullable ConnectionOutput toOptions(boolean tracks) {
        if (topic == null) {
            if (format != null || interval != null || interfaces != null) {
                throw new UsageException(
                        "--connections-format, --connections-interval, --interfaces: add --connections-topic TOPIC");
            }
            return null;
        }
        if (!tracks) {
            throw new UsageException(
                    "--connections-topic: tells of tracked connections; add --conntrack linux");
        }
        Format form = format == null ? Format.AVRO : format;
        Duration every = interval == null ? INTERVAL : interval;
        List<String> names = interfaces == null ? List.of() : InterfaceMap.read(interfaces).names();
        return new ConnectionOutput(every.toNanos(), form::message, names);
    }

    /**
     * Refuses a topic that has another role.
     *
     * @throws UsageException naming it
     */
    void requireApart(TopicOptions topics) {
        if (topic != null && topics.used().contains(topic)) {
            throw new UsageException(
                    "--connections-topic names %s, which is another topic of the job; name one of its own"
                            .formatted(topic));
        }
    }
}
