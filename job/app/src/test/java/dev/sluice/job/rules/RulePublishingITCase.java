package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.operators.rules.serving.RefusedVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rule files that are published by their differences. */
@Timeout(180)
class RulePublishingITCase extends RuleCommands {
    @Test
    void aFileIsPublishedByItsDifferencesAndItsHistoryCanBeReadAndRolledBack() throws Exception {
        String topic = "story";
        Path rules = file("story.ovs", "# comment", flow(9, 1), flow(5, 2) + " # mine", flow(5, 3));
        Sluice first = done(topic, "publish", "--rules", rules);
        assertTrue(first.err().contains("created topic story"), first.err());
        assertTrue(first.out().contains("as version 1"), first.out());
        try (Admin admin = broker.admin()) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            var config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            assertEquals("-1", config.get("retention.ms").value());
            assertEquals("-1", config.get("retention.bytes").value());
            assertEquals("delete", config.get("cleanup.policy").value());
            assertEquals(
                    1,
                    admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get()
                            .get(topic)
                            .partitions()
                            .size());
        }
        long end = end(topic);
        Sluice again = done(topic, "publish", "--rules", rules);
        assertTrue(again.out().contains("nothing published"), again.out());
        assertEquals(end, end(topic));

        Files.write(rules, List.of(flow(9, 1), flow(5, 4), flow(5, 2) + " # mine", flow(1, 5)));
        Sluice second = done(topic, "publish", "--rules", rules);
        assertTrue(second.out().contains("as version 2: 2 put, 1 removed"), second.out());
        List<String> newest = List.of(flow(9, 1), flow(5, 4), flow(5, 2) + " # mine", flow(1, 5));
        assertEquals(newest, texts(topic));
        List<String> old = List.of(flow(9, 1), flow(5, 2) + " # mine", flow(5, 3));
        assertEquals(old, texts(topic, "--version", 1));
        String oldTable = done(topic, "show", "--version", 1).out();

        Sluice diff = done(topic, "diff", 1, 2);
        List<String> lines =
                diff.out()
                        .lines()
                        .skip(1)
                        .map(l -> l.charAt(0) + " " + l.substring(l.lastIndexOf('\t') + 1))
                        .toList();
        assertEquals(List.of("- " + flow(5, 3), "+ " + flow(5, 4), "+ " + flow(1, 5)), lines);

        JsonPage.assertTells(
                "rules rollback", done(topic, "rollback", 1, "--json").out(), "rule_id", "rule");
        assertEquals(oldTable, done(topic, "show").out());
        assertTrue(done(topic, "rollback", 3).out().contains("nothing published"));
        assertTrue(done(topic, "publish", "--rules", rules, "--snapshot").out().contains("4"));
        refused(topic, "it keeps versions 1 to 4", "show", "--version", 5);

        JsonPage.assertTells(
                "rules diff", done(topic, "diff", 1, 2, "--json").out(), "defaultAction");
        JsonPage.assertTells("rules log", done(topic, "log", "--json").out(), "refused[]");
        List<JsonNode> log = log(topic);
        assertEquals(
                List.of("1 snapshot", "2 delta", "3 delta", "4 snapshot"),
                log.stream()
                        .map(e -> e.get("version").asInt() + " " + e.get("kind").asText())
                        .toList());
        assertEquals(1, log.stream().map(e -> e.get("history").asText()).distinct().count());
        assertTrue(log.get(0).get("publisher").asText().contains(System.getProperty("user.name")));
        assertEquals(5, done(topic, "log").out().lines().count());
        String rows = done(topic, "show", "--json").out();
        JsonPage.assertTells("rules show", rows, "change", "defaultAction");
        JsonNode shown = JSON.readTree(rows.lines().findFirst().orElseThrow());
        assertEquals(flow(9, 1), shown.get("text").asText());
        assertEquals(1, shown.get("line").asInt());
    }

    @Test
    void theDefaultActionStaysUnlessAnotherIsGivenAndSaysWhenItChanges() throws Exception {
        String topic = "default";
        Path rules = file("default.ovs", flow(5, 1));
        done(topic, "publish", "--rules", rules, "--default-action", "allow");
        Sluice same = done(topic, "publish", "--rules", rules);
        assertTrue(same.out().contains("nothing published"), same.out());
        Files.write(rules, List.of(flow(5, 1), flow(5, 2)));
        Sluice more = done(topic, "publish", "--rules", rules);
        assertTrue(more.out().contains("1 put, 0 removed, "), more.out());
        assertFalse(more.out().contains("default action"), more.out());
        String change = "default action changes from allow to drop";
        Sluice changed = done(topic, "publish", "--rules", rules, "--default-action", "drop");
        assertTrue(changed.out().contains("0 put, 0 removed, " + change), changed.out());
        assertTrue(done(topic, "diff", 2, 3).err().contains(change));
        assertFalse(done(topic, "diff", 1, 2).err().contains("default action"));
        assertEquals(
                List.of("allow", "allow", "drop"),
                log(topic).stream().map(e -> e.get("defaultAction").asText()).toList());
        String table = done(topic, "log", "--format", "table").out();
        assertEquals(1, table.lines().filter(line -> line.contains(change)).count(), table);
        Sluice back = done(topic, "rollback", 1);
        assertTrue(back.out().contains("default action changes from drop to allow"), back.out());
        Sluice followed = run(topic, "apply", "--default-action", "drop");
        assertEquals(2, followed.status());
        assertTrue(followed.err().contains("--default-action drop is not"), followed.err());
    }

    @Test
    void aLineAtTheTopOfManyPublishesUnderAKilobyte() throws Exception {
        assertALinePublishesUnderAKilobyte("top", 10_000);
    }

    @Tag("long")
    @Test
    void aLineAtTheTopOfAHundredThousandPublishesUnderAKilobyte() throws Exception {
        assertALinePublishesUnderAKilobyte("large", 100_000);
    }

    private static void assertALinePublishesUnderAKilobyte(String topic, int count)
            throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(
                    "@10.%d.%d.%d/32\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF"
                            .formatted(i >> 16, i >> 8 & 255, i & 255, i % 60_000, i % 60_000));
        }
        Path rules = Files.write(folder.resolve(topic + ".rules"), lines);
        done(topic, "publish", "--rules", rules, "--algorithm", "tuple");
        long end = end(topic);
        done(topic, "publish", "--rules", rules, "--algorithm", "tuple");
        assertEquals(end, end(topic), "an unchanged file publishes nothing");
        lines.add(0, "@1.2.3.0/24\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00");
        Files.write(rules, lines);
        String out = done(topic, "publish", "--rules", rules, "--algorithm", "tuple").out();
        assertTrue(out.contains("as version 2: 1 put, 0 removed"), out);
        String bytes = out.replaceAll("(?s).* ([0-9,]+) bytes.*", "$1");
        assertTrue(bytes.length() <= 3, bytes + " bytes for a line");
        try (RuleTopic open = open(topic)) {
            List<Rule> stand = open.standing().rules().rules();
            assertEquals(lines.size(), stand.size());
            for (int i = 0; i < stand.size(); i++) {
                assertEquals(i + 1, stand.get(i).line());
                assertEquals(lines.get(i), stand.get(i).text());
            }
        }
    }

    @Test
    void whatASwitchCountsIsNoChange() throws Exception {
        String topic = "dumps";
        String dump =
                " cookie=0x7, duration=%d.5s, table=0, n_packets=%d, n_bytes=%d, idle_age=%d, "
                        + "priority=5,tcp,tp_dst=80 actions=drop";
        Path rules = file("dumps.ovs", "NXST_FLOW reply (xid=0x4):", dump.formatted(3, 1, 60, 9));
        done(topic, "publish", "--rules", rules);
        assertEquals(
                List.of("cookie=0x7, table=0, priority=5,tcp,tp_dst=80 actions=drop"),
                texts(topic));
        Files.write(rules, List.of("NXST_FLOW reply (xid=0x5):", dump.formatted(77, 9, 999, 0)));
        Sluice again = done(topic, "publish", "--rules", rules);
        assertTrue(again.out().contains("nothing published"), again.out());
    }

    @Test
    void whatCannotBeServedIsRefusedUnlessForcedAndTheLogTellsWhoRefused() throws Exception {
        String topic = "served";
        Path rules = file("served.ovs", flow(1, 1), flow(1, 2));
        refused(
                topic,
                "over the budget",
                "publish",
                "--rules",
                rules,
                "--algorithm",
                "tuple",
                "--memory-budget",
                10);
        assertEquals(0, end(topic));
        Sluice forced =
                done(
                        topic,
                        "publish",
                        "--rules",
                        rules,
                        "--algorithm",
                        "tuple",
                        "--memory-budget",
                        10,
                        "--force");
        assertTrue(forced.err().contains("published all the same"), forced.err());
        refused(topic, "--memory-budget", "add", flow(1, 3), "--memory-budget", 10);
        JsonNode entry = log(topic).get(0);
        assertEquals(0, entry.get("refused").size());
        try (Admin admin = broker.admin();
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            admin.createTopics(
                            List.of(new NewTopic(topic + "-d", Optional.of(1), Optional.empty())))
                    .all()
                    .get();
            producer.send(
                    topic + "-d",
                    null,
                    new RefusedVersion(1, entry.get("history").asText(), "it needs much")
                            .toDeadLetter()
                            .encode());
            producer.flush();
        }
        assertEquals(
                "refused by a job: rules: cannot be served: it needs much",
                log(topic).get(0).get("refused").get(0).asText());
    }

    @Test
    void aTopicThatForgetsIsWarnedOf() throws Exception {
        String topic = "forgets";
        try (Admin admin = broker.admin()) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(topic, Optional.of(1), Optional.empty())
                                            .configs(Map.of("retention.ms", "3600000")),
                                    new NewTopic("wide", Optional.of(2), Optional.empty())))
                    .all()
                    .get();
        }
        Sluice run = done(topic, "publish", "--rules", file("forgets.ovs", flow(1, 1)));
        assertTrue(run.err().contains("retention.ms=3600000: Kafka will delete rules"), run.err());
        refused("wide", "has 2 partitions", "publish", "--rules", folder.resolve("forgets.ovs"));
    }
}
