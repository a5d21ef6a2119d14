package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Packets of a topic change as those of the captures that were exported to it. */
class WhatIfTopicITCase {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
    private static final Path OFFICE = TestData.office("office.pcapng.gz");
    private static final Object[] RULES = {
        "--rules",
        TestData.inCheckout("test-data/firewall/server.save") + "#INPUT",
        "--rules",
        TestData.office("office.ovs"),
        "--assume",
        "new",
        "--in-interface",
        "eth0",
        "--format",
        "tsv",
        "--all"
    };

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** A time behind the export of one capture, and before that of the other. */
    private static Instant between = Instant.EPOCH;

    @BeforeAll
    static void export() {
        Topics topics = named("p").create();
        Sluice.ok(topics.line("export", SERVER));
        between = Instant.ofEpochMilli(System.currentTimeMillis() + 1);
        while (System.currentTimeMillis() <= between.toEpochMilli()) {
            Thread.onSpinWait();
        }
        Sluice.ok(topics.line("export", OFFICE, "--format", "records"));
    }

    private static Topics named(String packets) {
        TopicNames usual = TopicNames.defaults();
        return new Topics(
                broker.bootstrap(),
                new TopicNames(
                        packets,
                        packets + "r",
                        packets + "v",
                        packets + "d",
                        usual.statistics(),
                        usual.statisticsWindows()));
    }

    private static Sluice whatIf(Object... words) {
        List<Object> line = new ArrayList<>(List.of("whatif"));
        line.addAll(List.of(words));
        line.addAll(List.of(RULES));
        return Sluice.run(line.toArray());
    }

    private static Sluice topic(String name, Object... words) {
        List<Object> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--bootstrap", broker.bootstrap(), "--packets-topic", name));
        return whatIf(line.toArray());
    }

    /** Rows but for their examples: the first packet of a row may be another one. */
    private static List<String> rows(Sluice run) {
        List<String> rows = new ArrayList<>();
        for (String row : Sluice.ok(run).out().lines().toList()) {
            rows.add(row.startsWith("0\t") ? row : row.substring(0, row.lastIndexOf('\t')));
        }
        rows.sort(null);
        return rows;
    }

    @Test
    void packetsOfATopicChangeAsThoseOfItsCaptures() {
        assertEquals(rows(whatIf(SERVER, OFFICE)), rows(topic("p")));
        assertEquals(rows(whatIf(SERVER)), rows(topic("p", "--to", between)));
        assertEquals(rows(whatIf(OFFICE)), rows(topic("p", "--from", between)));
        Sluice none = topic("p", "--from", "2100-01-01T00:00:00Z", "--unmet", 0);
        assertEquals(1, rows(none).size());
    }

    /** The examples of a topic are packets that a capture has by the same numbers. */
    @Test
    void examplesNameThePacketsOfTheirCaptures() {
        TreeSet<String> told = new TreeSet<>();
        for (String row : Sluice.ok(topic("p", "--unmet", 0)).out().lines().skip(1).toList()) {
            told.add(row.substring(row.lastIndexOf('\t') + 1));
        }
        assertTrue(told.size() > 10, told.toString());
        for (String example : told) {
            String[] cells = example.split(": ", 2);
            Sluice packet =
                    Sluice.ok("explain", cells[0], "--rules", TestData.office("office.ovs"));
            assertTrue(packet.out().contains(cells[1].split(" ")[0]), example + packet.out());
        }
    }

    @Test
    void messagesThatCannotBeReadAreToldAndFail() {
        named("q").create();
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send("q", PacketExporter.key(1), new byte[] {1, 2, 3});
            producer.flush();
        }
        Sluice run = topic("q");
        assertEquals(1, run.status());
        assertTrue(run.err().contains("offset 0 of partition"), run.err());
        assertTrue(run.err().contains("it cannot be read: 1 message"), run.err());
    }

    @Test
    void wrongUseIsAnsweredWithARemedy() {
        for (Object[] words :
                new Object[][] {
                    {SERVER, "--bootstrap", broker.bootstrap()},
                    {"--packets-topic", "p"},
                    {SERVER, "--from", between},
                    {"--bootstrap", broker.bootstrap(), "--in-port", 1},
                    {"--bootstrap", broker.bootstrap(), "--conntrack", "linux"}
                }) {
            Sluice run = whatIf(words);
            assertEquals(2, run.status(), run.err());
        }
        assertTrue(whatIf().err().contains("name captures, or the Kafka cluster"));
    }
}
