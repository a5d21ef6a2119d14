package dev.sluice.job.cli;

import dev.sluice.job.kafka.TopicNames;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that name a Kafka cluster and those of its topics that a command uses. */
public final class TopicOptions {
    /** A topic, and the option that names it. */
    public enum Topic {
        PACKETS("--packets-topic", TopicNames.PACKETS),
        RULES("--rules-topic", TopicNames.RULES),
        VERDICTS("--verdicts-topic", TopicNames.VERDICTS),
        DEAD_LETTERS("--dead-letters-topic", TopicNames.DEAD_LETTERS),
        STATISTICS("--stats-topic", TopicNames.STATISTICS),
        STATISTICS_WINDOWS("--stats-windows-topic", TopicNames.STATISTICS_WINDOWS);

        private final String option;
        private final String usual;

        Topic(String option, String usual) {
            this.option = option;
            this.usual = usual;
        }
    }

    @Option(
            names = "--bootstrap",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Kafka brokers, separated by commas.")
    private String bootstrap = "";

    private final Map<Topic, String> names = new EnumMap<>(Topic.class);

    /** Options of a command that uses these topics. */
    public TopicOptions(Topic... used) {
        for (Topic topic : used) {
            names.put(topic, topic.usual);
        }
    }

    /** Adds an option for each topic. */
    @Spec
    void setSpec(CommandSpec spec) {
        names.keySet().forEach(topic -> spec.addOption(option(topic)));
    }

    private OptionSpec option(Topic topic) {
        return OptionSpec.builder(topic.option)
                .type(String.class)
                .paramLabel("TOPIC")
                .defaultValue(topic.usual)
                .description("Default ${DEFAULT-VALUE}.")
                .getter(
                        new IGetter() {
                            @Override
                            @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
                            public <T> T get() {
                                return (T) name(topic);
                            }
                        })
                .setter(
                        new ISetter() {
                            @Override
                            @SuppressWarnings("unchecked")
                            public <T> T set(T value) {
                                return (T) names.put(topic, String.valueOf(value));
                            }
                        })
                .build();
    }

    /** Kafka brokers, HOST:PORT separated by commas. */
    public String bootstrap() {
        return bootstrap;
    }

    /** Name of a topic. */
    public String name(Topic topic) {
        return names.getOrDefault(topic, topic.usual);
    }

    /** Names of the topics that the command uses. */
    List<String> used() {
        return List.copyOf(names.values());
    }

    /** All names; topics that the command does not use have their usual ones. */
    TopicNames names() {
        return new TopicNames(
                name(Topic.PACKETS),
                name(Topic.RULES),
                name(Topic.VERDICTS),
                name(Topic.DEAD_LETTERS),
                name(Topic.STATISTICS),
                name(Topic.STATISTICS_WINDOWS));
    }
}
