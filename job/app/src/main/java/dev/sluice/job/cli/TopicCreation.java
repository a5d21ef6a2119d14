package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;
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
     * @param connections topic of rows of connections; null: there is none
     * @param more further topics
     */
    KafkaAccess connect(
            TopicOptions topics,
            int partitions,
            @Nullable String connections,
            List<NewTopic> more) {
        KafkaAccess access = new KafkaAccess(topics.kafka());
        try {
            if (create) {
                List<NewTopic> missing =
                        new ArrayList<>(KafkaAccess.newTopics(topics.names(), partitions));
                missing.removeIf(topic -> !topics.used().contains(topic.name()));
                if (connections != null) {
                    missing.add(KafkaAccess.compactedForATime(connections, partitions));
                }
                missing.addAll(more);
                access.createTopics(missing);
            }
            return access;
        } catch (RuntimeException e) {
            access.close();
            throw e;
        }
    }
}
