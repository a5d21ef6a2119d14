package dev.sluice.lab.load;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.cli.TopicOptions;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.lab.kit.TopicBound;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say where blocks go, and how. */
public final class TargetOptions {
    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.PACKETS);

    @Option(
            names = "--create-topics",
            description = "Create the packets topic if it does not exist.")
    private boolean create;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "With --create-topics: partitions of the topic (default: 2).")
    @Range(from = 1, to = 10_000)
    private @Nullable Integer partitions;

    @Option(
            names = "--keep",
            paramLabel = "SIZE",
            converter = Sizes.class,
            description =
                    "With --create-topics: keep so much of each partition, as in 512m or 4g, and delete what is older, read or not, so that a load can go on for hours (default: what the broker keeps). Kafka looks for what it may delete every log.retention.check.interval.ms: a second in 'sluice broker', five minutes in a broker that does not set it, and until then a partition grows. What is deleted at a time is an eighth of SIZE, 128m at most.")
    private @Nullable Long keep;

    @Option(
            names = "--compression",
            paramLabel = "KIND",
            defaultValue = "none",
            description =
                    "Compression of the messages: none, gzip, snappy, lz4 or zstd (default ${DEFAULT-VALUE}).")
    private CompressionType compression = CompressionType.NONE;

    @Option(
            names = "--producers",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Producers, each in a thread of its own; a flow shard belongs to one of them (default ${DEFAULT-VALUE}).")
    private int producers;

    /**
     * Checks the options.
     *
     * @param shards flow shards of the blocks
     * @throws UsageException naming option, value and range
     */
    void check(int shards) {
        if (!create && (partitions != null || keep != null)) {
            throw new UsageException(
                    (keep == null ? "--partitions" : "--keep")
                            + " is for a topic that is created: say --create-topics, too");
        }
        if (producers < 1 || producers > shards) {
            throw new UsageException(
                    "--producers %d is not in 1..%d, the number of flow shards"
                            .formatted(producers, shards));
        }
        if (keep != null && keep < TopicBound.LEAST_BYTES) {
            throw new UsageException(
                    "--keep of %,d bytes is below %dm, the least that it takes"
                            .formatted(keep, TopicBound.LEAST_BYTES >> 20));
        }
    }

    /**
     * Connects, and creates the topic where that is asked for.
     *
     * @param err hears if the topic is there already
     * @throws dev.sluice.policy.io.SluiceException if no broker answers or there is no topic
     */
    TopicLoad.Target connect(int shards, PrintWriter err) {
        String topic = topics.name(TopicOptions.Topic.PACKETS);
        try (KafkaAccess access = new KafkaAccess(topics.kafka())) {
            if (!create) {
                access.requireTopics(AclOperation.WRITE, topic);
            } else if (!access.exists(topic)) {
                NewTopic made =
                        new NewTopic(
                                topic,
                                Optional.of(partitions == null ? 2 : partitions),
                                Optional.empty());
                access.createTopics(
                        List.of(keep == null ? made : new TopicBound(keep).apply(made)));
            } else if (partitions != null || keep != null) {
                err.println(
                        "sluice: topic "
                                + topic
                                + " is there already: it stays as it is, whatever --partitions and --keep say");
            }
        }
        return new TopicLoad.Target(topics.kafka(), topic, compression, producers, shards);
    }
}
