package dev.sluice.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Topics of a broker, and command lines that name those of them that a command takes. */
public record Topics(String bootstrap, TopicNames names) {
    /** Topics whose names begin with a prefix. */
    public static Topics of(String bootstrap, String prefix) {
        return new Topics(
                bootstrap,
                new TopicNames(
                        prefix + "-p",
                        prefix + "-r",
                        prefix + "-v",
                        prefix + "-d",
                        prefix + "-s",
                        prefix + "-w"));
    }

    /** Creates those that do not exist. */
    public Topics create() {
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap))) {
            access.createTopics(KafkaAccess.newTopics(names, 2));
        }
        return this;
    }

    /** Creates a topic for rules. */
    public static void createRules(String bootstrap, String topic) {
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap))) {
            access.createTopics(List.of(KafkaAccess.keptForEver(topic)));
        }
    }

    /** A command line, with the options behind it. */
    public Object[] line(Object... words) {
        String command = words[0].toString();
        boolean all = command.equals("run");
        boolean log = command.equals("rules") && words[1].equals("log");
        List<Object> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--bootstrap", bootstrap));
        if (all || command.equals("export")) {
            line.addAll(List.of("--packets-topic", names.packets()));
        }
        if (!command.equals("export")) {
            line.addAll(List.of("--rules-topic", names.rules()));
        }
        if (all || command.equals("verdicts")) {
            line.addAll(List.of("--verdicts-topic", names.verdicts()));
        }
        if (all || command.equals("export") || log) {
            line.addAll(List.of("--dead-letters-topic", names.deadLetters()));
        }
        if (all) {
            line.addAll(List.of("--stats-topic", names.statistics()));
        }
        return line.toArray();
    }

    /**
     * The command line of a job on all packets. Its transactions are named after the topic of
     * verdicts.
     */
    public Object[] job(Object... more) {
        List<Object> words = new ArrayList<>(List.of("run", "--from", "earliest"));
        words.addAll(List.of("--transactional-id-prefix", names.verdicts()));
        words.addAll(List.of(more));
        return line(words.toArray());
    }

    /** Runs a command. */
    public Sluice run(Object... words) {
        return Sluice.run(line(words));
    }

    /** Publishes a file of rules. */
    public void publish(Path rules) {
        Sluice published = run("rules", "publish", "--rules", rules);
        assertEquals(0, published.status(), published.err());
    }

    /** Publishes rules in the order of their file, and tells the version. */
    public long publish(String name, List<Rule> inFileOrder) {
        try (RulePublisher publisher =
                new RulePublisher(
                        new KafkaClients(bootstrap),
                        RulePublisher.Options.of(names.rules()),
                        (done, total) -> {})) {
            publisher.takeOver();
            List<Rule> placed = RuleSet.of(name, 0, RuleSet.DROP, inFileOrder).rules();
            return publisher
                    .publish(
                            List.of(RuleDraft.snapshot(name, RuleSet.DROP, null, placed)),
                            () -> placed)
                    .version();
        }
    }
}
