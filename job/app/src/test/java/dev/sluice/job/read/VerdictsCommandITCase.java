package dev.sluice.job.read;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RegistryFraming;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice verdicts} and {@code sluice cat} against a real broker. */
@Timeout(180)
class VerdictsCommandITCase {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TELNET = "priority=100,tcp,tp_dst=23 actions=drop";
    private static final String IP = "priority=50,ip actions=NORMAL";
    private static final String UDP = "priority=200,udp actions=output:3";

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Ids of the rules of both versions, by the line of their file. */
    private static final Map<String, Long> IDS = new HashMap<>();

    /** Id of the history of both versions. */
    private static String history = "";

    @BeforeAll
    static void start() throws Exception {
        named("r", "v").create();
        publish(TELNET, IP);
        publish(UDP, TELNET, IP);
        for (String line : lines(cat("r"))) {
            JsonNode change = JSON.readTree(line).get("record");
            if (change.get("phase").asText().equals("BEGIN")) {
                history = change.get("history").asText();
            }
            for (JsonNode rule : change.get("puts")) {
                String action = rule.get("action").asText();
                IDS.put(
                        action.equals("drop") ? TELNET : action.equals("NORMAL") ? IP : UDP,
                        rule.get("id").asLong());
            }
        }
        assertEquals(3, IDS.size());
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send(
                    "v",
                    PacketExporter.key(5),
                    SampleVerdicts.block(history, IDS.get(TELNET), IDS.get(UDP)).encode());
            producer.send("v", PacketExporter.key(5), single());
            producer.flush();
        }
    }

    private static void publish(String... lines) throws Exception {
        Path rules = Files.createTempFile(folder, "rules", ".ovs");
        Files.write(rules, List.of(lines));
        ok(topics("r", "v", "rules", "publish", "--rules", rules));
    }

    private static Object[] topics(String rules, String verdicts, Object... words) {
        return named(rules, verdicts).line(words);
    }

    private static Topics named(String rules, String verdicts) {
        TopicNames usual = TopicNames.defaults();
        return new Topics(
                broker.bootstrap(),
                new TopicNames(
                        "p", rules, verdicts, "d", usual.statistics(), usual.statisticsWindows()));
    }

    private static String cat(String topic, Object... options) {
        List<Object> words =
                new ArrayList<>(List.of("cat", topic, "--bootstrap", broker.bootstrap()));
        words.addAll(List.of(options));
        return ok(words.toArray()).out();
    }

    private static Sluice verdicts(Object... options) {
        List<Object> words = new ArrayList<>(List.of("verdicts"));
        words.addAll(List.of(options));
        return ok(topics("r", "v", words.toArray()));
    }

    /** The message of packet 5. */
    private static byte[] single() {
        return SampleVerdicts.single(history, IDS.get(IP)).encode();
    }

    private static List<String> lines(String text) {
        return text.lines().toList();
    }

    /** Numbers of the packets whose verdicts are printed. */
    private static List<Integer> packets(Object... options) {
        List<Integer> packets = new ArrayList<>();
        for (String line : lines(verdicts(options).out()).stream().skip(1).toList()) {
            packets.add(Integer.parseInt(line.split("\t", -1)[1]));
        }
        return packets;
    }

    @Test
    void packetsAreCountedByTheLinesOfRulesAndBySources() {
        Map<String, Integer> printed = new HashMap<>();
        for (String line : lines(verdicts().out())) {
            String[] cells = line.split("\t", -1);
            printed.merge(cells[4] + " " + cells[9], 1, Integer::sum);
        }
        Map<String, Integer> counted = new HashMap<>(Map.of("rule ip_src", 1));
        String rows = verdicts("--by", "rule,source", "--format", "tsv").out();
        for (String row : lines(rows).stream().skip(1).toList()) {
            String[] cells = row.replace("default", "").split("\t", -1);
            counted.put(cells[5] + " " + cells[6], Integer.valueOf(cells[0]));
        }
        assertEquals(printed, counted);
    }

    @Test
    void aLineAPacketTellsRuleActionAndFieldsOfBothForms() {
        assertEquals(
                List.of(
                        "capture packet time_ns rule_id rule priority action version status ip_src"
                                + " ip_dst ip_proto src_port dst_port frame_length text history"
                                + " earlier outcome assumed",
                        "cap 1 10 "
                                + IDS.get(TELNET)
                                + " 1 100 drop 1 classified 10.1.2.3 10.99.0.1 6 40000 23 60 "
                                + TELNET
                                + " H   ",
                        "cap 2 20 "
                                + IDS.get(TELNET)
                                + " 2 100 drop 2 late 10.1.2.4 10.99.0.1 6 40001 23 61 "
                                + TELNET
                                + " H   ",
                        "cap 3 30 "
                                + IDS.get(UDP)
                                + " 1 200 output:3 2 classified 10.2.3.4 255.255.255.255 17 53 53"
                                + " 99 "
                                + UDP
                                + " H 2  ",
                        "cap 4     drop 2 classified 2001:db8:: fe80:: 58   1500  H   ",
                        "cap 5 50 "
                                + IDS.get(IP)
                                + " 3 50 NORMAL 2 classified 10.2.3.4      "
                                + IP
                                + " H 8,9 depends --assume new"),
                lines(verdicts().out()).stream()
                        .map(l -> l.replace('\t', ' ').replace(history, "H"))
                        .toList());
    }

    /** A topic that holds two histories, whose versions have the same numbers. */
    @Test
    void aRuleIsThatOfTheHistoryThatTheVerdictNames() throws Exception {
        named("two-r", "two-v").create();
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (String name : List.of("old", "new")) {
                RuleChange begin =
                        RuleChange.begin(
                                name, name, 1, null, null, RuleChange.Kind.SNAPSHOT, name, name);
                Rule rule =
                        new Rule(
                                7,
                                1,
                                new Match.Builder().build(),
                                "do " + name,
                                1,
                                Place.of(new byte[] {1}),
                                "text of " + name);
                for (byte[] message : RuleSetMessages.snapshot(begin, List.of(rule))) {
                    producer.send("two-r", null, message);
                }
            }
            int packet = 0;
            for (String name : List.of("new", "old", "gone", "")) {
                producer.send(
                        "two-v", null, SampleVerdicts.one(++packet, name, List.of(), 7).encode());
                producer.send(
                        "two-v", null, SampleVerdicts.one(++packet, name, List.of()).encode());
            }
            producer.flush();
        }
        List<String> rows = new ArrayList<>();
        Sluice printed = ok(topics("two-r", "two-v", "verdicts", "--fields", "none"));
        for (String line : lines(printed.out())) {
            String[] cells = line.split("\t", -1);
            rows.add(String.join("|", cells[1], cells[6], cells[10], cells[9]));
        }
        assertEquals(
                List.of(
                        "packet|action|history|text",
                        "1|do new|new|text of new",
                        "2|new|new|",
                        "3|do old|old|text of old",
                        "4|old|old|",
                        "5||gone|",
                        "6||gone|",
                        "7|do new||text of new",
                        "8|new||"),
                rows);
        Object[] ofOld = topics("two-r", "two-v", "verdicts", "--history", "ol", "--rule", 7);
        assertEquals(2, lines(ok(ofOld).out()).size());
    }

    @Test
    void filtersChooseAndMeetEachOther() {
        assertEquals(List.of(1, 2), packets("--rule", IDS.get(TELNET)));
        assertEquals(List.of(1, 3), packets("--rule", 1), "by line, as of the version");
        assertEquals(List.of(4), packets("--rule", "none"));
        assertEquals(List.of(1, 2, 4), packets("--action", "drop"));
        assertEquals(List.of(1, 2), packets("--address", "10.1.0.0/16"));
        assertEquals(List.of(1), packets("--address", "10.1.2.3"));
        assertEquals(List.of(1, 2), packets("--address", "10.99.0.1"), "the destination");
        assertEquals(List.of(3, 5), packets("--address", "10.2.0.0/15"));
        assertEquals(List.of(4), packets("--address", "2001:db8::/32"));
        assertEquals(List.of(), packets("--address", "4000::/2"));
        assertEquals(List.of(2), packets("--status", "late"));
        assertEquals(List.of(5), packets("--outcome", "depends"));
        assertEquals(List.of(1), packets("--version", 1));
        assertEquals(
                List.of(2), packets("--action", "drop", "--version", 2, "--address", "10.0.0.0/8"));
        assertEquals(List.of(1, 2, 3), packets("--limit", 3));
        assertEquals(List.of(3), packets("--rule", 1, "--version", 2, "--limit", 1, "--follow"));
    }

    @Test
    void statusWordsAreThoseOfVerdictFiles() {
        assertEquals(List.of(1, 3, 4, 5), packets("--status", "classified"));
        Sluice unknown = Sluice.run(topics("r", "v", "verdicts", "--status", "ok"));
        assertEquals(2, unknown.status());
        assertTrue(
                unknown.err()
                        .contains(
                                "--status ok is unknown; use one of classified, no-rules,"
                                        + " history-deleted, late, unknown"),
                unknown.err());
    }

    /** The job tells addresses, and a packet of ARP has none: that is no fault of the job. */
    @Test
    void aPacketWithoutAnAddressIsToldFromAJobThatTellsNone() throws Exception {
        named("r", "arp-v").create();
        named("r", "bare-v").create();
        List<Column> none = new ArrayList<>();
        for (int w : new int[] {0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 17, 18}) {
            none.add(Column.ofWords(w, new int[1], 0, 1));
        }
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send("arp-v", null, SampleVerdicts.one(1, history, none).encode());
            producer.send("bare-v", null, SampleVerdicts.one(1, history, List.of()).encode());
            producer.flush();
        }
        String arp = ok(topics("r", "arp-v", "verdicts", "--address", "10.0.0.0/8")).err();
        assertTrue(arp.contains("without an IP address, as of ARP"), arp);
        assertFalse(arp.contains("--verdict-fields"), arp);
        String bare = ok(topics("r", "bare-v", "verdicts", "--address", "10.0.0.0/8")).err();
        assertTrue(bare.contains("--verdict-fields 5-tuple"), bare);
        assertFalse(bare.contains("ARP"), bare);
    }

    /** As a user ends it: 0, with all lines that were there. */
    @Test
    void whatFollowsEndsWithZeroOnCtrlC() throws Exception {
        for (String command : List.of("verdicts", "cat")) {
            Object[] words =
                    command.equals("cat")
                            ? new Object[] {
                                "cat", "v", "--bootstrap", broker.bootstrap(), "--follow"
                            }
                            : topics("r", "v", "verdicts", "--follow", "--format", "tsv");
            Path out = folder.resolve(command + ".out");
            Path err = folder.resolve(command + ".err");
            Process process =
                    Sluice.process(words)
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile())
                            .start();
            while (!Files.readString(out).contains("50")) {
                assertTrue(process.isAlive(), Files.readString(err));
                Await.pause();
            }
            new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
            assertEquals(0, process.waitFor(), Files.readString(err));
            assertEquals(
                    "sluice: interrupted: what came up to here is printed\n",
                    Files.readString(err).lines().reduce("", (a, b) -> b) + "\n");
        }
    }

    @Test
    void jsonLeavesOutWhatIsNotThere() throws Exception {
        List<String> lines = lines(verdicts("--format", "json").out());
        assertEquals(5, lines.size());
        assertEquals(
                JSON.readTree(
                        """
                        {"capture": "cap", "packet": 4, "action": "drop", "version": 2,
                         "history": "%s", "status": "classified", "ipSrc": "2001:db8::", "ipDst": "fe80::", "ipProto": 58,
                         "tos": 0, "fragment": 0, "frameLength": 1500}
                        """
                                .formatted(history)),
                JSON.readTree(lines.get(3)));
        assertEquals(IDS.get(IP), JSON.readTree(lines.get(4)).get("ruleId").asLong());
        JsonNode first =
                JSON.readTree(
                        lines(verdicts("--format", "json", "--fields", "dst-port").out()).get(0));
        assertEquals(23, first.get("dstPort").asInt());
        assertFalse(first.has("ipSrc"), first.toString());
    }

    @Test
    void aScanBeginsWhereItIsTold() {
        assertEquals(List.of(), packets("--from", "latest"));
        assertEquals(List.of(), packets("--from", Instant.now().plusSeconds(60)));
        assertEquals(5, packets("--from", Instant.now().minusSeconds(3600)).size());
        Sluice wrong = Sluice.run(topics("r", "v", "verdicts", "--from", "yesterday"));
        assertEquals(2, wrong.status());
        assertTrue(wrong.err().contains("--from yesterday is no place in a topic"), wrong.err());
    }

    @Test
    void wrongValuesAndTopicsAreNamed() {
        for (List<Object> wrong :
                List.<List<Object>>of(
                        List.of("--rule", "telnet", "--rule telnet is no number"),
                        List.of("--address", "10.1", "--address 10.1 is no address"),
                        List.of("--address", "10.1.2.3/40", "--address 10.1.2.3/40 is no address"),
                        List.of("--status", "early", "--status early is unknown"),
                        List.of("--fields", "payload", "--fields: 'payload' is no field"),
                        List.of("--format", "xml", "--format xml is unknown"),
                        List.of("--version", -3, "--version -3 is below 0, the least"),
                        List.of("--limit", 0, "--limit 0 is below 1, the least"),
                        List.of("--schema-id", "7=Packet", "--schema-id 7=Packet names no schema"),
                        List.of("--schema-id", "7=Verdict.9", "names no schema"))) {
            Sluice run = Sluice.run(topics("r", "v", "verdicts", wrong.get(0), wrong.get(1)));
            assertEquals(2, run.status(), wrong.toString());
            assertTrue(run.err().contains(wrong.get(2).toString()), run.err());
        }
        Sluice absent = Sluice.run(topics("r", "nowhere", "verdicts"));
        assertEquals(1, absent.status());
        assertTrue(absent.err().contains("topic nowhere does not exist"), absent.err());
        assertTrue(absent.err().contains("there are: "), absent.err());
    }

    @Test
    void whatCannotBeReadIsNamedAndPassedOver() throws Exception {
        byte[] framed = RegistryFraming.frame(single(), 77);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send("d", null, "not avro".getBytes(StandardCharsets.UTF_8));
            producer.send("d", null, framed);
            producer.send("d", null, single());
            producer.flush();
        }
        Sluice some = Sluice.run(topics("r", "d", "verdicts"));
        assertEquals(1, some.status());
        assertEquals(2, some.out().lines().count(), some.out());
        List<String> errors = lines(some.err());
        assertEquals(2, errors.size(), some.err());
        assertTrue(errors.get(0).contains("offset 0 of partition 0 of d: message: not Avro"));
        assertTrue(errors.get(1).contains("--schema-id 77=NAME"), errors.get(1));
        Sluice more = Sluice.run(topics("r", "d", "verdicts", "--schema-id", "77=Verdict"));
        assertEquals(3, more.out().lines().count(), more.out());
        List<String> all = lines(cat("d"));
        JsonNode bad = JSON.readTree(all.get(0));
        assertEquals("message: not Avro", bad.get("unreadable").asText());
        assertEquals("6e6f74206176726f", bad.get("bytes").asText());
        assertEquals(
                "message: unknown schema", JSON.readTree(all.get(1)).get("unreadable").asText());
        JsonNode good = JSON.readTree(all.get(2));
        assertEquals("Verdict", good.get("schema").asText());
        assertEquals("10.2.3.4", good.at("/record/ipSrc").asText());
        assertEquals(all.get(2), lines(cat("d", "--follow", "--limit", 3)).get(2));
        assertEquals(
                good.get("record"),
                JSON.readTree(lines(cat("d", "--schema-id", "77=Verdict")).get(1)).get("record"));
    }

    @Test
    void aTopicOfOtherMessagesIsNamedAndNotReadOn() throws Exception {
        Sluice run = Sluice.run(topics("r", "r", "verdicts"));
        assertEquals(1, run.status());
        List<String> errors = lines(run.err());
        assertEquals(4, errors.size(), run.err());
        assertTrue(errors.get(2).endsWith("a RuleChange is no verdict"), errors.get(2));
        assertEquals("sluice: and more; r holds RuleChange: check --verdicts-topic", errors.get(3));
    }

    @Test
    void keysOfStatisticsArePrintedAsText() throws Exception {
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send("d", "9f2c/-17".getBytes(StandardCharsets.UTF_8), single());
            producer.send("d", new byte[] {-1, 0, 7}, single());
            producer.flush();
        }
        List<String> keys = new ArrayList<>();
        for (String line : lines(cat("d"))) {
            keys.add(JSON.readTree(line).get("key").asText());
        }
        assertEquals(List.of("9f2c/-17", "ff0007"), keys.subList(keys.size() - 2, keys.size()));
    }

    @Test
    void catTellsPlaceKeyAndColumns() throws Exception {
        JsonNode line = JSON.readTree(lines(cat("v", "--limit", 1)).get(0));
        assertEquals("v", line.get("topic").asText());
        assertEquals(0, line.get("offset").asInt());
        assertEquals(5, line.get("key").asInt());
        assertTrue(Instant.parse(line.get("timestamp").asText()).isBefore(Instant.MAX));
        assertEquals("VerdictBlock", line.get("schema").asText());
        assertEquals("[1,2,3,4]", line.at("/record/columns/packet").toString());
        assertEquals("[1,2,2,2]", line.at("/record/columns/version").toString());
        assertEquals("[1,1,2,0]", line.at("/record/columns/rule").toString());
        assertEquals("[0,0,0,0]", line.at("/record/columns/word 12").toString());
        for (String change : lines(cat("r"))) {
            assertEquals("RuleChange", JSON.readTree(change).get("schema").asText());
        }
    }
}
