package dev.sluice.job.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplainCommandTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.save");
    private static final Path OFFICE = TestData.inCheckout("test-data/office/office.ovs");
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

    @Test
    void jsonIsAsTold() {
        Sluice run = Sluice.run("explain", PACKETS + "#7", "--rules", OFFICE, "--json", "--all");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("\"line\":34"), run.out());
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
        "nowhere.pcap#3,nowhere.pcap",
        "0000000000000000000000000000000000000000a,half a byte too many"
    })
    void wrongPacketIsRefused(String packet, String problem) {
        Sluice run = Sluice.run("explain", packet, "--rules", OFFICE);
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains(problem), run.err());
    }
}
