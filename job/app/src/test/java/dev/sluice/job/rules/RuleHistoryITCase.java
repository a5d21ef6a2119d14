package dev.sluice.job.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Histories of rules: the log, snapshots, topics that lost some or begin anew. */
@Timeout(180)
class RuleHistoryITCase extends RuleCommands {
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
                KafkaProducer<byte[], byte[]> killed =
                        kafka.transactionalProducer("killed", Duration.ofSeconds(15))) {
            assertEquals(newest, RuleTopic.newestSnapshot(kafka, topic, Long.MAX_VALUE));
            long secondOldest = log.get(3).get("offset").asLong();
            assertEquals(
                    secondOldest,
                    RuleTopic.newestSnapshot(kafka, topic, newest),
                    "the newest before an offset");
            killed.initTransactions();
            killed.beginTransaction();
            for (int i = 0; i < 300; i++) {
                killed.send(new ProducerRecord<>(topic, 0, null, new byte[1]));
            }
            killed.flush();
            killed.abortTransaction();
            assertEquals(
                    newest,
                    RuleTopic.newestSnapshot(kafka, topic, Long.MAX_VALUE),
                    "behind many messages of a transaction that was aborted");
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
}
