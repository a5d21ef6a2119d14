package dev.sluice.job.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainCommandTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.save");
    private static final Path OFFICE = TestData.inCheckout("test-data/office/office.ovs");
    private static final Path OFFICE_SAVE = TestData.inCheckout("test-data/office/office.save");
    private static final Path PACKETS = TestData.inCheckout("test-data/office/office.pcapng.gz");

    @Test
    void verdictAndNearMissesAreTold() {
        Sluice run =
                Sluice.run(
                        "explain",
                        "tcp 203.0.113.10:40000 > 198.51.100.10:22 in eth0 syn",
                        "--rules",
                        SERVER + "#INPUT",
                        "--assume",
                        "new");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().startsWith("deny (DROP) by line 17: -A LOGDROP -j DROP\n"), run.out());
        assertTrue(run.out().contains("in eth0 syn"), run.out());
        assertTrue(
                run.out().contains("misses source: 203.0.113.10, wants 192.0.2.0/24"), run.out());
        assertTrue(run.out().contains("matches: jumps to LOGDROP"), run.out());
    }

    /** The same packet in words, as bytes of an IP packet, and as a frame. */
    @ParameterizedTest
    @CsvSource({
        "tcp 192.0.2.10:40000 > 198.51.100.10:22 ttl 64 length 40",
        "45000028123400004006 0000c000020ac633640a9c400016000000000000000050022000 00000000",
        "020000000001020000000002080045000028123400004006 0000c000020ac633640a9c400016000000000000000050022000 00000000"
    })
    void packetHasThreeForms(String packet) {
        Sluice run =
                Sluice.run(
                        "explain", packet, "--rules", SERVER + "#INPUT", "--in-interface", "eth0");
        assertEquals(0, run.status(), run.err());
        String all = run.out();
        assertTrue(all.startsWith("permit (ACCEPT) by line 13: "), all);
        assertTrue(all.contains("tcp 192.0.2.10:40000 > 198.51.100.10:22 syn"), all);
        assertTrue(all.contains("length 40"), all);
    }

    /** Verdicts that classify writes are those that explain tells of each packet alone. */
    @ParameterizedTest
    @CsvSource({
        "firewall/server.pcapng.gz,firewall/server.save#INPUT",
        "firewall/server.pcapng.gz,firewall/server.save",
        "firewall/server.pcapng.gz,firewall/server6.save#INPUT",
        "firewall/server.pcapng.gz,iptables/public/openwrt.save",
        "office/office.pcapng.gz,office/office.ovs",
        "office/office.pcapng.gz,office/office.save#FORWARD",
        "office/office.pcapng.gz,kubernetes/office.yaml",
        "office/office.pcapng.gz,kubernetes/calico.yaml",
        "office/office.pcapng.gz,nft/host.nft"
    })
    void verdictIsTheOneOfClassify(String packets, String file, @TempDir Path folder)
            throws IOException {
        verdictsAgree(packets, file, folder.resolve("verdicts.tsv"), "--conntrack=none");
    }

    /** Returns the states of connections that explanations name. */
    private static Set<String> verdictsAgree(
            String packets, String file, Path verdicts, String tracker) throws IOException {
        String capture = TestData.inCheckout("test-data/" + packets).toString();
        String rules = TestData.inCheckout("test-data/") + "/" + file;
        Set<String> states = new TreeSet<>();
        Sluice classify =
                Sluice.run("classify", capture, "--rules", rules, "--verdicts", verdicts, tracker);
        assertEquals(0, classify.status(), classify.err());
        List<String> rows = Files.readAllLines(verdicts);
        List<String> names = List.of(rows.get(0).split("\t", -1));
        for (int row = 1; row < rows.size(); row += 1 + rows.size() / 20) {
            List<String> cells = List.of(rows.get(row).split("\t", -1));
            String number = cells.get(names.indexOf("packet"));
            String packet = capture + "#" + number;
            Sluice run = Sluice.run("explain", packet, "--rules", rules, "--json", tracker);
            assertEquals(0, run.status(), run.err());
            JsonNode explained = new ObjectMapper().readTree(run.out());
            String line = explained.get("line").isNull() ? "" : explained.get("line").asText();
            String where = number + ": " + run.out();
            assertEquals(cells.get(names.indexOf("rule")).replaceFirst("^0$", ""), line, where);
            assertEquals(
                    cells.get(names.indexOf("action")), explained.get("action").asText(), where);
            if (names.contains("outcome") && !explained.get("outcome").isNull()) {
                String outcome = cells.get(names.indexOf("outcome"));
                assertEquals(outcome, explained.get("outcome").asText(), where);
            }
            explained
                    .get("ways")
                    .forEach(way -> way.get("states").forEach(one -> states.add(one.asText())));
        }
        return states;
    }

    /** Several packets are explained one by one; words without quotes are one packet. */
    @Test
    void eachPacketIsExplained() {
        String first = "tcp 10.0.0.1:1 > 10.0.0.2:23";
        Sluice two = Sluice.run("explain", first, PACKETS + "#7", "--rules", OFFICE, "--json");
        assertEquals(0, two.status(), two.err());
        List<String> lines = two.out().lines().toList();
        assertEquals(2, lines.size(), two.out());
        assertTrue(lines.get(0).contains("\"line\":3,"), lines.get(0));
        assertTrue(lines.get(1).contains("\"line\":34,"), lines.get(1));
        List<Object> words = new ArrayList<>(List.of("explain", "--rules", OFFICE, "--json"));
        words.addAll(List.of(first.split(" ")));
        Sluice one = Sluice.run(words.toArray());
        assertEquals(lines.get(0), one.out().strip(), one.err());
    }

    /** A packet that is not of IP has an outcome, as in other answers. */
    @Test
    void packetThatNoPolicyJudgesIsNotJudged() {
        Sluice run = Sluice.run("explain", "arp", "--rules", SERVER, "--json");
        assertTrue(run.out().contains("\"outcome\":\"not-judged\""), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "tcp 10.0.0.1:1 > 10.0.0.2:2,--all,'name CAPTURE#N, or leave out --conntrack'",
        "any.pcap#1,--why-not=10,leave out --conntrack"
    })
    void stateOfNoPacketOfACaptureIsRefused(String packet, String option, String why) {
        Sluice run =
                Sluice.run("explain", packet, option, "--rules", SERVER, "--conntrack", "linux");
        assertTrue(run.status() > 0 && run.err().contains(why), run.err());
    }

    /** Answers come at once, wrong lines are named, and Ctrl-C and the end of input end it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void linesOfStandardInputAreExplainedAtOnce(boolean interrupts, @TempDir Path folder)
            throws IOException, InterruptedException {
        Path err = folder.resolve("err");
        Process process =
                Sluice.process("explain", "-i", "--rules", OFFICE, "--json")
                        .redirectError(err.toFile())
                        .start();
        try (Writer in = process.outputWriter();
                BufferedReader out = process.inputReader()) {
            for (String line : List.of("tcp 10.0.0.1:1 > 10.0.0.2:23", "", "bogus", "arp")) {
                in.write(line + "\n");
                in.flush();
                if (line.length() > 0 && !line.equals("bogus")) {
                    assertTrue(out.readLine().contains("\"packet\":\"" + line.substring(0, 3)));
                }
            }
            if (interrupts) {
                new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();
            } else {
                in.close();
            }
            assertEquals(interrupts ? 130 : 1, process.waitFor(), Files.readString(err));
        }
        String said = Files.readString(err);
        assertTrue(said.startsWith("sluice: standard input:3: packet, column 1: 'bogus'"), said);
        String last = "sluice: interrupted: explained 2 packets\n";
        assertEquals(interrupts, said.endsWith(last), said);
    }

    /** The state that the packets before give each packet, and the verdicts on them. */
    @ParameterizedTest
    @CsvSource({
        "firewall/server.pcapng.gz,firewall/server.save#INPUT,2",
        "office/office.pcapng.gz,office/office.save#FORWARD,2",
        "office/office.pcapng.gz,kubernetes/office.yaml,1",
        "office/office.pcapng.gz,nft/host.nft,1"
    })
    void trackedVerdictIsTheOneOfClassify(
            String packets, String file, int least, @TempDir Path folder) throws IOException {
        Set<String> states =
                verdictsAgree(packets, file, folder.resolve("verdicts.tsv"), "--conntrack=linux");
        assertTrue(states.size() >= least, states.toString());
    }

    @ParameterizedTest
    @CsvSource({"new,deny (DROP) by line 4", "established,permit (ACCEPT) by line 7"})
    void stateOfThePacketIsJudged(String state, String verdict) {
        String packet = "tcp 10.0.0.1:1234 > 10.1.0.2:8080 " + state;
        Sluice run = Sluice.run("explain", packet, "--rules", OFFICE_SAVE + "#FORWARD");
        assertTrue(run.out().startsWith(verdict), run.out() + run.err());
    }

    @ParameterizedTest
    @CsvSource({
        "new,--assume established,new",
        "established,--assume new,established",
        "in eth1,--in-interface eth0,in eth1",
        "out eth1,--out-interface eth0,out eth1"
    })
    void optionThatContradictsThePacketIsRefused(String said, String option, String fact) {
        List<Object> words = new ArrayList<>(List.of("explain"));
        words.addAll(List.of("tcp 10.0.0.1:1234 > 10.1.0.2:8080 " + said, "--rules"));
        words.add(OFFICE_SAVE + "#FORWARD");
        words.addAll(List.of(option.split(" ")));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(1, run.status(), run.out());
        String told = option + ": the packet says " + fact + "; leave one of them out";
        assertTrue(run.err().contains(told), run.err());
    }

    /** Lines behind one that takes a state want the other. */
    @ParameterizedTest
    @CsvSource({
        "7,'may act on this packet\nwhether it acts then depends on a connection that is established\n'",
        "8,'  protocol: tcp, wants icmp\n  ICMP type: none, wants 8\n  ICMP code: none, wants 0-255\n  connection: unknown, wants new\n'",
        "9,'  protocol: tcp, wants udp\n  destination port: 8080, wants 53,514\n  connection: unknown, wants new\n'"
    })
    void stateIsANeed(int line, String told) {
        Sluice run =
                Sluice.run(
                        "explain",
                        "tcp 10.0.0.1:1234 > 10.1.0.2:8080",
                        "--rules",
                        OFFICE_SAVE + "#FORWARD",
                        "--why-not",
                        "" + line);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains(told.replace("\\n", "\n")), run.out());
    }

    @Test
    void jsonIsAsTold() {
        Sluice run = Sluice.run("explain", PACKETS + "#7", "--rules", OFFICE, "--json", "--all");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("\"line\":34"), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "arp,'IP version: none, wants IPv4'",
        "tcp [2001:db8::1]:1 > [2001:db8::2]:2,'IP version: IPv6, wants IPv4'"
    })
    void packetThatComesToNoHookIsToldWhy(String packet, String why) {
        Sluice run = Sluice.run("explain", packet, "--rules", SERVER);
        String told = "not-judged: the packet comes to no hook of the policy (" + why + ")\n";
        assertTrue(run.out().startsWith(told), run.out());
    }

    /** Conditions on fragments, as iptables and nft write them, and other packets' values. */
    @ParameterizedTest
    @CsvSource({
        "-f,'','fragment: no fragment, wants later fragment'",
        "-f,first-fragment,'fragment: first fragment, wants later fragment'",
        "! -f,later-fragment,'fragment: later fragment, wants no later fragment'"
    })
    void fragmentsAreToldInOneWord(String rule, String fact, String told, @TempDir Path folder)
            throws IOException {
        String rules = "*filter\n:FORWARD DROP\n-A FORWARD %s -j ACCEPT\nCOMMIT\n";
        Path file = Files.writeString(folder.resolve("f.save"), rules.formatted(rule));
        Sluice run = Sluice.run("explain", "gre 10.0.0.1 > 10.0.0.2 " + fact, "--rules", file);
        assertTrue(run.out().contains(told), run.out() + run.err());
    }

    /** Rules that a network plugin adds to a cluster's have no line. */
    @Test
    void lineWithoutARuleIsToldTheLinesThatHaveOne() {
        Path rules = TestData.inCheckout("test-data/kubernetes/office.yaml");
        String packet = "tcp 10.0.0.1:1 > 10.0.0.2:2";
        Sluice run = Sluice.run("explain", packet, "--rules", rules, "--why-not", "3000");
        assertTrue(run.err().contains("no rule begins on that line; rules that judge packets"));
        assertTrue(run.err().contains(" are on lines 56 to 98"), run.err());
    }

    /** The default action of a list has no line in JSON, and a word on the command line. */
    @ParameterizedTest
    @CsvSource({"default,443,acts,null", "0,23,taken,3"})
    void defaultActionIsAskedForByItsWord(String word, int port, String answer, String line)
            throws IOException {
        Sluice run =
                Sluice.run(
                        "explain",
                        "tcp 10.0.0.1:1234 > 10.1.0.2:" + port,
                        "--rules",
                        OFFICE,
                        "--json",
                        "--why-not",
                        word);
        assertEquals(0, run.status(), run.err());
        JsonNode told = new ObjectMapper().readTree(run.out());
        assertEquals(line, told.get("line").asText(), run.out());
        assertEquals(answer, told.at("/why_not/answer").asText(), run.out());
        assertTrue(told.at("/why_not/line").isNull(), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "default,1,each base chain; name the line that states it; rules that judge packets are on lines",
        "x,2,x is no number of a line; write one as in 14",
        "-3,2,-3 is no number"
    })
    void lineThatIsNoneIsRefused(String word, int status, String why) {
        String packet = "tcp 10.0.0.1:1 > 10.0.0.2:2";
        Sluice run = Sluice.run("explain", packet, "--rules", SERVER, "--why-not=" + word);
        assertEquals(status, run.status(), run.err());
        assertTrue(run.err().replace(", or", " or").contains(why), run.err());
    }

    @Test
    void lineThatNeedsAnotherPortSaysSo() {
        Sluice run =
                Sluice.run(
                        "explain",
                        "tcp 10.0.0.1:1234 > 10.1.0.2:443",
                        "--rules",
                        OFFICE,
                        "--why-not",
                        "3");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("  destination port: 443, wants 23\n"), run.out());
        assertTrue(run.out().contains("as in: tcp 10.0.0.1:1234 > 10.1.0.2:23 syn\n"), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "tcp 10.0.0.1:1,'packet, column 15: '''': the packet ends here'",
        "tcp 10.0.0.1:1 > 10.0.0.2:2 in a in b,'packet, column 34: ''in'': says the in interface a second time'",
        "nowhere.pcap#3,nowhere.pcap",
        "nowhere.pcap#0,numbered from 1",
        "0000000000000000000000000000000000000000a,half a byte too many"
    })
    void wrongPacketIsRefused(String packet, String problem) {
        Sluice run = Sluice.run("explain", packet, "--rules", OFFICE);
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains(problem), run.err());
    }
}
