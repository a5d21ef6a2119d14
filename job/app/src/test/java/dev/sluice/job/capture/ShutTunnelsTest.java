package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.capture.TunnelFrames.Part;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tunnels that stay shut are counted by their kind, wherever inner headers count. */
class ShutTunnelsTest {
    private static final String TOLD =
            "7 packets with the header around a tunnel that stays shut: vxlan 3, capwap 1, esp 1, esp-in-udp 1, wireguard 1";

    @TempDir Path folder;
    private Path capture;
    private Path rules;

    @BeforeEach
    void write() throws IOException {
        TunnelFrames frames = new TunnelFrames(TestSeed.random(3));
        Part arp = frames.ethernet(new Part(0x0806, new byte[28]));
        List<Part> packets = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            packets.add(frames.vxlan(arp, 5));
        }
        packets.add(frames.ip(50, new byte[40]));
        packets.add(frames.udp(4500, words(0x01020304, 1, 2, 3)));
        packets.add(frames.udp(4500, words(0, 1, 2, 3))); // keys are exchanged
        packets.add(frames.udp(51_820, words(0x04000000, 1, 2, 3)));
        packets.add(frames.udp(51_820, words(0x01000000, 1, 2, 3))); // a greeting
        packets.add(frames.udp(5247, words(0x01000000, 1, 2, 3))); // DTLS
        packets.add(frames.vxlan(frames.ethernet(frames.transport()), 9)); // opened
        packets.add(frames.transport());
        capture = folder.resolve("shut.pcap");
        Files.write(
                capture,
                TunnelTruthTest.pcap(
                        packets.stream().map(p -> frames.ethernet(p).bytes()).toList()));
        rules = Files.writeString(folder.resolve("r.ovs"), "priority=1,actions=drop\n");
    }

    private static byte[] words(int... words) {
        ByteBuffer out = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            out.putInt(word);
        }
        return out.array();
    }

    private static Sluice inner(Object... words) {
        Object[] all = new Object[words.length + 2];
        System.arraycopy(words, 0, all, 0, words.length);
        all[words.length] = "--headers";
        all[words.length + 1] = "inner";
        Sluice run = Sluice.run(all);
        assertEquals(0, run.status(), run.err());
        return run;
    }

    @Test
    void commandsTellThem() {
        Sluice headers = inner("headers", capture);
        assertTrue(headers.err().contains("shut.pcap: " + TOLD), headers.err());
        Sluice classify = inner("classify", capture, "--rules", rules, "--summary");
        assertTrue(classify.out().contains(TOLD), classify.out());
        Path out = folder.resolve("out.pcap");
        Sluice filter = inner("filter", capture, "--rules", rules, "--action", "drop", "-w", out);
        assertTrue(filter.err().contains(TOLD), filter.err());
        Sluice hits = inner("rules", "hits", capture, "--rules", rules);
        assertTrue(hits.err().contains(TOLD), hits.err());
    }

    @Test
    void programsAreToldByKind() {
        String shut =
                "\"shut_tunnels\":{\"vxlan\":3,\"capwap\":1,\"esp\":1,\"esp-in-udp\":1,\"wireguard\":1}";
        for (Sluice run :
                List.of(
                        inner("headers", capture, "--count", "--json"),
                        inner("classify", capture, "--rules", rules, "--json"))) {
            String compact = run.out().replaceAll("\\s", "");
            assertTrue(compact.contains(shut), compact);
        }
    }

    @Test
    void outerHeadersCountNone() {
        Sluice headers = Sluice.run("headers", capture);
        assertFalse(headers.err().contains("stays shut"), headers.err());
    }
}
