package dev.sluice.job.endtoend;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Verdicts that a job on Kafka sends, read back: with their packets' fields, in each form. */
@Timeout(180)
class VerdictsOfAJobITCase {
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Records of a topic, as JSON. */
    private static List<JsonNode> cat(String topic) throws Exception {
        List<JsonNode> records = new ArrayList<>();
        for (String line : ok("cat", topic, "--bootstrap", broker.bootstrap()).out().split("\n")) {
            records.add(JSON.readTree(line).get("record"));
        }
        return records;
    }

    /** Rows of verdicts are the same, however blocks have what passes through. */
    @Test
    void columnsThatAreDifferencesOrLeftOutReadAsThoseThatAreCopied() throws Exception {
        Path capture = TestData.office("office.pcapng.gz");
        TopicNames usual = TopicNames.defaults();
        Map<String, List<String>> rows = new HashMap<>();
        for (String way : List.of("copied", "deltas", "named")) {
            Topics topics =
                    new Topics(
                            broker.bootstrap(),
                            new TopicNames(
                                    "ways-p",
                                    "ways-r",
                                    way + "-v",
                                    "ways-d",
                                    usual.statistics(),
                                    usual.statisticsWindows()));
            if (rows.isEmpty()) {
                topics.create();
                topics.publish(TestData.office("office.ovs"));
                ok(topics.line("export", capture));
            }
            ok(
                    topics.line(
                            "run",
                            "--bounded",
                            "--create-topics",
                            "--from",
                            "earliest",
                            "--verdict-columns",
                            way,
                            "--verdict-fields",
                            "5-tuple,tcp-flags",
                            "--transactional-id-prefix",
                            way,
                            "--group",
                            way));
            Sluice printed = ok(topics.line("verdicts", "--fields", "5-tuple,tcp-flags"));
            rows.put(way, printed.out().lines().sorted().toList());
        }
        assertTrue(rows.get("copied").size() > 100, "rows of the capture's packets");
        assertEquals(rows.get("copied"), rows.get("deltas"));
        assertEquals(rows.get("copied"), rows.get("named"));
        assertEquals(packetsOf("copied-v"), packetsOf("deltas-v"));
        JsonNode named = cat("named-v").get(0);
        assertEquals("ways-p", named.get("topic").asText());
        assertEquals(List.of("rule"), fieldNames(named.get("columns")));

        deleteMessages("ways-p");
        Object[] words = {"verdicts", "--verdicts-topic", "named-v", "--rules-topic", "ways-r"};
        List<Object> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--bootstrap", broker.bootstrap()));
        Sluice gone = Sluice.run(line.toArray());
        assertEquals(1, gone.status());
        assertTrue(gone.err().contains("block: packets deleted: offset "), gone.err());
    }

    private static List<String> packetsOf(String topic) throws Exception {
        List<String> packets = new ArrayList<>();
        for (JsonNode block : cat(topic)) {
            JsonNode columns = block.get("columns");
            packets.add(columns.get("packet") + " at " + columns.get("timeNs"));
        }
        return packets.stream().sorted().toList();
    }

    private static List<String> fieldNames(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static void deleteMessages(String topic) throws Exception {
        try (Admin admin = broker.admin()) {
            Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
            int partitions =
                    admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get()
                            .get(topic)
                            .partitions()
                            .size();
            for (int i = 0; i < partitions; i++) {
                all.put(new TopicPartition(topic, i), RecordsToDelete.beforeOffset(-1));
            }
            admin.deleteRecords(all).all().get();
        }
    }

    @Test
    void aRecordIsCompleteSoItsColumnsCannotBeLeftOut() {
        Sluice refused =
                Topics.of(broker.bootstrap(), "records")
                        .run("run", "--verdict-format", "records", "--verdict-columns", "named");
        assertEquals(2, refused.status());
        assertTrue(refused.err().contains("--verdict-columns named goes with"), refused.err());
    }

    /** Verdicts as the job sends them: each packet with the fields that its header has. */
    @Test
    void verdictsOfAJobHaveTheFieldsOfTheirPackets() throws Exception {
        Path capture = TestData.office("office.pcapng.gz");
        Topics topics = Topics.of(broker.bootstrap(), "office").create();
        topics.publish(TestData.office("office.ovs"));
        ok(topics.line("export", capture));
        ok(
                topics.line(
                        "run",
                        "--bounded",
                        "--from",
                        "earliest",
                        "--verdict-fields",
                        "5-tuple,eth-src,vlan-id,tcp-flags,frame-length,action",
                        "--schema-id",
                        "4711",
                        "--transactional-id-prefix",
                        "office",
                        "--group",
                        "office"));
        Sluice printed =
                ok(
                        topics.line(
                                "verdicts",
                                "--schema-id",
                                "4711=VerdictBlock",
                                "--fields",
                                "5-tuple,eth-src,vlan-id,tcp-flags,frame-length"));
        List<String> headers = ok("headers", capture).out().lines().toList();
        List<String> names = Arrays.asList(headers.get(0).split("\t"));
        List<String> rows = printed.out().lines().toList();
        List<String> columns = Arrays.asList(rows.get(0).split("\t"));
        List<String> expected = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        assertEquals(expected.size(), rows.size());
        for (String row : rows.subList(1, rows.size())) {
            String[] cells = row.split("\t", -1);
            int packet = Integer.parseInt(cells[1]);
            String[] header = headers.get(packet).split("\t", -1);
            String[] want = expected.get(packet).split("\t", -1);
            assertEquals(
                    List.of(want[1], want[2], want[3]),
                    List.of(cells[4], cells[5], cells[6]),
                    "packet " + packet);
            for (String field :
                    "ip_src ip_dst ip_proto src_port dst_port eth_src vlan_id tcp_flags"
                            .split(" ")) {
                assertEquals(
                        header[names.indexOf(field)],
                        cells[columns.indexOf(field)],
                        field + " of packet " + packet);
            }
            assertEquals(header[names.indexOf("wirelen")], cells[columns.indexOf("frame_length")]);
        }
    }
}
