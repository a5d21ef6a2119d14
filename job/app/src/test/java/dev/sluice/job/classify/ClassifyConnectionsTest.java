package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of the connection tracker. */
class ClassifyConnectionsTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");

    private static final String STATES =
            """
            :FORWARD DROP [0:0]
            -A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
            -A FORWARD -p udp -m udp --dport 53 -j ACCEPT
            -A FORWARD -p tcp -m multiport --dports 22,80 --syn -j ACCEPT
            COMMIT
            """;

    @TempDir Path folder;

    @Test
    void noPacketDependsOnTheState() throws IOException {
        Sluice run = run("classify", STATES, "--conntrack", "linux");
        List<String> lines = Sluice.ok(run).out().lines().toList();
        assertTrue(lines.get(0).endsWith("\toutcome\tassumed\tstate"), lines.get(0));
        assertEquals(0, lines.stream().filter(line -> line.contains("\tdepends\t")).count());
        assertTrue(run.err().contains("connections: 16 opened"), run.err());
        for (String state : List.of("new", "established", "invalid", "untracked")) {
            assertTrue(lines.stream().anyMatch(line -> line.endsWith("\t" + state)), state);
        }
        assertTrue(lines.get(1).contains("--conntrack linux\t"), lines.get(1));
    }

    @Test
    void verdictsWithoutATrackerAreThoseOfBefore() throws IOException {
        String plain = Sluice.ok(run("classify", STATES)).out();
        assertEquals(plain, Sluice.ok(run("classify", STATES, "--conntrack", "none")).out());
        assertTrue(plain.contains("\tdepends\t") && !plain.contains("\tstate\n"));
    }

    @Test
    void theSummaryCountsConnections() throws Exception {
        Sluice run = Sluice.ok(run("classify", STATES, "--conntrack", "linux", "--json"));
        JsonNode counts = new ObjectMapper().readTree(run.out()).get("connections");
        assertEquals(16, counts.get("opened").asInt());
        assertTrue(counts.get("answering_packets").asInt() > 50, counts.toString());
        JsonPage.assertTells("classify", run.out(), "dead_letters", "refused_versions[]");
    }

    @Test
    void anAckBeginsNoConnectionWhereThatIsSaid() throws IOException {
        String acks = STATES.replace(" --syn", "");
        String loose = Sluice.ok(run("classify", acks, "--conntrack", "linux")).out();
        String strict =
                Sluice.ok(run("classify", acks, "--conntrack", "linux", "--conntrack-strict"))
                        .out();
        assertTrue(
                strict.lines().filter(line -> line.endsWith("\tinvalid")).count()
                        > loose.lines().filter(line -> line.endsWith("\tinvalid")).count());
    }

    @Test
    void aPacketThatAwsTellsNothingOfDepends() throws IOException {
        String told = Sluice.ok(run("classify", STATES, "--conntrack", "aws")).out();
        assertTrue(told.contains("--conntrack aws\t"));
        for (String state : List.of("new", "established", "unknown")) {
            assertTrue(told.lines().anyMatch(line -> line.endsWith("\t" + state)), state);
        }
        assertTrue(told.lines().noneMatch(line -> line.endsWith("\tinvalid")));
        assertTrue(told.contains("\tdepends\t"));
    }

    @Test
    void anArchiveTracksNoConnections() {
        Sluice run =
                Sluice.run(
                        "archive",
                        CAPTURE,
                        "--rules",
                        TestData.office("office.save") + "#FORWARD",
                        "--verdicts",
                        folder.resolve("verdicts"),
                        "--conntrack",
                        "linux");
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains("'sluice classify' or 'sluice replay'"), run.err());
    }

    @Test
    void aTimeoutEndsConnections() throws IOException {
        Sluice run =
                run(
                        "classify",
                        STATES,
                        "--conntrack",
                        "linux",
                        "--conntrack-timeout",
                        "icmp_timeout=1");
        assertEquals(0, run.status(), run.err());
        Sluice wrong =
                run("classify", STATES, "--conntrack", "linux", "--conntrack-timeout", "udp=1");
        assertEquals(2, wrong.status());
        assertTrue(wrong.err().contains("udp-timeout-stream"), wrong.err());
    }

    @Test
    void filterAndHitsTakeItToo() throws IOException {
        Path out = folder.resolve("dropped.pcap");
        Sluice.ok(run("filter", STATES, "--conntrack", "linux", "--outcome", "deny", "-w", out));
        assertTrue(Files.size(out) > 1000);
        Sluice hits = Sluice.ok(run("rules hits", STATES, "--conntrack", "linux"));
        assertTrue(hits.out().contains("ESTABLISHED") && !hits.out().contains("depends on"));
    }

    @ParameterizedTest
    @CsvSource({
        "--conntrack linux --assume new, leave one of them out",
        "--conntrack linux --nat, leave one of them out",
        "--conntrack-strict, add --conntrack linux",
        "--conntrack linux --conntrack-timeout icmp_timeout=0, give 1 to 2147483647 s",
        "--conntrack azure, azure is unknown",
        "--conntrack aws --conntrack-strict, leave it out",
        "--conntrack aws --tcp-windows, leave it out",
        "--conntrack aws --conntrack-timeout gre_timeout=9, has no such timeout",
        "--conntrack linux --connections v.tsv --verdicts v.tsv, the command reads or writes v.tsv",
    })
    void optionsThatSayNothingTogetherAreRefused(String words, String remedy) throws IOException {
        Sluice run = run("classify", STATES, (Object[]) words.split(" "));
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(remedy), run.err());
    }

    @Test
    void packetsThatRulesDropOrExemptBeforeAreNotTracked() throws IOException {
        String raw = "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p udp -j %s\nCOMMIT\n";
        for (String target : List.of("NOTRACK", "DROP", "ACCEPT")) {
            Sluice run = run("classify", STATES, raw.formatted(target), "--conntrack", "linux");
            List<String> lines = Sluice.ok(run).out().lines().toList();
            int column = List.of(lines.get(0).split("\t")).indexOf("rule");
            Map<String, Integer> seen = new TreeMap<>();
            for (String line : lines) {
                String[] cells = line.split("\t");
                seen.merge(cells[column] + " " + cells[cells.length - 1], 1, Integer::sum);
            }
            boolean drops = target.equals("DROP");
            int exempt = seen.getOrDefault("9 untracked", 0);
            int dropped = seen.getOrDefault("4 untracked", 0);
            assertEquals(target.equals("ACCEPT"), exempt + dropped == 0, seen.toString());
            assertEquals(drops, dropped > 100, seen.toString());
            assertEquals(target.equals("ACCEPT"), seen.containsKey("9 new"), seen.toString());
        }
    }

    @Test
    void directionAndStatusAreKnownWithATrackerAlone() throws IOException {
        String asks =
                STATES.replaceFirst(
                        "-A",
                        "-A FORWARD -m conntrack --ctdir REPLY --ctstatus ASSURED -j ACCEPT\n-A");
        String plain = Sluice.ok(run("classify", asks)).out();
        assertTrue(plain.contains("\tdepends\t"));
        String told = Sluice.ok(run("classify", asks, "--conntrack", "linux")).out();
        assertTrue(!told.contains("\tdepends\t"));
        assertTrue(told.lines().anyMatch(line -> line.matches(".*\t4\t.*\testablished")), told);
    }

    @Test
    void aPolicyWithoutStatesTracksNothing() throws IOException {
        String plain = STATES.replaceAll(".*ctstate.*\n", "");
        Sluice run = Sluice.ok(run("classify", plain, "--conntrack", "linux"));
        assertTrue(run.err().contains("--conntrack does nothing"), run.err());
        assertTrue(!run.out().contains("\tstate\n"));
    }

    private Sluice run(String command, String filter, Object... more) throws IOException {
        String before = more.length > 0 && more[0].toString().startsWith("*") ? more[0] + "" : "";
        Path rules = folder.resolve("host.save");
        Files.writeString(rules, "# Generated by iptables-save\n" + before + "*filter\n" + filter);
        List<Object> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of(CAPTURE, "--rules", rules + "#FORWARD"));
        Stream.of(more).skip(before.isEmpty() ? 0 : 1).forEach(words::add);
        return Sluice.run(words.toArray());
    }
}
