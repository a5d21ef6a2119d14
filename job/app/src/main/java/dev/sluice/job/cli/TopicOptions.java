package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.graph.ShadowJob;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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
        STATISTICS_WINDOWS("--stats-windows-topic", TopicNames.STATISTICS_WINDOWS),
        CONNECTIONS("--connections-topic", "sluice-connections"),
        SHADOW("--shadow-topic", ShadowJob.COUNTS);

        private final String option;
        private final String usual;

        /** The topics of every job; others are of jobs that were asked for them. */
        static Topic[] ofEveryJob() {
            return EnumSet.complementOf(EnumSet.of(CONNECTIONS, SHADOW)).toArray(Topic[]::new);
        }

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

    @Mixin private KafkaConfigOption config = new KafkaConfigOption();

    private @Nullable CommandSpec command;
    private @Nullable KafkaClients kafka;

    private final Map<Topic, OptionSpec> options = new EnumMap<>(Topic.class);

    /** The words about a command line without brokers; empty: they are required. */
    private String otherwise = "";

    /** Options of a command that uses these topics. */
    public TopicOptions(Topic... used) {
        for (Topic topic : used) {
            options.put(
                    topic,
                    OptionSpec.builder(topic.option)
                            .type(String.class)
                            .paramLabel("TOPIC")
                            .defaultValue(topic.usual)
                            .description("Default ${DEFAULT-VALUE}.")
                            .build());
        }
    }

    /**
     * Options of a command that uses these topics, on brokers that need not be named.
     *
     * @param otherwise the words about a command line that names none
     * @see #useBroker
     */
    static TopicOptions optional(String otherwise, Topic... used) {
        TopicOptions options = new TopicOptions(used);
        options.otherwise = otherwise;
        return options;
    }

    /** Adds an option for each topic. */
    @Spec
    void setSpec(CommandSpec spec) {
        command = spec;
        if (!otherwise.isEmpty()) {
            OptionSpec named = spec.findOption("--bootstrap");
            spec.remove(named);
            spec.addOption(
                    OptionSpec.builder(named)
                            .required(false)
                            .description(
                                    "Kafka brokers, separated by commas (%s).".formatted(otherwise))
                            .build());
        }
        options.values().forEach(spec::addOption);
    }

    /**
     * Clients of these brokers.
     *
     * @throws dev.sluice.policy.io.SluiceException if their configuration cannot be used
     */
    public KafkaClients kafka() {
        KafkaClients clients = kafka;
        if (clients == null) {
            clients =
                    config.clients(
                            bootstrap, Objects.requireNonNull(command).commandLine().getErr());
            kafka = clients;
        }
        return clients;
    }

    /** Returns whether brokers are named. */
    boolean isGiven() {
        return !bootstrap.isEmpty();
    }

    /**
     * Takes a broker where none was named.
     *
     * @param broker HOST:PORT; null: there is none to take
     * @throws UsageException if there is none at all
     */
    void useBroker(@Nullable String broker) {
        requireBroker(broker != null);
        if (bootstrap.isEmpty() && broker != null) {
            bootstrap = broker;
        }
    }

    /**
     * Refuses a command line without brokers.
     *
     * @param other whether there is another to take
     * @throws UsageException if there is none at all
     */
    void requireBroker(boolean other) {
        if (bootstrap.isEmpty() && !other) {
            throw new UsageException(
                    "--bootstrap=HOST:PORT is missing: the Kafka brokers, separated by commas");
        }
    }

    /** Name of a topic. */
    public String name(Topic topic) {
        OptionSpec option = options.get(topic);
        String name = option == null ? null : option.getValue();
        return name == null ? topic.usual : name;
    }

    /** Tells whether a topic has its usual name. */
    boolean isUsual(Topic topic) {
        return name(topic).equals(topic.usual);
    }

    /** Names of the topics that the command uses. */
    List<String> used() {
        return options.keySet().stream().map(this::name).toList();
    }

    /** All names; topics that the command does not use have their usual ones. */
    TopicNames names() {
        requireApart();
        return new TopicNames(
                name(Topic.PACKETS),
                name(Topic.RULES),
                name(Topic.VERDICTS),
                name(Topic.DEAD_LETTERS),
                name(Topic.STATISTICS),
                name(Topic.STATISTICS_WINDOWS));
    }

    private void requireApart() {
        Map<String, Topic> seen = new HashMap<>();
        for (Topic topic : options.keySet()) {
            Topic other = seen.put(name(topic), topic);
            if (other != null) {
                throw new UsageException(
                        "%s and %s both name %s; name two topics"
                                .formatted(other.option, topic.option, name(topic)));
            }
        }
    }
}
