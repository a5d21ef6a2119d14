package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --headers inner} as a user says it. */
class InnerHeadersTest {
    private static final String INNER =
            "020000000001020000000002" + "0800" + ip("0028", "06", "0a000001", "0a000002");
    private static final String TCP = "9c400016" + "0000000000000000" + "5002020000000000";

    /** A SYN to port 22 of 10.0.0.2 in VXLAN 5001 between 192.0.2.1 and 192.0.2.2. */
    private static final byte[] FRAME =
            HexFormat.of()
                    .parseHex(
                            "020000000003020000000004"
                                    + "0800"
                                    + ip("005a", "11", "c0000201", "c0000202")
                                    + "c00012b500460000"
                                    + "0800000000138900"
                                    + INNER
                                    + TCP);

    @TempDir Path folder;
    private Path capture;
    private Path rules;

    private static String ip(String length, String protocol, String source, String destination) {
        return "4500" + length + "00000000" + "40" + protocol + "0000" + source + destination;
    }

    @BeforeEach
    void write() throws IOException {
        capture = folder.resolve("overlay.pcap");
        ByteBuffer out = ByteBuffer.allocate(40 + FRAME.length);
        out.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
        out.putInt(65_535).putInt(1).putLong(0).putInt(FRAME.length).putInt(FRAME.length);
        Files.write(capture, out.put(FRAME).array());
        rules = folder.resolve("tenants.ovs");
        Files.writeString(
                rules,
                "priority=9,tun_id=5001,tcp,nw_dst=10.0.0.0/24,tp_dst=22,actions=drop\n"
                        + "priority=5,udp,tp_dst=4789,actions=normal\n");
    }

    private static List<String> verdict(Sluice run) {
        String[] cells = run.out().lines().toList().get(1).split("\t", -1);
        return List.of(cells[3], cells[5]);
    }

    @Test
    void classifyJudgesByTheInnerHeaderAndItsTunnelOrSaysThatNoTunnelIsOpened() {
        Sluice inner = Sluice.run("classify", capture, "--rules", rules, "--headers", "inner");
        assertEquals(0, inner.status(), inner.err());
        assertEquals(List.of("1", "drop"), verdict(inner));
        assertFalse(inner.err().contains("--headers inner"), inner.err());
        Sluice outer = Sluice.run("classify", capture, "--rules", rules);
        assertEquals(List.of("2", "normal"), verdict(outer));
        assertTrue(outer.err().contains("rules name tun_id"), outer.err());
        assertTrue(outer.err().contains("add --headers inner"), outer.err());
    }

    @Test
    void headersPrintsTheInnerHeaderAndItsTunnel() {
        Sluice run = Sluice.run("headers", capture, "--headers", "inner");
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.get(0).endsWith("\ttun_id"), lines.get(0));
        assertTrue(lines.get(1).contains("\t10.0.0.1\t10.0.0.2\t6\t"), lines.get(1));
        assertTrue(lines.get(1).endsWith("\t5001"), lines.get(1));
        assertFalse(Sluice.run("headers", capture).out().contains("tun_id"));
    }

    @Test
    void anotherDepthOrAnotherFormatThanFramesIsRefused() {
        Sluice unknown = Sluice.run("headers", capture, "--headers", "middle");
        assertEquals(2, unknown.status());
        assertTrue(unknown.err().contains("use one of outer, inner"), unknown.err());
        Sluice run = Sluice.run("run", "--bootstrap", "localhost:1", "--headers", "inner");
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains("--packet-format frames"), run.err());
    }
}
