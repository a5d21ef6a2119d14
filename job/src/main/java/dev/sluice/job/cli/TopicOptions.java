package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicNames;
import picocli.CommandLine.Option;

/** Options that name a Kafka cluster and its topics. */
final class TopicOptions {
    @Option(
            names = "--bootstrap",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Kafka brokers, separated by commas.")
    private String bootstrap = "";

    @Option(
            names = "--packets-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.PACKETS,
            description = "Default ${DEFAULT-VALUE}.")
    private String packets = TopicNames.PACKETS;

    @Option(
            names = "--rules-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.RULES,
            description = "Default ${DEFAULT-VALUE}.")
    private String rules = TopicNames.RULES;

    @Option(
            names = "--verdicts-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.VERDICTS,
            description = "Default ${DEFAULT-VALUE}.")
    private String verdicts = TopicNames.VERDICTS;

    @Option(
            names = "--dead-letters-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.DEAD_LETTERS,
            description = "Default ${DEFAULT-VALUE}.")
    private String deadLetters = TopicNames.DEAD_LETTERS;

    @Option(
            names = "--stats-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.STATISTICS,
            description = "Default ${DEFAULT-VALUE}.")
    private String statistics = TopicNames.STATISTICS;

    @Option(
            names = "--stats-windows-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.STATISTICS_WINDOWS,
            description = "Default ${DEFAULT-VALUE}.")
    private String statisticsWindows = TopicNames.STATISTICS_WINDOWS;

    @Option(
            names = "--create-topics",
            description =
                    "Create the topics that do not exist, with two partitions each, one for the rules.")
    private boolean create;

    String bootstrap() {
        return bootstrap;
    }

    TopicNames names() {
        return new TopicNames(packets, rules, verdicts, deadLetters, statistics, statisticsWindows);
    }

    /**
     * Connects to the cluster, and creates the topics that do not exist if the options ask for it.
     *
     * @param partitions of each created topic but the rules'
     */
    KafkaAccess connect(int partitions) {
        KafkaAccess access = new KafkaAccess(bootstrap);
        try {
            if (create) {
                access.createTopics(KafkaAccess.newTopics(names(), partitions));
            }
            return access;
        } catch (RuntimeException e) {
            access.close();
            throw e;
        }
    }
}
