package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import picocli.CommandLine.Option;

/** The option that has a command create the topics that it uses. */
final class TopicCreation {
    @Option(
            names = "--create-topics",
            description = "Create the missing topics, with two partitions each, one for the rules.")
    private boolean create;

    /**
     * Connects to the cluster, and creates what the option asks for.
     *
     * @param partitions of each created topic but the rules'
     */
    KafkaAccess connect(TopicOptions topics, int partitions) {
        KafkaAccess access = new KafkaAccess(topics.kafka());
        try {
            if (create) {
                access.createTopics(
                        KafkaAccess.newTopics(topics.names(), partitions).stream()
                                .filter(topic -> topics.used().contains(topic.name()))
                                .toList());
            }
            return access;
        } catch (RuntimeException e) {
            access.close();
            throw e;
        }
    }
}
