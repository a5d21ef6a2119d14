package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.rules.EditFollower;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.ruletopic.PublishOptions;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.job.ruletopic.RuleTopicSettings;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.testing.Await;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Every command of {@code sluice rules} that talks to Kafka, against one broker. */
@Timeout(180)
class RulesCommandITCase {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private static Sluice run(String topic, Object... words) {
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

    private static Sluice done(String topic, Object... words) {
        Sluice run = run(topic, words);
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static Sluice refused(String topic, String because, Object... words) {
        Sluice run = run(topic, words);
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains(because), run.err());
        return run;
    }

    private static Path file(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    private static String flow(int priority, int port) {
        return "priority=%d,tcp,tp_dst=%d,actions=output:%d".formatted(priority, port, port);
    }

    /** The last column of the table, by the order in which rules win. */
    private static List<String> texts(String topic, Object... version) {
        List<Object> words = new ArrayList<>(List.of("show"));
        words.addAll(List.of(version));
        return done(topic, words.toArray())
                .out()
                .lines()
                .skip(1)
                .map(line -> line.substring(line.lastIndexOf('\t') + 1))
                .toList();
    }

    private static List<JsonNode> log(String topic) throws IOException {
        List<JsonNode> entries = new ArrayList<>();
        for (String line : done(topic, "log", "--json").out().lines().toList()) {
            entries.add(JSON.readTree(line));
        }
        return entries;
    }

    private static String idOf(String topic, String text) {
        return done(topic, "show")
                .out()
                .lines()
                .filter(line -> line.endsWith("\t" + text))
                .findFirst()
                .orElseThrow()
                .split("\t")[0];
    }

    private static long end(String topic) {
        try (RuleTopic open = open(topic)) {
            return open.end();
        }
    }

    private static RuleTopic open(String topic) {
        return new RuleTopic(new KafkaClients(broker.bootstrap()), topic, (done, total) -> {});
    }

    private static RulePublisher publisher(String topic) {
        return new RulePublisher(
                new KafkaClients(broker.bootstrap()),
                PublishOptions.of(topic),
                (done, total) -> {});
    }

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
    void singleRulesComeAndGoWhereTheyAreTold() throws Exception {
        String topic = "single";
        refused(topic, "topic single does not exist", "add", flow(5, 1));
        done(topic, "publish", "--rules", file("single.ovs", flow(5, 1), flow(5, 2)));
        Sluice last = done(topic, "add", flow(5, 9));
        assertTrue(last.out().contains(flow(5, 9)), last.out());
        JsonPage.assertTells(
                "rules add", done(topic, "add", flow(5, 7), "--first", "--json").out());
        done(topic, "add", flow(5, 8), "--before", idOf(topic, flow(5, 9)));
        done(topic, "add", flow(5, 6), "--after", 1);
        assertEquals(
                List.of(flow(5, 7), flow(5, 1), flow(5, 6), flow(5, 2), flow(5, 8), flow(5, 9)),
                texts(topic));
        done(topic, "remove", idOf(topic, flow(5, 8)));
        JsonPage.assertTells("rules remove", done(topic, "remove", "--line", 2, "--json").out());
        assertEquals(List.of(flow(5, 7), flow(5, 1), flow(5, 6), flow(5, 9)), texts(topic));
        refused(topic, "no rule stands on line 2", "remove", "--line", 2);
        refused(topic, "no rule has the id -5", "remove", -5);
        refused(topic, "has priority 5, the new one 4", "add", flow(4, 3), "--before", 1);
        refused(topic, "is of none of the formats", "add", "tcp");
        Sluice twice =
                refused(
                        topic,
                        "rule %s of line 1 is the same, '%s'"
                                .formatted(idOf(topic, flow(5, 1)), flow(5, 1)),
                        "add",
                        flow(5, 1),
                        "--first");
        assertEquals(1, twice.err().lines().count(), twice.err());
        assertEquals(2, run(topic, "add", flow(5, 3), "--first", "--before", 1).status());
        // Effective times never decrease; none is the time of the commit.
        refused(topic, "effective times never decrease", "add", flow(5, 3), "--effective", 1000);
        done(topic, "add", flow(5, 3), "--effective", "2100-01-01T00:00:00Z");
        refused(
                topic,
                "2100-01-01T00:00:00Z",
                "remove",
                "--line",
                1,
                "--effective",
                "2099-12-31T23:59:59Z");
        Sluice noon = run(topic, "remove", "--line", 1, "--effective", "noon");
        assertEquals(2, noon.status());
        assertTrue(noon.err().contains("--effective noon is no time"), noon.err());
        assertEquals(
                "2100-01-01T00:00:00Z",
                log(topic).get(log(topic).size() - 1).get("effective").asText());
    }

    @Test
    void aRuleOfTheOtherFormatIsRefusedWithARemedy() throws Exception {
        String classBench = "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF";
        done("flows", "publish", "--rules", file("flows.ovs", flow(5, 1)));
        Sluice mixed = refused("flows", "write it as in 'priority=100,tcp", "add", classBench);
        assertEquals(1, mixed.err().lines().count(), mixed.err());
        done("filters", "publish", "--rules", file("filters.rules", classBench));
        refused("filters", "those that are there are of ClassBench", "add", flow(5, 1));
        Sluice followed = follow("filters", "{\"change\": 1, \"to\": \"" + flow(5, 2) + "\"}");
        assertEquals(1, followed.status());
        assertTrue(followed.err().contains("line 1: the rule is of OpenFlow"), followed.err());
        assertEquals(List.of(classBench), texts("filters"));
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
    void whatIsNoTransactionHasARowOfItsOwnInTheLog() throws Exception {
        String topic = "garbage";
        done(topic, "publish", "--rules", file("garbage.ovs", flow(5, 1)));
        RuleChange half =
                RuleChange.begin("half", history(topic), 2, 1L, null, Kind.DELTA, "other", "drop");
        RuleChange absurd =
                RuleChange.begin(
                        "absurd",
                        history(topic),
                        Long.MAX_VALUE,
                        null,
                        null,
                        Kind.SNAPSHOT,
                        "far",
                        "drop");
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send(topic, null, "garbage".getBytes(UTF_8));
            producer.send(topic, null, half.encode());
            producer.send(topic, null, absurd.encode());
            producer.send(topic, null, RuleChange.commit(absurd, 0).encode());
            producer.flush();
        }
        done(topic, "publish", "--rules", file("garbage.ovs", flow(5, 1), flow(5, 2)));
        List<String> rows = new ArrayList<>();
        for (JsonNode row : log(topic)) {
            String refused = row.get("refused").path(0).asText();
            rows.add(
                    row.path("version").asText()
                            + " "
                            + row.path("ruleSet").asText().replaceAll(".*/", "")
                            + " "
                            + refused.replaceAll("(dropped: [^:]*: [^:]*):.*", "$1"));
            assertTrue(row.get("offset").asLong() >= 0, row.toString());
            assertTrue(row.get("committed").asText().startsWith("20"), row.toString());
        }
        assertEquals(
                List.of(
                        "1 garbage.ovs ",
                        "  dropped: message: not Avro",
                        Long.MAX_VALUE + " far dropped: rules: version out of range",
                        "2 other dropped: rules: unfinished transaction",
                        "3 garbage.ovs "),
                rows);
        String[] cells =
                done(topic, "log").out().lines().skip(2).findFirst().orElseThrow().split("\t", -1);
        assertEquals(List.of("", "", "", "", ""), List.of(cells).subList(0, 5));
        assertEquals(2, texts(topic).size());
    }

    @Test
    void aHistoryThatHasNoVersionLeftIsToldWithARemedy() throws Exception {
        String topic = "last";
        done(topic, "publish", "--rules", file("last.ovs", flow(5, 1)));
        RuleChange begin =
                RuleChange.begin(
                        "highest",
                        history(topic),
                        RuleTransaction.MAX_VERSION,
                        null,
                        null,
                        Kind.SNAPSHOT,
                        "highest",
                        "drop");
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (byte[] message : RuleSetMessages.snapshot(begin, List.of())) {
                producer.send(topic, null, message);
            }
            producer.flush();
        }
        Sluice told = refused(topic, "a topic that is made anew", "add", flow(5, 2));
        assertEquals(1, told.err().lines().count(), told.err());
    }

    private static String history(String topic) throws IOException {
        return log(topic).get(0).get("history").asText();
    }

    @Test
    void tablesForAPersonAreAlignedAndLinesForAProgramAreNot() throws Exception {
        String topic = "tables";
        done(topic, "publish", "--rules", file("tables.ovs", flow(50, 1), flow(5, 20_000)));
        List<String> show = done(topic, "show", "--format", "table").out().lines().toList();
        int rule = show.get(0).indexOf("RULE");
        assertEquals(flow(50, 1), show.get(1).substring(rule));
        assertEquals(flow(5, 20_000), show.get(2).substring(rule));
        assertEquals("LINE", show.get(0).substring(show.get(0).indexOf("LINE")).split(" ")[0]);
        assertTrue(done(topic, "show").out().startsWith("id\tline\tpriority\taction\trule\n"));
        List<String> log = done(topic, "log", "--format", "table").out().lines().toList();
        assertTrue(log.get(0).startsWith("VERSION  KIND      PUT  REMOVED  COMMITTED"), log.get(0));
        assertTrue(log.get(1).endsWith("tables.ovs"), log.get(1));
        Sluice both = run(topic, "log", "--json", "--format", "tsv");
        assertEquals(2, both.status());
        assertTrue(both.err().contains("leave one out"), both.err());
    }

    @Test
    void ofTwoPublishersOneWinsAndTheOtherIsTold() {
        String topic = "two";
        Topics.createRules(broker.bootstrap(), topic);
        try (RulePublisher a = publisher(topic);
                RulePublisher b = publisher(topic);
                RulePublisher c = publisher(topic)) {
            RuleStanding base = a.look();
            RuleStanding same = c.look();
            a.takeOver(base);
            b.takeOver(base);
            SluiceException fenced =
                    assertThrows(SluiceException.class, () -> addTo(a, base, flow(1, 1)));
            assertTrue(fenced.getMessage().contains("the base is stale"), fenced.getMessage());
            addTo(b, base, flow(1, 2));
            SluiceException stale = assertThrows(SluiceException.class, () -> c.takeOver(same));
            assertTrue(stale.getMessage().contains("published version 1"), stale.getMessage());
            // Who was told too late disturbs nobody.
            RuleContent content = new RuleContent(open(topic).standing().rules().rules());
            RuleEdits edits = new RuleEdits(content);
            edits.apply(new RuleEdit.Add(RuleText.parse(flow(1, 3)), RuleEdit.Position.LAST));
            b.publish(List.of(RuleDraft.delta("s", "drop", null, edits.take())), content::rules);
        }
        assertEquals(List.of(flow(1, 2), flow(1, 3)), texts(topic));
    }

    private static void addTo(RulePublisher publisher, RuleStanding base, String text) {
        RuleContent content =
                new RuleContent(base.rules() == null ? List.of() : base.rules().rules());
        RuleEdits edits = new RuleEdits(content);
        edits.apply(new RuleEdit.Add(RuleText.parse(text), RuleEdit.Position.LAST));
        publisher.publish(
                List.of(RuleDraft.delta("s", "drop", null, edits.take())), content::rules);
    }

    /** Publishers at once, of all kinds: what was reported as published is what the topic holds. */
    @Test
    void nothingIsLostAndNothingInventedWhenManyPublishAtOnce() throws Exception {
        String topic = "many";
        done(topic, "publish", "--rules", file("many.ovs", flow(1, 1)));
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Queue<String> others = new ConcurrentLinkedQueue<>();
        List<Callable<Set<String>>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            tasks.add(
                    () -> {
                        Set<String> published = new HashSet<>();
                        for (int i = 0; i < 4; i++) {
                            String rule = flow(1, 1000 * (thread + 1) + i);
                            together.await(60, TimeUnit.SECONDS);
                            Sluice run = run(topic, "add", rule);
                            if (run.status() == 0) {
                                published.add(rule);
                            } else if (!run.err().contains("the base is stale")) {
                                others.add(run.err());
                            }
                        }
                        return published;
                    });
        }
        Set<String> published = new TreeSet<>(Set.of(flow(1, 1)));
        for (Future<Set<String>> future : pool.invokeAll(tasks)) {
            published.addAll(future.get());
        }
        pool.shutdown();
        assertEquals(List.of(), List.copyOf(others), "who loses is told that the base is stale");
        assertTrue(published.size() > 4, "somebody wins each round: " + published);
        assertEquals(published, new TreeSet<>(texts(topic)));
        assertEquals(published.size(), log(topic).size());
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
    void snapshotsComeInTimeAndReadersBeginAtTheNewest() throws Exception {
        KafkaClients kafka = new KafkaClients(broker.bootstrap());
        String topic = "snapshots";
        done(topic, "publish", "--rules", file("snapshots.ovs", flow(1, 1)));
        for (int i = 2; i <= 5; i++) {
            done(topic, "add", flow(1, i), "--snapshot-every", 2);
        }
        List<JsonNode> log = log(topic);
        assertEquals(
                List.of("snapshot", "delta", "delta", "snapshot", "delta", "delta", "snapshot"),
                log.stream().map(e -> e.get("kind").asText()).toList());
        long newest = log.get(6).get("offset").asLong();
        try (RuleTopic open = open(topic);
                RuleTopicSettings settings =
                        new RuleTopicSettings(new KafkaClients(broker.bootstrap()), topic);
                Admin admin = broker.admin()) {
            assertEquals(newest, settings.newestSnapshot().offset());
            assertEquals(newest, RuleTopic.newestSnapshot(kafka, topic, Long.MAX_VALUE));
            long secondOldest = log.get(3).get("offset").asLong();
            assertEquals(
                    secondOldest,
                    RuleTopic.newestSnapshot(kafka, topic, newest),
                    "the newest before an offset");
            // Kafka forgets offsets that are not committed for a while: the COMMIT names it, too.
            admin.deleteConsumerGroupOffsets(
                            RuleTopicSettings.GROUP, Set.of(new TopicPartition(topic, 0)))
                    .all()
                    .get();
            assertEquals(newest, RuleTopic.newestSnapshot(kafka, topic, Long.MAX_VALUE));
            assertEquals(newest, open.standing().snapshotOffset());
        }
        Sluice kept = done(topic, "add", flow(1, 6), "--keep", 2);
        assertTrue(kept.err().contains("records of the versions before 4 "), kept.err());
        try (RuleTopic open = open(topic)) {
            assertEquals(log.get(3).get("offset").asLong(), open.start());
        }
        assertEquals(6, texts(topic).size());
        assertEquals(3, texts(topic, "--version", 4).size());
        refused(topic, "it keeps versions 4 to 8", "show", "--version", 3);
        done(topic, "publish", "--rules", folder.resolve("snapshots.ovs"), "--keep", 1);
        assertEquals(List.of(flow(1, 1)), texts(topic));
    }

    @Test
    void aTopicThatLostItsRulesOrWasMadeAnewBeginsANewHistory() throws Exception {
        String topic = "anew";
        Path rules = file("anew.ovs", flow(1, 1), flow(1, 2));
        done(topic, "publish", "--rules", rules);
        String history = log(topic).get(0).get("history").asText();
        done(topic, "add", flow(1, 3));
        try (RuleTopic open = open(topic)) {
            open.deleteBefore(log(topic).get(1).get("offset").asLong());
        }
        refused(topic, "were deleted up to offset", "add", flow(1, 4));
        refused(topic, "holds no whole rule set", "show");
        assertTrue(
                log(topic).get(0).get("refused").get(0).asText().contains("dropped"),
                "a delta without its base");
        Sluice published = done(topic, "publish", "--rules", rules);
        assertTrue(published.err().contains("a new history begins"), published.err());
        List<JsonNode> log = log(topic);
        assertNotEquals(history, log.get(log.size() - 1).get("history").asText());
        assertEquals(List.of(flow(1, 1), flow(1, 2)), texts(topic));

        try (Admin admin = broker.admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
        Topics.createRules(broker.bootstrap(), topic);
        done(topic, "publish", "--rules", rules);
        JsonNode first = log(topic).get(0);
        assertEquals(1, first.get("version").asInt());
        assertNotEquals(
                log.get(log.size() - 1).get("history").asText(), first.get("history").asText());
    }

    /** Readers would pass over versions that were there before. */
    @Test
    void versionsGoOnAfterAnotherHistoryThatWasOnlyBegun() throws Exception {
        String topic = "begun";
        Path rules = file("begun.ovs", flow(1, 1));
        done(topic, "publish", "--rules", rules);
        done(topic, "add", flow(1, 2));
        done(topic, "add", flow(1, 3));
        RuleChange begin =
                RuleChange.begin(
                        "half", "another", 1, null, null, Kind.SNAPSHOT, "other", RuleSet.DROP);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send(topic, null, begin.encode());
            producer.flush();
        }
        Sluice after = done(topic, "publish", "--rules", rules);
        assertTrue(after.out().contains("as version 4: 0 put, 2 removed"), after.out());
        assertEquals(List.of(flow(1, 1)), texts(topic));
        List<JsonNode> log = log(topic);
        JsonNode newest = log.get(log.size() - 1);
        assertEquals("4 delta", newest.get("version").asInt() + " " + newest.get("kind").asText());
        assertEquals(log.get(0).get("history").asText(), newest.get("history").asText());
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

    private static Sluice follow(String topic, String text) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(text.getBytes(UTF_8)));
        try {
            return run(topic, "apply");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void changesAreFollowedAndGarbageIsNamedByItsLine() throws Exception {
        String topic = "follow";
        Sluice run =
                follow(
                        topic,
                        String.join(
                                "\n",
                                "{\"add\": \"" + flow(1, 1) + "\"}",
                                "{\"add\": \"" + flow(1, 2) + "\"}",
                                "garbage",
                                "{\"remove\": 77}",
                                "",
                                "{\"add\": \"" + flow(1, 3) + "\", \"first\": true}",
                                "{\"change\": \""
                                        + flow(1, 2)
                                        + "\", \"to\": \""
                                        + flow(1, 9)
                                        + "\"}",
                                "{\"remove\": \"" + flow(1, 1) + "\"}"));
        assertEquals(1, run.status());
        assertTrue(run.err().contains("line 3: not JSON"), run.err());
        assertTrue(run.err().contains("line 4: no rule has the id or the line 77"), run.err());
        assertTrue(run.err().contains("5 changes published, up to version 1; 2 lines"), run.err());
        assertEquals(List.of(flow(1, 3), flow(1, 9)), texts(topic));

        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 5_500; i++) {
            many.append("{\"add\": \"").append(flow(2, i)).append("\"}\n");
        }
        Sluice stream = follow(topic, many.toString());
        assertEquals(0, stream.status(), stream.err());
        List<JsonNode> log = log(topic);
        for (JsonNode entry : log) {
            assertTrue(entry.get("puts").asInt() <= 1_000, entry.toString());
        }
        assertTrue(log.size() >= 7, log.size() + " transactions");
        assertEquals(5_502, texts(topic).size());
        JsonNode last = JSON.readTree(stream.out().lines().reduce((a, b) -> b).orElseThrow());
        assertEquals(5_500, last.get("line").asInt());
        assertEquals(log.get(log.size() - 1).get("version").asInt(), last.get("version").asInt());
    }

    @Test
    void aFollowerIsToldWhenAnotherPublisherTakesOver() throws Exception {
        String topic = "fenced";
        done(topic, "publish", "--rules", file("fenced.ovs", flow(1, 1)));
        try (RulePublisher follower = publisher(topic)) {
            RuleStanding base = follower.takeOver();
            done(topic, "add", flow(1, 2));
            RuleDelta delta =
                    new RuleDelta(base.rules().rules().stream().map(Rule::id).toList(), List.of());
            SluiceException told =
                    assertThrows(
                            SluiceException.class,
                            () ->
                                    follower.publish(
                                            List.of(RuleDraft.delta("s", "drop", null, delta)),
                                            List::of));
            assertTrue(told.getMessage().contains("the base is stale"), told.getMessage());
        }
        assertEquals(List.of(flow(1, 1), flow(1, 2)), texts(topic));
    }

    @Test
    void aFollowerThatIsFencedSaysWhichLinesToSendAgain() throws Exception {
        String topic = "cut";
        done(topic, "publish", "--rules", file("cut.ovs", flow(1, 1)));
        assertEquals("no line is published: send them again", fenced(topic, List.of(), flow(1, 2)));
        assertEquals(
                "the lines up to 2 are published: send the rest again",
                fenced(topic, List.of(flow(1, 3), flow(1, 4)), flow(1, 5)));
        assertEquals(List.of(flow(1, 3), flow(1, 4), flow(1, 1)), texts(topic));
    }

    /**
     * What a follower says of its lines when another publisher takes over between the first ones
     * and the last.
     */
    private static String fenced(String topic, List<String> before, String after) throws Exception {
        StringWriter out = new StringWriter();
        try (RulePublisher publisher = publisher(topic);
                PipedWriter lines = new PipedWriter();
                BufferedReader in = new BufferedReader(new PipedReader(lines, 1 << 16))) {
            RuleStanding base = publisher.takeOver();
            EditFollower follower =
                    new EditFollower(
                            publisher,
                            base.version(),
                            new RuleContent(base.rules().rules()),
                            "s",
                            "drop",
                            rule -> {},
                            new PrintWriter(out, true),
                            new PrintWriter(new StringWriter()));
            ExecutorService thread = Executors.newSingleThreadExecutor();
            try {
                Future<EditFollower.Result> run =
                        thread.submit(() -> follower.run(in, SwitchPorts.NONE, Duration.ZERO));
                for (String rule : before) {
                    lines.write("{\"add\": \"" + rule + "\"}\n");
                }
                lines.flush();
                while (!before.isEmpty() && !out.toString().contains("\"line\":" + before.size())) {
                    assertFalse(run.isDone(), "the follower ended");
                    Await.pause();
                }
                done(topic, "remove", idOf(topic, flow(1, 1)));
                done(topic, "add", flow(1, 1));
                lines.write("{\"add\": \"" + after + "\"}\n");
                lines.close();
                ExecutionException told = assertThrows(ExecutionException.class, run::get);
                String message = told.getCause().getMessage();
                assertTrue(message.contains("the base is stale"), message);
                return message.substring(message.lastIndexOf("; ") + 2);
            } finally {
                thread.shutdownNow();
            }
        }
    }
}
