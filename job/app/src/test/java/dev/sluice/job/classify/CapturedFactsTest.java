package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.capture.InterfaceCapture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts that captures tell beside headers, where a policy asks for them. */
class CapturedFactsTest {
    private static final int ETHERNET = 1;
    private static final int COOKED2 = 276;
    private static final int LOG = 239;
    private static final int UNSTATED = 0;
    private static final int INCOMING = 1;
    private static final int OUTGOING = 2;

    private static final String FRAME = "0200000000020200000000010800";

    /** UDP from 192.168.1.7 to 192.168.1.1, port 53. */
    private static final String PACKET =
            "4500001c0000000040110000" + "c0a80107c0a80101" + "0400003500080000";

    private static final String FORWARD =
            """
            *filter
            :INPUT DROP [0:0]
            :FORWARD DROP [0:0]
            -A FORWARD -i eth0 -j ACCEPT
            -A FORWARD -o wan0 -j REJECT
            -A INPUT -i eth0 -j ACCEPT
            -A INPUT -i wg+ -m mark --mark 0x7 -j REJECT
            -A INPUT -i wg+ -j ACCEPT
            -A INPUT ! -i lan0 -j REJECT
            COMMIT
            """;

    @TempDir Path folder;

    private final InterfaceCapture capture = new InterfaceCapture();

    @Test
    void namesOfInterfacesDecideInTheInputChain() throws IOException {
        capture.section();
        for (String name : List.of("eth0", "wg7", "lan0", "eth01", "any")) {
            capture.describe(ETHERNET, name);
        }
        for (int i = 0; i < 5; i++) {
            capture.packet(i, UNSTATED, 0, FRAME + PACKET);
        }
        capture.packet(0, UNSTATED, 0, "020000000002020000000001" + "81000005" + "0800" + PACKET);
        assertEquals(
                List.of("6 ACCEPT", "8 ACCEPT", "2 DROP", "9 REJECT", "9 depends", "9 depends"),
                lines("#INPUT"));
    }

    @Test
    void aForwardedPacketCameInWhereItsCaptureSaysSo() throws IOException {
        capture.section();
        capture.describe(ETHERNET, "eth0");
        capture.describe(ETHERNET, "wan0");
        capture.packet(0, UNSTATED, 0, FRAME + PACKET);
        capture.packet(0, INCOMING, 0, FRAME + PACKET);
        capture.packet(1, OUTGOING, 0, FRAME + PACKET);
        assertEquals(List.of("5 depends", "4 ACCEPT", "4 depends"), lines("#FORWARD"));
        Path names = Files.writeString(folder.resolve("names"), "0 eth0 # by its number\nwan0 x\n");
        assertEquals(
                List.of("4 ACCEPT", "4 ACCEPT", "4 depends"),
                lines("#FORWARD", "--interfaces", names));
        assertEquals(
                List.of("5 REJECT", "5 REJECT", "5 REJECT"),
                lines("#FORWARD", "--in-interface", "lan0", "--out-interface", "wan0"));
        assertEquals(
                List.of("4 ACCEPT", "4 ACCEPT", "4 ACCEPT"),
                lines("#FORWARD", "--interfaces", names, "--in-port", 0));
    }

    @Test
    void theHostsInterfacesNameNumbersOfTheKernel() throws IOException {
        capture.section();
        capture.describe(COOKED2, "any");
        capture.describe(LOG, "nflog");
        capture.packet(0, UNSTATED, 0, cooked(2, 0) + PACKET);
        capture.packet(0, UNSTATED, 0, cooked(3, 0) + PACKET);
        capture.packet(0, UNSTATED, 0, cooked(9, 0) + PACKET);
        capture.packet(1, UNSTATED, 0, log(2, "") + PACKET);
        capture.packet(1, UNSTATED, 0, log(3, "") + PACKET);
        capture.packet(1, UNSTATED, 0, log(3, "0800020000000007") + PACKET);
        capture.packet(0, UNSTATED, 0, cooked(4, 0) + PACKET);
        Path host = folder.resolve("host.json");
        Files.writeString(
                host,
                """
                [{"ifindex":2,"ifname":"eth0","addr_info":[]},
                 {"ifindex":3,"ifname":"wg7","addr_info":[{"local":"192.168.1.1","prefixlen":24}]},
                 {"ifindex":4,"ifname":"port4","master":"br0","addr_info":[]}]
                """);
        assertEquals(
                List.of(
                        "6 ACCEPT",
                        "8 ACCEPT",
                        "9 depends",
                        "6 ACCEPT",
                        "8 ACCEPT",
                        "7 REJECT",
                        "9 depends"),
                lines("", "--host", host));
        for (String line : lines("#INPUT")) {
            assertTrue(line.endsWith("depends"), line + " without it");
        }
    }

    @Test
    void rulesOfTimesAreJudgedAtEachPacketsTime() throws IOException {
        String policy =
                """
                *filter
                :INPUT DROP [0:0]
                -A INPUT -m time --timestart 08:00 --timestop 17:00 --weekdays Mon,Fri -j ACCEPT
                -A INPUT -m time --datestart 2026-12-01 --kerneltz -j ACCEPT
                COMMIT
                """;
        capture.section();
        capture.describe(ETHERNET, "eth0");
        for (String time :
                List.of("2026-11-27T17:00:00Z", "2026-11-27T17:00:01Z", "2026-11-28T09:00:00Z")) {
            capture.packet(0, UNSTATED, Instant.parse(time).getEpochSecond(), FRAME + PACKET);
        }
        Path rules = Files.writeString(folder.resolve("time.save"), policy);
        assertEquals(
                List.of("3 ACCEPT", "4 depends", "4 depends"),
                judged(rules, "#INPUT", "--policy-time", "packet"));
        assertEquals(
                List.of("3 ACCEPT"),
                judged(rules, "#INPUT", "--policy-time", "2026-11-30T09:00:00+01:00").stream()
                        .distinct()
                        .toList());
        assertEquals(List.of("3 depends"), judged(rules, "#INPUT").stream().distinct().toList());
        Sluice elsewhere = Sluice.run("rules", "show", rules, "--policy-time", "packet");
        assertEquals(2, elsewhere.status());
        assertTrue(elsewhere.err().contains("name a point in time"), elsewhere.err());
    }

    @Test
    void translationsOfDestinationsAreApplied() throws IOException {
        String policy =
                """
                *nat
                :PREROUTING ACCEPT [0:0]
                -A PREROUTING -p udp --dport 53 -j DNAT --to-destination 10.0.0.5:5353
                COMMIT
                *filter
                :INPUT DROP [0:0]
                :FORWARD DROP [0:0]
                -A FORWARD -d 10.0.0.5 -p udp --dport 5353 -j ACCEPT
                -A INPUT -p udp --dport 53 -j ACCEPT
                COMMIT
                """;
        capture.section();
        capture.describe(ETHERNET, "eth0");
        capture.packet(0, UNSTATED, 0, FRAME + PACKET);
        capture.packet(0, UNSTATED, 0, FRAME + PACKET.replace("04000035", "04000036"));
        capture.packet(0, UNSTATED, 0, FRAME + PACKET.replace("c0a80107", "c0a80101"));
        Path host = folder.resolve("host.json");
        Files.writeString(
                host,
                "[{\"ifname\":\"eth0\",\"addr_info\":[{\"local\":\"192.168.1.1\",\"prefixlen\":24}]}]");
        Path rules = Files.writeString(folder.resolve("nat.save"), policy);
        assertEquals(
                List.of("9 ACCEPT", "6 DROP", "9 ACCEPT"),
                judged(rules, "", "--host", host, "--assume", "new"));
        assertEquals(
                List.of("8 ACCEPT", "6 DROP", "9 ACCEPT"), // the last one meets nat OUTPUT alone
                judged(rules, "", "--host", host, "--assume", "new", "--nat"));
        Sluice without = Sluice.run("classify", folder.resolve("c"), "--rules", rules, "--nat");
        assertTrue(without.err().contains("add --assume new"), without.err());
    }

    private List<String> lines(String hook, Object... more) throws IOException {
        return judged(Files.writeString(folder.resolve("host.save"), FORWARD), hook, more);
    }

    /** Line and action of each packet. */
    private List<String> judged(Path rules, String hook, Object... more) throws IOException {
        Path file = Files.write(folder.resolve("c"), capture.bytes());
        Object[] words =
                Stream.concat(
                                Stream.of("classify", file, "--rules", rules + hook),
                                Arrays.stream(more))
                        .toArray();
        Sluice run = Sluice.run(words);
        assertEquals(0, run.status(), run.err());
        return run.out()
                .lines()
                .skip(1)
                .map(line -> line.split("\t", -1)[3] + " " + line.split("\t", -1)[5])
                .toList();
    }

    /** Header of a cooked capture, version 2: protocol, interface, kind of packet, address. */
    private static String cooked(int index, int kind) {
        return "08000000%08x0001%02x06%s".formatted(index, kind, "0200000000010000");
    }

    /** Header of a packet that netfilter logged, little endian: family, interface, payload. */
    private static String log(int index, String more) {
        return "02000000" + more + "08000400%08x".formatted(index) + "20000900";
    }
}
