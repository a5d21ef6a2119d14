package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that judge captures by a policy of chains. */
class ClassifyPolicyTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path HOST = TestData.inCheckout("test-data/iptables/host.save");

    @TempDir Path folder;

    @Test
    void engineFindsTheLineThatLinearSearchFinds() throws IOException {
        PolicyOptions options = new PolicyOptions("INPUT", Assumptions.NONE, false);
        PolicyFile policy = PolicyFile.read(HOST, options);
        try (CaptureHits hits = new CaptureHits(policy, ParserOptions.DEFAULTS, null);
                CaptureReader capture = Captures.open(CAPTURE)) {
            CaptureBatch batch = hits.newBatch();
            while (capture.next()) {
                batch.add(capture);
            }
            VerdictBatch found = hits.classify(batch);
            HeaderBatch headers = batch.headers();
            for (int i = 0; i < headers.size(); i++) {
                int[] header = new int[HeaderWord.COUNT];
                for (int p = 0; p < headers.layout().size(); p++) {
                    header[headers.layout().word(p)] = headers.word(p, i);
                }
                Answer answer = policy.flat().judge(header);
                if (answer == null) {
                    assertEquals(VerdictBatch.MISS, found.rule(i), "packet " + i);
                } else {
                    String action =
                            answer.outcome() == Outcome.DEPENDS
                                    ? "depends"
                                    : answer.rule().action();
                    assertEquals(
                            answer.rule().origin().line() + " " + action,
                            hits.rule(found.rule(i)).line()
                                    + " "
                                    + hits.rule(found.rule(i)).action(),
                            "packet " + i);
                }
            }
        }
    }

    @Test
    void eachPacketHasALineWithItsActionAndRule() {
        Sluice run =
                Sluice.run(
                        "classify",
                        CAPTURE,
                        "--rules",
                        HOST + "#INPUT",
                        "--assume",
                        "new",
                        "--in-interface",
                        "eth0");
        assertEquals(0, run.status(), run.err());
        Map<String, Long> actions =
                run.out()
                        .lines()
                        .skip(1)
                        .map(line -> line.split("\t", -1)[5])
                        .collect(
                                Collectors.groupingBy(
                                        action -> action, TreeMap::new, Collectors.counting()));
        assertEquals(1057, actions.values().stream().mapToLong(Long::longValue).sum());
        assertTrue(actions.containsKey("DROP") && actions.containsKey("ACCEPT"), "" + actions);
        assertTrue(actions.containsKey("not-judged"), "" + actions);
        assertTrue(run.err().contains("host.save: 26 rules of INPUT read"), run.err());
        Set<String> answers =
                run.out()
                        .lines()
                        .skip(1)
                        .map(line -> line.split("\t", -1))
                        .map(row -> row[5] + " " + row[9] + " " + row[10])
                        .collect(Collectors.toCollection(TreeSet::new));
        String assumed = " --hook INPUT --assume new --in-interface eth0";
        assertEquals(
                Set.of(
                        "ACCEPT permit" + assumed,
                        "DROP deny" + assumed,
                        "depends depends" + assumed,
                        "not-judged not-judged" + assumed),
                answers);
    }

    @Test
    void filterHandsOnThePacketsOfAnOutcomeAsClassifyTellsThem() throws IOException {
        Object[] rules = {"--rules", HOST + "#INPUT", "--assume", "new", "--in-interface", "eth0"};
        List<Object> classify = new ArrayList<>(List.of("classify", CAPTURE));
        classify.addAll(List.of(rules));
        Map<String, Long> expected =
                rows(classify.toArray()).stream()
                        .skip(1)
                        .map(row -> row[9])
                        .collect(
                                Collectors.groupingBy(
                                        outcome -> outcome, TreeMap::new, Collectors.counting()));
        Map<String, Long> handedOn = new TreeMap<>();
        for (String outcome : List.of("permit", "deny", "depends", "not-judged")) {
            List<Object> filter = new ArrayList<>(List.of("filter", CAPTURE, "--json"));
            filter.addAll(List.of(rules));
            filter.addAll(List.of("--outcome", outcome, "-w", folder.resolve(outcome + ".pcapng")));
            String told = Sluice.ok(Sluice.run(filter.toArray())).out();
            handedOn.put(outcome, new ObjectMapper().readTree(told).get("handed_on").asLong());
        }
        assertEquals(expected, handedOn);
    }

    @Test
    void packetDependsOnItsConnectionUntilItsStateIsAssumed() throws IOException {
        Path file = folder.resolve("host.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                -A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
                COMMIT
                """);
        String both = Sluice.run("classify", CAPTURE, "--rules", file, "--hook", "INPUT").out();
        assertTrue(both.contains("\t3\t0\tdepends\t"), both);
        String first =
                Sluice.run("classify", CAPTURE, "--rules", file + "#INPUT", "--assume", "new")
                        .out();
        assertTrue(first.contains("\t2\t0\tDROP\t") && !first.contains("ACCEPT"), first);
    }

    @Test
    void theHostsAddressesTellTheHookAndItsRoutesTheInterface() throws IOException {
        Path file = folder.resolve("ways.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                :FORWARD ACCEPT [0:0]
                :OUTPUT ACCEPT [0:0]
                -A FORWARD -o wan0 -j REJECT
                -A OUTPUT -o lan0 -m addrtype --dst-type BROADCAST -j DROP
                COMMIT
                """);
        String own = "192.168.1.1";
        Path host = folder.resolve("host.json");
        Files.writeString(
                host,
                """
                [{"ifname":"lan0","addr_info":[{"family":"inet","local":"%s","prefixlen":24,
                  "broadcast":"192.168.1.255"}]}]
                [{"dst":"default","gateway":"203.0.113.1","dev":"wan0","flags":[]},
                 {"dst":"192.168.1.0/24","dev":"lan0","flags":[]}]
                []
                """
                        .formatted(own));
        Path trace = folder.resolve("packets.pcap");
        capture(
                trace,
                "192.168.1.7>192.168.1.1",
                "192.168.1.7>198.51.100.9",
                "198.51.100.9>192.168.1.7",
                "192.168.1.1>192.168.1.255",
                "192.168.1.1>192.168.1.7");
        Sluice known = Sluice.run("classify", trace, "--rules", file, "--host", host);
        assertEquals(0, known.status(), known.err());
        assertEquals(
                List.of("2 DROP", "5 REJECT", "3 ACCEPT", "6 DROP", "4 ACCEPT"),
                known.out()
                        .lines()
                        .skip(1)
                        .map(line -> line.split("\t", -1)[3] + " " + line.split("\t", -1)[5])
                        .toList());
        Sluice unknown = Sluice.run("classify", trace, "--rules", file);
        assertTrue(unknown.err().contains("neither --host nor --hook"), unknown.err());
        assertEquals(5, unknown.out().split("\tdepends\t1\t", -1).length - 1, unknown.out());
    }

    private static List<String[]> rows(Object... words) {
        Sluice run = Sluice.ok(Sluice.run(words));
        return run.out().lines().map(line -> line.split("\t", -1)).toList();
    }

    /** Each stage alone tells which rule decides in it. */
    @Test
    void packetOfAClusterNamesTheRuleOfEachStageAndHitsCountThem() throws IOException {
        Path file = TestData.inCheckout("test-data/kubernetes/office.yaml");
        List<String[]> both = rows("classify", CAPTURE, "--rules", file, "--assume", "new");
        List<String[]> egress =
                rows("classify", CAPTURE, "--rules", file + "#egress", "--assume", "new");
        List<String[]> ingress =
                rows("classify", CAPTURE, "--rules", file + "#ingress", "--assume", "new");
        assertEquals("status earlier", both.get(0)[7] + " " + both.get(0)[8]);
        assertEquals(
                List.of("status", "outcome", "assumed"),
                List.of(egress.get(0)).subList(7, egress.get(0).length));
        Map<String, Long> expected = new TreeMap<>();
        int passed = 0;
        for (int i = 1; i < both.size(); i++) {
            String[] row = both.get(i);
            boolean judged = !row[5].equals("not-judged") && !row[5].equals("depends");
            boolean passes = judged && !egress.get(i)[5].startsWith("deny");
            if (!row[5].equals("depends")) {
                assertEquals(passes ? egress.get(i)[3] : "", row[8], "packet " + row[1]);
            }
            if (judged) {
                String[] last = (passes ? ingress : egress).get(i);
                assertEquals(last[3] + " " + last[5], row[3] + " " + row[5], "packet " + row[1]);
            }
            passed += passes ? 1 : 0;
            if (!row[3].isEmpty()) {
                expected.merge(row[3], 1L, Long::sum);
            }
            if (!row[8].isEmpty()) {
                expected.merge(row[8], 1L, Long::sum);
            }
        }
        assertTrue(passed > both.size() / 2, passed + " packets pass the egress");
        Map<String, Long> hits = new TreeMap<>();
        for (String line :
                Sluice.run("rules", "hits", CAPTURE, "--rules", file, "--assume", "new", "--json")
                        .out()
                        .split("\n")) {
            JsonNode row = new ObjectMapper().readTree(line);
            long packets = row.get("packets").asLong();
            String action = row.get("action").asText();
            boolean denies = action.startsWith("deny");
            if (packets > 0 && !row.get("rule_id").isNull() && !action.equals("depends")) {
                assertEquals(denies ? "deny" : "permit", row.get("outcome").asText(), line);
            }
            if (packets > 0 && !row.get("rule_id").isNull()) {
                String number = row.get("line").isNull() ? "0" : row.get("line").asText();
                hits.merge(number, packets, Long::sum);
            }
        }
        assertEquals(expected, hits);
    }

    /** Writes a capture of UDP packets, each SOURCE>DESTINATION. */
    private static void capture(Path file, String... packets) throws IOException {
        ByteBuffer to =
                ByteBuffer.allocate(24 + packets.length * 58).order(ByteOrder.nativeOrder());
        to.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
        to.putInt(65535).putInt(1);
        for (String packet : packets) {
            to.putInt(0).putInt(0).putInt(42).putInt(42);
            String[] ends = packet.split(">", 2);
            String addresses = "";
            for (String end : ends) {
                for (String octet : end.split("\\.", -1)) {
                    addresses += HexFormat.of().toHexDigits((byte) Integer.parseInt(octet));
                }
            }
            to.put(
                    HexFormat.of()
                            .parseHex(
                                    "0200000000020200000000010800"
                                            + "4500001c000000004011"
                                            + "0000"
                                            + addresses
                                            + "0400003500080000"));
        }
        Files.write(file, to.array());
    }

    @Test
    void rulesShowPrintsWhatWasUnderstood() throws IOException {
        Sluice run = Sluice.run("rules", "show", HOST + "#INPUT", "--format", "tsv");
        assertEquals(0, run.status(), run.err());
        assertTrue(
                run.out().contains("state ESTABLISHED,RELATED\t-A INPUT -m conntrack"), run.out());
        JsonPage.assertTells(
                "rules show",
                Sluice.run("rules", "show", HOST + "#INPUT", "--json").out(),
                "change",
                "id",
                "priority",
                "place",
                "defaultAction");
        assertTrue(Sluice.run("rules", "formats").out().contains("ip6tables"));
    }
}
