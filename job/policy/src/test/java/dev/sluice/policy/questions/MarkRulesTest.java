package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Differences of policies whose packets depend on marks that no header tells. */
class MarkRulesTest {
    private static final String SAVE =
            """
            *mangle
            :PREROUTING ACCEPT [1:60]
            :POSTROUTING ACCEPT [0:0]
            -A PREROUTING -s 10.9.0.1/32 -j ACCEPT
            -A PREROUTING -p tcp -m tcp --dport 22 -j MARK --set-xmark 0x1/0xffffffff
            COMMIT
            *filter
            :INPUT ACCEPT [7:420]
            :MARKED - [0:0]
            :OTHERS - [0:0]
            -A INPUT -s 10.0.0.0/8 -m mark --mark 0x1 -j DROP
            -A INPUT -s 11.0.0.0/8 -m mark --mark 0x1 -j MARKED
            -A INPUT -s 12.0.0.0/8 -j OTHERS
            -A INPUT -s 13.0.0.0/8 -m limit --limit 5/sec -j DROP
            -A MARKED -p udp -j DROP
            -A OTHERS -m mark --mark 0x1 -j RETURN
            -A OTHERS -p udp -j DROP
            COMMIT
            """;

    private static final String NFT =
            """
            table inet t {
             chain pre {
              type filter hook prerouting priority -150; policy accept;
              ip daddr 192.0.2.0/24 counter packets 1 bytes 60 meta mark set 1
             }
             chain in {
              type filter hook input priority 0; policy accept;
              ip saddr 10.0.0.0/8 meta mark 1 drop
              ip saddr 11.0.0.0/8 meta mark 1 jump marked
              ip saddr 13.0.0.0/8 limit rate 5/second drop
             }
             chain marked {
              meta l4proto udp drop
             }
            }
            """;

    @TempDir Path folder;

    private SemanticDiff diff(String text, String part, String other) throws IOException {
        String edited = text.replace(part, other.replace("\\n", "\n"));
        assertTrue(part.isEmpty() || !edited.equals(text), part);
        Path old = Files.writeString(folder.resolve("old"), text);
        Path fresh = Files.writeString(folder.resolve("new"), edited);
        return SemanticDiffTest.diff(old, fresh, PolicyOptions.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "--dport 22, --dport 23, 10.0.0.0/8",
        "--dport 22, --dport 22:23, 10.0.0.0/8",
        "-p tcp -m tcp --dport 22, -p udp, udp from 11.0.0.0/8",
        "0x1/0xffffffff, 0x2/0xffffffff, 10.0.0.0/8",
        "10.9.0.1, 10.9.0.2, 10.9.0.1",
        "10.0.0.0/8 -m mark --mark 0x1, 10.0.0.0/8 -m mark --mark 0x2, 10.0.0.0/8",
        "OTHERS -m mark --mark 0x1, OTHERS -m mark --mark 0x2, udp from 12.0.0.0/8",
        "192.0.2.0, 192.0.3.0, 10.0.0.0/8",
        "mark set 1, mark set 2, 10.0.0.0/8",
        "10.0.0.0/8 meta mark 1, 10.0.0.0/8 meta mark 2, 10.0.0.0/8",
    })
    void marksOfEachPacketAreCompared(String part, String other, String packets)
            throws IOException {
        SemanticDiff diff = diff(SAVE.contains(part) ? SAVE : NFT, part, other);
        assertTrue(
                diff.pairs().stream()
                        .anyMatch(
                                pair ->
                                        !pair.oldOutcome().equals(pair.newOutcome())
                                                && pair.where().contains(packets)),
                diff.toString());
        assertTrue(diff.pairs().stream().noneMatch(MarkRulesTest::depends), diff.toString());
        assertTrue(diff.warnings().stream().noneMatch(one -> one.contains("marks")));
    }

    @ParameterizedTest
    @CsvSource({
        "--restore-mark, --restore-mark --mask 0x3, 10.0.0.0/8",
        "10.0.0.0/8 -m mark --mark 0x1, 10.0.0.0/8 -m mark --mark 0x2, 10.0.0.0/8",
        "11.0.0.0/8 -m mark --mark 0x1, 11.0.0.0/8 -m mark --mark 0x2, udp from 11.0.0.0/8",
        "OTHERS -m mark --mark 0x1, OTHERS -m mark --mark 0x2, udp from 12.0.0.0/8",
        "set ct mark, set ct mark or 4, 10.0.0.0/8",
        "10.0.0.0/8 meta mark 1, 10.0.0.0/8 meta mark 2, 10.0.0.0/8",
        "11.0.0.0/8 meta mark 1, 11.0.0.0/8 meta mark 2, udp from 11.0.0.0/8"
    })
    void marksOfConnectionsThatAreSetOrAskedOtherwiseAreTold(
            String part, String other, String packets) throws IOException {
        String save =
                SAVE.replace(
                        "-p tcp -m tcp --dport 22 -j MARK --set-xmark 0x1/0xffffffff",
                        "-j CONNMARK --restore-mark");
        String nft =
                NFT.replace("ip daddr 192.0.2.0/24 ", "").replace("mark set 1", "mark set ct mark");
        SemanticDiff diff = diff(save.contains(part) ? save : nft, part, other);
        assertTrue(diff.mayDeny() && diff.mayPermit() && !diff.isEmpty(), diff.toString());
        assertTrue(
                diff.pairs().stream()
                        .anyMatch(pair -> depends(pair) && pair.where().contains(packets)),
                diff.toString());
        assertTrue(diff.warnings().stream().anyMatch(one -> one.contains("undecided: marks")));
        assertEquals(0, diff.givenUp());
    }

    private static boolean depends(DiffPair pair) {
        return pair.oldOutcome().equals("depends") && pair.newOutcome().equals("depends");
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "[1:60], [0:0]",
        ":POSTROUTING ACCEPT [0:0], :POSTROUTING ACCEPT [5:300]",
        "-A INPUT -s 13, -A INPUT -p tcp -m tcp --dport 80 -j ACCEPT\\n-A INPUT -s 13",
        "packets 1 bytes 60, packets 2 bytes 120",
        "rate 5/second, rate 6/second",
        "ip saddr 10, tcp dport 80 accept\\n  ip saddr 10"
    })
    void packetsDependAlikeOnMarksThatAreSetAndAskedAlike(String part, String other)
            throws IOException {
        for (String text : new String[] {SAVE, NFT}) {
            if (text.contains(part)) {
                SemanticDiff diff = diff(text, part, other);
                assertTrue(
                        diff.pairs().stream().noneMatch(MarkRulesTest::depends), diff.toString());
                assertEquals(other.contains("80"), !diff.isEmpty(), diff.toString());
            }
        }
    }
}
