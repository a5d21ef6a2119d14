package dev.sluice.policy.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.logs.LogFinding.Kind;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs that a kernel wrote (test-data/logs) against their policies, and against edited ones. */
class LogVerifierTest {
    private static final String PACKET =
            "IN=eth0 OUT= SRC=10.0.0.7 DST=10.0.0.1 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 DF PROTO=TCP SPT=9 DPT=%d WINDOW=64 RES=0x00 %s URGP=0 ";

    @TempDir Path folder;

    private static Path data(String name) {
        return TestData.inCheckout("test-data/logs/" + name);
    }

    private static LogVerifier verifier(Path file) {
        try (OpenRules text = OpenRules.open(file, null)) {
            PolicyFile.Listed listed = PolicyFile.list(text, PolicyOptions.NONE, true);
            return new LogVerifier(listed.asked(), Assumptions.NONE);
        }
    }

    private LogVerifier verifier(String rules) throws IOException {
        return verifier(
                Files.writeString(
                        folder.resolve("policy.save"),
                        "*filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n" + rules + "COMMIT\n"));
    }

    private static Kind kind(LogVerifier verifier, String line) throws Exception {
        LoggedPacket packet = LogText.parse(line);
        return verifier.verify(Objects.requireNonNull(packet)).kind();
    }

    private static Map<Kind, Integer> counts(LogVerifier verifier, String log) throws Exception {
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        for (String line : Files.readAllLines(data(log))) {
            counts.merge(kind(verifier, line), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void aKernelsLogAgreesWithThePolicyThatTheKernelHeld() throws Exception {
        assertEquals(
                Map.of(Kind.AGREES, 68, Kind.NOT_JUDGED, 20),
                counts(verifier(data("host.save")), "host.log"));
        assertEquals(
                Map.of(Kind.AGREES, 20, Kind.NOT_JUDGED, 68),
                counts(verifier(data("host6.save")), "host.log"));
        assertEquals(Map.of(Kind.AGREES, 72), counts(verifier(data("gateway.nft")), "gateway.log"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "host.save | --dports 80,443 | --dports 80,443,8080 | NOT_REACHED",
                "host.save | -A FORWARD -m ttl --ttl-lt 63 | -A FORWARD -m ttl --ttl-lt 65 | NOT_REACHED",
                "host.save | -A FORWARD -i eth0 -o eth1 -p tcp -m tcp --dport 80 | -A FORWARD -i eth1 -o eth1 -p tcp -m tcp --dport 80 | NOT_REACHED",
                "host.save | \"DROP: \" | \"DROPPED: \" | UNKNOWN_PREFIX",
                "host.save | -A LOGDROP -j DROP | -A LOGDROP -j ACCEPT | OTHER_OUTCOME",
                "gateway.nft | ip ttl < 63 drop | ip ttl < 65 drop | NOT_REACHED",
                "gateway.nft | tcp dport { 80, 443 } accept | tcp dport { 80, 443, 8080 } accept | NOT_REACHED",
            })
    void oneEditedLineIsFound(String name, String line, String edited, Kind kind) throws Exception {
        String text = Files.readString(data(name));
        assertTrue(text.contains(line), line);
        Path other = Files.writeString(folder.resolve(name), text.replace(line, edited));
        String log = name.replaceFirst("\\..*", ".log");
        Map<Kind, Integer> counts = counts(verifier(other), log);
        assertTrue(counts.containsKey(kind), counts.toString());
    }

    @Test
    void aStateThatNobodyKnowsMakesNoDifference() throws Exception {
        LogVerifier verifier =
                verifier(
                        """
                        -A INPUT -m conntrack --ctstate NEW -p tcp --dport 80 -j ACCEPT
                        -A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
                        -A INPUT -j LOG --log-prefix "last: "
                        """);
        assertEquals(Kind.DEPENDS, kind(verifier, "last: " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.AGREES, kind(verifier, "last: " + PACKET.formatted(81, "SYN")));
    }

    @Test
    void aLimitOfTheRuleThatLogsHeldAndOneBeforeItIsUnknown() throws Exception {
        LogVerifier verifier =
                verifier(
                        """
                        -A INPUT -p tcp --dport 80 -m limit --limit 5/sec -j ACCEPT
                        -A INPUT -m limit --limit 5/min -j LOG --log-prefix "last: "
                        """);
        assertEquals(Kind.DEPENDS, kind(verifier, "last: " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.AGREES, kind(verifier, "last: " + PACKET.formatted(81, "SYN")));
    }

    @Test
    void headersOfSyslogAreLeftOut() throws Exception {
        LogVerifier verifier = verifier("-A INPUT -j LOG --log-prefix \"[UFW BLOCK] \"\n");
        for (String header :
                List.of(
                        "",
                        "[12345.678901] ",
                        "<4>[    5.100000] ",
                        "[Sun Nov 29 02:49:43 2026] ",
                        "Nov 29 02:49:43 gw kernel: ",
                        "Nov 29 02:49:43 gw kernel: [   12.345678] ",
                        "2026-11-29T02:49:43.123456+00:00 gw kernel[1]: ",
                        "Nov 29 02:49:43 gw fw-logger: ")) {
            String line = header + "[UFW BLOCK] " + PACKET.formatted(80, "SYN");
            assertEquals(Kind.AGREES, kind(verifier, line), line);
        }
        assertEquals(
                Kind.UNKNOWN_PREFIX,
                kind(verifier, "[1.2] [UFW ALLOW] " + PACKET.formatted(1, "SYN")));
    }

    @Test
    void aPrefixOfTwoRulesAgreesWithEither() throws Exception {
        LogVerifier verifier =
                verifier(
                        """
                        -A INPUT -p tcp --dport 80 -j LOG --log-prefix "x "
                        -A INPUT -p tcp --dport 80 -j DROP
                        -A INPUT -p tcp --dport 81 -j LOG --log-prefix "x "
                        """);
        assertEquals(2, verifier.logging().get("x ").size());
        assertEquals(Kind.AGREES, kind(verifier, "x " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.AGREES, kind(verifier, "x " + PACKET.formatted(81, "SYN")));
        assertEquals(Kind.NOT_REACHED, kind(verifier, "x " + PACKET.formatted(82, "SYN")));
    }

    @Test
    void aPacketOnAnotherWayIsADifference() throws Exception {
        LogVerifier verifier = verifier("-A INPUT -j LOG --log-prefix \"x \"\n");
        String forwarded = PACKET.formatted(80, "SYN").replace("OUT= ", "OUT=eth1 ");
        assertEquals(Kind.NOT_REACHED, kind(verifier, "x " + forwarded));
    }

    @Test
    void chainsThatDenyNothingLogInEachTable() throws Exception {
        LogVerifier verifier =
                verifier(
                        """
                        -A INPUT -j ACCEPT
                        COMMIT
                        *mangle
                        :POSTROUTING ACCEPT [0:0]
                        -A POSTROUTING -j LOG --log-prefix "mangle "
                        COMMIT
                        *nat
                        :INPUT ACCEPT [0:0]
                        :POSTROUTING ACCEPT [0:0]
                        -A INPUT -p tcp --dport 80 -j LOG --log-prefix "in "
                        -A POSTROUTING -o eth1 -j LOG --log-prefix "post "
                        -A POSTROUTING -o eth1 -j MASQUERADE
                        """);
        String sent = PACKET.formatted(80, "SYN").replace("IN=eth0 OUT= ", "IN= OUT=eth1 ");
        assertEquals(Kind.AGREES, kind(verifier, "in " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.NOT_REACHED, kind(verifier, "in " + PACKET.formatted(81, "SYN")));
        assertEquals(Kind.AGREES, kind(verifier, "mangle " + sent));
        assertEquals(Kind.AGREES, kind(verifier, "post " + sent));
        String other = sent.replace("eth1", "eth2");
        assertEquals(Kind.NOT_REACHED, kind(verifier, "post " + other));
    }

    @Test
    void aDestinationThatNatTranslatesMakesNoDifferenceBeforeIt() throws Exception {
        LogVerifier verifier =
                verifier(
                        """
                        -A FORWARD -p tcp --dport 81 -j ACCEPT
                        -A FORWARD -j LOG --log-prefix "rest "
                        COMMIT
                        *nat
                        :PREROUTING ACCEPT [0:0]
                        -A PREROUTING -p tcp --dport 80 -j LOG --log-prefix "ALLOW nat "
                        -A PREROUTING -p tcp --dport 80 -j DNAT --to-destination 10.1.0.5:81
                        """);
        String behind = PACKET.formatted(81, "SYN").replace("OUT= ", "OUT=eth1 ");
        assertEquals(Kind.DEPENDS, kind(verifier, "ALLOW nat " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.NOT_REACHED, kind(verifier, "ALLOW nat " + PACKET.formatted(79, "SYN")));
        assertEquals(Kind.NOT_REACHED, kind(verifier, "rest " + behind));
    }

    @Test
    void chainsOfNftThatDenyNothingLogToo() throws Exception {
        LogVerifier verifier =
                verifier(
                        Files.writeString(
                                folder.resolve("gateway.nft"),
                                """
                                table inet f {
                                  chain pre {
                                    type filter hook prerouting priority -150; policy accept;
                                    tcp dport 80 log prefix "pre "
                                  }
                                  chain input { type filter hook input priority 0; policy drop; }
                                  chain post {
                                    type nat hook postrouting priority 100; policy accept;
                                    oifname "eth1" log prefix "nat " masquerade
                                  }
                                }
                                """));
        String sent = PACKET.formatted(80, "SYN").replace("IN=eth0 OUT= ", "IN= OUT=eth1 ");
        assertEquals(Kind.AGREES, kind(verifier, "pre " + PACKET.formatted(80, "SYN")));
        assertEquals(Kind.NOT_REACHED, kind(verifier, "pre " + PACKET.formatted(81, "SYN")));
        assertEquals(Kind.AGREES, kind(verifier, "nat " + sent));
    }
}
