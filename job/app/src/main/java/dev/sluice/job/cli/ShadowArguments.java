package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.graph.ShadowJob;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.operators.classify.RulesTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a second policy that a job compares with the first. */
final class ShadowArguments {
    private static final int PAIRS = 10_000;

    @Option(
            names = "--shadow-rules",
            paramLabel = "TOPIC",
            description =
                    "Judge each packet by the rules of this topic, too (sluice rules publish --rules-topic TOPIC), and count those with another outcome by pair of rules. The job's verdicts stay as they are. sluice rules promote puts the shadow's rules in force.")
    private @Nullable String rules;

    @Option(
            names = "--shadow-topic",
            paramLabel = "TOPIC",
            description =
                    "With --shadow-rules: topic of the counts, which come with each checkpoint (default "
                            + ShadowJob.COUNTS
                            + ").")
    private @Nullable String counts;

    @Option(
            names = "--shadow-pairs",
            paramLabel = "N",
            description =
                    "With --shadow-rules: pairs of rules that are counted each for itself; packets of further pairs are counted together (default "
                            + PAIRS
                            + ").")
    @Range(from = 1, to = 1 << 20)
    private @Nullable Integer pairs;

    /**
     * The shadow; null: none is asked for.
     *
     * @throws UsageException if it cannot be compared
     */
    @Nullable ShadowJob toOptions(TopicNames topics, RulesTime time) {
        String from = rules;
        if (from == null) {
            if (counts != null || pairs != null) {
                throw new UsageException(
                        "--shadow-topic and --shadow-pairs go with --shadow-rules");
            }
            return null;
        }
        if (time.event()) {
            throw new UsageException(
                    "--shadow-rules goes with --rules-time processing: by event time each packet has a version of its own; compare the packets by sluice whatif");
        }
        String to = counts == null ? ShadowJob.COUNTS : counts;
        requireApart(List.of(from, to), topics);
        return new ShadowJob(from, to, pairs == null ? PAIRS : pairs);
    }

    private static void requireApart(List<String> names, TopicNames topics) {
        List<String> used =
                List.of(
                        topics.packets(),
                        topics.rules(),
                        topics.verdicts(),
                        topics.deadLetters(),
                        topics.statistics(),
                        topics.statisticsWindows());
        boolean shared = names.stream().anyMatch(used::contains);
        if (shared || names.stream().distinct().count() < names.size()) {
            throw new UsageException(
                    "--shadow-rules and --shadow-topic name %s; name two topics that the job does not use otherwise"
                            .formatted(String.join(" and ", names)));
        }
    }

    /** The topics of a shadow, to be made. */
    static List<NewTopic> newTopics(@Nullable ShadowJob shadow) {
        return shadow == null
                ? List.of()
                : Stream.of(
                                KafkaAccess.keptForEver(shadow.rules()),
                                new NewTopic(shadow.counts(), Optional.of(1), Optional.empty())
                                        .configs(Map.of("cleanup.policy", "compact")))
                        .toList();
    }
}
