package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.KafkaRefusal;
import dev.sluice.job.kafka.KafkaRefusedException;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a rules topic: one partition, whose records nothing but {@link #deleteBefore}
 * deletes.
 */
public final class RuleTopicSettings implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RuleTopicSettings.class);

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Admin admin;
    private final KafkaClients kafka;
    private final String topic;

    /** Settings of a topic, which need not exist. */
    public RuleTopicSettings(KafkaClients kafka, String topic) {
        this.admin = kafka.admin(PATIENCE);
        this.kafka = kafka;
        this.topic = topic;
    }

    /**
     * Kafka's id of the topic, which it has of no other, be it of the same name.
     *
     * @throws SluiceException if the topic does not exist
     */
    Uuid id() {
        return description().topicId();
    }

    /** As {@link #id()}, as text; empty if it cannot be asked for, which is said in the log. */
    static String id(KafkaClients kafka, String topic) {
        try (RuleTopicSettings settings = new RuleTopicSettings(kafka, topic)) {
            return settings.id().toString();
        } catch (SluiceException e) {
            LOG.warn(
                    "the rules topic does not tell its id, so it counts as the one of the checkpoint: {}",
                    e.getMessage());
            return "";
        }
    }

    private TopicDescription description() {
        return get(
                        admin.describeTopics(List.of(topic)).allTopicNames(),
                        AclOperation.READ,
                        "cannot be described")
                .values()
                .iterator()
                .next();
    }

    /**
     * Lists obstacles to keeping the history of rules in this topic. Its settings are left as they
     * are: they are the cluster's.
     *
     * @return warnings with their remedy; none for a topic that Sluice made
     * @throws SluiceException if the topic does not exist, or cannot hold rules at all: it has
     *     several partitions, or is compacted
     */
    public List<String> check() {
        int partitions = description().partitions().size();
        if (partitions != 1) {
            throw new SluiceException(
                    "topic %s has %d partitions, and the order of rules would be lost; make it anew with one"
                            .formatted(topic, partitions));
        }
        Config config;
        try {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            config =
                    get(
                                    admin.describeConfigs(List.of(resource)).all(),
                                    AclOperation.DESCRIBE_CONFIGS,
                                    "does not tell its settings")
                            .values()
                            .iterator()
                            .next();
        } catch (KafkaRefusedException e) {
            return List.of(
                    "topic %s does not tell its settings, since %s may not DescribeConfigs there: whether Kafka deletes rules is not known"
                            .formatted(topic, kafka.principal()));
        }
        if (value(config, TopicConfig.CLEANUP_POLICY_CONFIG).contains("compact")) {
            throw new SluiceException(
                    "topic %s is compacted, which would drop parts of transactions; set its cleanup.policy to delete"
                            .formatted(topic));
        }
        List<String> warnings = new ArrayList<>();
        for (String key :
                List.of(TopicConfig.RETENTION_MS_CONFIG, TopicConfig.RETENTION_BYTES_CONFIG)) {
            String limit = value(config, key);
            if (!limit.equals("-1")) {
                warnings.add(
                        ("topic %s has %s=%s: Kafka will delete rules; set it to -1 with kafka-configs.sh"
                                        + " --bootstrap-server %s --alter --topic %s --add-config %s=-1")
                                .formatted(topic, key, limit, kafka, topic, key));
            }
        }
        return warnings;
    }

    private static String value(Config config, String key) {
        var entry = config.get(key);
        return entry == null || entry.value() == null ? "-1" : entry.value();
    }

    /** The offset behind the last message, committed or not. */
    long end() {
        TopicPartition partition = new TopicPartition(topic, 0);
        return get(
                        admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                                .partitionResult(partition),
                        AclOperation.DESCRIBE,
                        "does not tell its end")
                .offset();
    }

    /** Deletes the records before an offset. */
    public void deleteBefore(long offset) {
        RecordsToDelete before = RecordsToDelete.beforeOffset(offset);
        get(
                admin.deleteRecords(Map.of(new TopicPartition(topic, 0), before)).all(),
                AclOperation.DELETE,
                "keeps its records before offset " + offset);
    }

    private <T> T get(KafkaFuture<T> future, AclOperation operation, String otherwise) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof TopicAuthorizationException) {
                throw KafkaRefusal.denied(
                        kafka,
                        operation,
                        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                        e);
            }
            throw new SluiceException(
                    cause instanceof UnknownTopicOrPartitionException
                            ? "topic %s does not exist at %s; check its name, or publish rules first: sluice rules publish --rules-topic %s"
                                    .formatted(topic, kafka, topic)
                            : "topic %s at %s %s: %s"
                                    .formatted(topic, kafka, otherwise, cause.getMessage()),
                    cause);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(2));
    }
}
