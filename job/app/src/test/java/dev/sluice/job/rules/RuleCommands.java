package dev.sluice.job.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleTopic;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commands of {@code sluice rules} on topics of a broker that a class of tests has. */
abstract class RuleCommands {
    static final ObjectMapper JSON = new ObjectMapper();

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    static Sluice run(String topic, Object... words) {
        TopicNames usual = TopicNames.defaults();
        TopicNames names =
                new TopicNames(
                        usual.packets(),
                        topic,
                        usual.verdicts(),
                        topic + "-d",
                        usual.statistics(),
                        usual.statisticsWindows());
        List<Object> all = new ArrayList<>(List.of("rules"));
        all.addAll(List.of(words));
        return new Topics(broker.bootstrap(), names).run(all.toArray());
    }

    static Sluice done(String topic, Object... words) {
        return Sluice.ok(run(topic, words));
    }

    static Sluice refused(String topic, String because, Object... words) {
        Sluice run = run(topic, words);
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains(because), run.err());
        return run;
    }

    static Path file(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    static String flow(int priority, int port) {
        return "priority=%d,tcp,tp_dst=%d,actions=output:%d".formatted(priority, port, port);
    }

    /** The last column of the table, by the order in which rules win. */
    static List<String> texts(String topic, Object... version) {
        List<Object> words = new ArrayList<>(List.of("show"));
        words.addAll(List.of(version));
        return done(topic, words.toArray())
                .out()
                .lines()
                .skip(1)
                .map(line -> line.substring(line.lastIndexOf('\t') + 1))
                .toList();
    }

    static List<JsonNode> log(String topic) throws IOException {
        List<JsonNode> entries = new ArrayList<>();
        for (String line : done(topic, "log", "--json").out().lines().toList()) {
            entries.add(JSON.readTree(line));
        }
        return entries;
    }

    static String idOf(String topic, String text) {
        return done(topic, "show")
                .out()
                .lines()
                .filter(line -> line.endsWith("\t" + text))
                .findFirst()
                .orElseThrow()
                .split("\t")[0];
    }

    static long end(String topic) {
        try (RuleTopic open = open(topic)) {
            return open.end();
        }
    }

    static RuleTopic open(String topic) {
        return new RuleTopic(new KafkaClients(broker.bootstrap()), topic);
    }

    static RulePublisher publisher(String topic) {
        return new RulePublisher(
                new KafkaClients(broker.bootstrap()),
                RulePublisher.Options.of(topic),
                (done, total) -> {});
    }

    static String history(String topic) throws IOException {
        return log(topic).get(0).get("history").asText();
    }

    static Sluice follow(String topic, String text) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(text.getBytes(UTF_8)));
        try {
            return run(topic, "apply");
        } finally {
            System.setIn(before);
        }
    }
}
