package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a job on Kafka. */
final class KafkaJobOptions {
    @Option(
            names = "--packet-format",
            paramLabel = "FORMAT",
            defaultValue = "avro",
            description =
                    "Form of the messages in the packets topic: avro (blocks and single headers) or frames (one raw Ethernet frame a message, as Apache Metron's pycapa and fastcapa write them; the key is the capture time as 8 bytes, big-endian, in µs since 1970; without it the message's timestamp counts) (default ${DEFAULT-VALUE}).")
    private PacketFormat.Kind packetFormat = PacketFormat.Kind.AVRO;

    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Flow shards that single headers and frames are spread over (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int shards;

    @Mixin private ShardByOption by = new ShardByOption();

    @Option(
            names = "--group",
            paramLabel = "NAME",
            defaultValue = "sluice",
            description = "Prefix of the consumer groups (default ${DEFAULT-VALUE}).")
    private String group = "sluice";

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = "committed",
            description =
                    "Where a job without state starts in the packets topic: earliest, latest or committed, which is "
                            + "earliest where the group has committed nothing (default ${DEFAULT-VALUE}).")
    private JobOptions.StartFrom from = JobOptions.StartFrom.COMMITTED;

    @Option(
            names = "--bounded",
            description =
                    "End at the offsets that are the last when the job starts; a job that goes on from --checkpoints ends where it was to end.")
    boolean bounded;

    @Mixin private VerdictOptions verdicts = new VerdictOptions();

    @Option(
            names = "--transactional-id-prefix",
            paramLabel = "TEXT",
            defaultValue = "sluice",
            description =
                    "Prefix of Kafka transactional ids; each job of a Kafka cluster needs its own (default ${DEFAULT-VALUE}).")
    private String transactionPrefix = "sluice";

    @Option(
            names = "--transaction-timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = Times.InSeconds.class,
            description =
                    "How long a Kafka transaction may stay open; at most the broker's transaction.max.timeout.ms (default ${DEFAULT-VALUE}; a bare number is in s).")
    @Range(shortest = "1s")
    private Duration transactionTimeout = Duration.ZERO;

    @Mixin private JobConnectionOptions connections = new JobConnectionOptions();
    @Mixin private ConnectionTopicOptions connectionRows = new ConnectionTopicOptions();
    @Mixin private RulesTimeArguments rulesTime = new RulesTimeArguments();
    @Mixin private StatisticsArguments statistics = new StatisticsArguments();
    @Mixin private ShadowArguments shadow = new ShadowArguments();
    @Mixin private BatchOptions batch = new BatchOptions();

    /**
     * Refuses options that do not go together.
     *
     * @throws UsageException naming them
     */
    void requireUse(HeaderOptions headers) {
        packetFormat(headers);
        verdicts.fields();
        statistics.toOptions();
        rulesTime.toOptions(bounded);
        connectionRows.toOptions(connections.tracking() != null);
    }

    /**
     * Refuses a topic of connections that has another role.
     *
     * @throws UsageException naming it
     */
    void requireApart(TopicOptions topics) {
        connectionRows.requireApart(topics);
    }

    /** Name of the topic of rows of connections; null: there is none. */
    @Nullable String connectionsTopic() {
        return connectionRows.topic();
    }

    private PacketFormat packetFormat(HeaderOptions headers) {
        ParserOptions parsing = headers.parsing();
        if (packetFormat == PacketFormat.Kind.AVRO && !parsing.equals(ParserOptions.DEFAULTS)) {
            throw new UsageException(
                    "%s goes with --packet-format frames: the headers of avro were chosen by who sent them; export them with it"
                            .formatted(headers.changed()));
        }
        TrackerOptions tracker = connections.tracking();
        if (tracker != null) {
            parsing = parsing.reading(StatefulJudge.wordBits()).readingSegments(tracker.windows());
        }
        return new PacketFormat(packetFormat, parsing, by.by);
    }

    /** The options of the job. */
    JobOptions toOptions(
            TopicOptions topics,
            HeaderOptions headers,
            EngineOptions engine,
            Duration checkpointInterval) {
        RulesTime time = rulesTime.toOptions(bounded);
        TopicNames names = topics.names();
        return new JobOptions(
                topics.kafka(),
                names,
                packetFormat(headers),
                batch.toOptions(engine, shards, verdicts.format, verdicts.fields())
                        .with(time, rulesTime.waiting)
                        .tracking(connections.tracking())
                        .telling(connectionRows.toOptions(connections.tracking() != null)),
                statistics.toOptions(),
                group,
                from,
                bounded,
                transactionPrefix,
                transactionTimeout,
                checkpointInterval,
                verdicts.framing(),
                verdicts.compression,
                null,
                time.live() ? rulesTime.drift() : null,
                connectionRows.topic(),
                shadow.toOptions(names, time));
    }
}
