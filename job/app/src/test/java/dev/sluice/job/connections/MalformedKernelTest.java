package dev.sluice.job.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets with malformed transport headers have the state that the kernel gives them. */
class MalformedKernelTest {
    private static final List<String> SETTINGS = List.of("nf_conntrack_checksum=0");

    /** The kernel lets all pass; what is invalid begins no connection. */
    private static final String RULES =
            """
            table inet fw {
              chain forward { type filter hook forward priority 0; policy accept;
                ct state invalid drop
              }
            }
            """;

    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int GRE = 47;
    private static final int UDP_LITE = 136;
    private static final int ETHERNET = 14;

    @TempDir Path folder;
    private final List<byte[]> frames = new ArrayList<>();
    private final List<String> labels = new ArrayList<>();
    private int port = 1024;

    private byte[] frame(int version, int from, int to, int protocol, String hex) {
        byte[] payload = HexFormat.of().parseHex(hex);
        ByteBuffer frame =
                ByteBuffer.allocate(ETHERNET + (version == 4 ? 20 : 40) + payload.length);
        frame.putShort((short) (ConnectionKernel.MAC >>> 32)).putInt((int) ConnectionKernel.MAC);
        frame.putShort((short) 0x0200).putInt(0x99);
        frame.putShort((short) (version == 4 ? 0x0800 : 0x86dd));
        if (version == 4) {
            frame.putShort((short) 0x4500).putShort((short) (20 + payload.length));
            frame.putShort((short) ConnectionKernel.FORWARDED).putShort((short) 0);
            frame.put((byte) 64).put((byte) protocol).putShort((short) 0);
            frame.putInt(0x0a000000 | from).putInt(0x0a000000 | to);
            frame.putShort(ETHERNET + 10, Sent.checksum(frame, ETHERNET));
        } else {
            frame.putInt(6 << 28 | ConnectionKernel.FORWARDED).putShort((short) payload.length);
            frame.put((byte) protocol).put((byte) 64);
            frame.putInt(0x20010db8).putLong(0).putInt(from);
            frame.putInt(0x20010db8).putLong(0).putInt(to);
        }
        return frame.put(payload).array();
    }

    private void add(int version, int protocol, String hex) {
        labels.add("%d %d %s".formatted(version, protocol, hex));
        frames.add(frame(version, 1, 130, protocol, hex));
    }

    private String ports() {
        return "%04x0050".formatted(port++);
    }

    private static String tcp(String ports, int offset, int flags, int length) {
        String whole = "%s000003e80000000%1x%x0%02x03e800000000".formatted(ports, 0, offset, flags);
        return (whole + "01".repeat(60)).substring(0, 2 * length);
    }

    private static String datagram(String ports, int stated, int checksum, int length) {
        String whole = "%s%04x%04x".formatted(ports, stated, checksum) + "00".repeat(40);
        return whole.substring(0, 2 * length);
    }

    private void addAll(int version) {
        for (int offset = 0; offset <= 15; offset++) {
            add(version, TCP, tcp(ports(), offset, 2, 20));
            add(version, TCP, tcp(ports(), offset, 2, 40));
        }
        for (int length : new int[] {14, 16, 19, 20}) {
            add(version, TCP, tcp(ports(), 5, 2, length));
        }
        for (int stated : new int[] {0, 4, 7, 8, 15, 16, 17, 40, 0xffff}) {
            add(version, UDP, datagram(ports(), stated, 1, 16));
            add(version, UDP_LITE, datagram(ports(), stated, 1, 16));
            add(version, UDP_LITE, datagram(ports(), stated, 0, 16));
        }
        for (int length : new int[] {4, 6, 7, 8}) {
            add(version, UDP, datagram(ports(), 8, 0, length));
            add(version, UDP_LITE, datagram(ports(), 0, 1, length));
            String echo = version == 4 ? "0800" : "8000";
            add(version, version == 4 ? 1 : 58, (echo + "0000" + ports()).substring(0, 2 * length));
        }
        String open = ports();
        String back = open.substring(4) + open.substring(0, 4);
        add(version, UDP, datagram(open, 8, 1, 8));
        frames.add(frame(version, 130, 1, UDP, datagram(back, 7, 1, 8)));
        labels.add("malformed answer");
        frames.add(frame(version, 130, 1, UDP, datagram(back, 8, 1, 8)));
        labels.add("answer");
        add(version, UDP, datagram(open, 9, 1, 8));
        add(version, UDP, datagram(open, 8, 1, 8));
        addFragments(version, UDP, datagram(ports(), 24, 1, 24), 8);
        addFragments(version, UDP, datagram(ports(), 7, 1, 24), 8);
        addFragments(version, TCP, tcp(ports(), 7, 2, 40), 24);
        addFragments(version, TCP, tcp(ports(), 4, 2, 40), 24);
    }

    /** The kernel judges a datagram when its last fragment came. */
    private void addFragments(int version, int protocol, String hex, int first) {
        byte[] whole = frame(version, 1, 130, protocol, hex);
        frames.addAll(Fragments.of(whole, version, first, frames.size()));
        labels.addAll(Collections.nCopies(2, "fragments of %d %s".formatted(protocol, hex)));
    }

    @Test
    void theKernelGivesEachPacketItsState() throws Exception {
        addAll(4);
        addAll(6);
        int compared = frames.size();
        add(4, GRE, "0000080000000000");
        add(4, GRE, "00010800");
        add(4, GRE, "3001880b00040007");
        add(4, GRE, "3001080000040007");
        List<String> expected;
        try (ConnectionKernel kernel = ConnectionKernel.open(SETTINGS)) {
            expected = new ArrayList<>(kernel.states(frames));
        }
        List<String> told = classified();
        for (int i = 0; i < frames.size() - 1; i++) {
            if (expected.get(i).equals("none")) {
                assertTrue(labels.get(i).startsWith("fragments"), labels.get(i));
                expected.set(i, expected.get(i + 1));
            }
        }
        for (int i = 0; i < frames.size(); i++) {
            String state = expected.get(i).replace("_reply", "");
            assertEquals(state, told.get(i), i + ": " + labels.get(i));
        }
        assertTrue(Collections.frequency(told, "invalid") > compared / 3, told.toString());
        assertTrue(Collections.frequency(told, "new") > compared / 4, told.toString());
    }

    private List<String> classified() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules"), RULES);
        Path capture = Files.write(folder.resolve("sent.pcap"), RandomFlow.pcap(frames));
        String[] words = "--rules %s#forward --conntrack linux".formatted(rules).split(" ");
        List<Object> all = new ArrayList<>(List.of("classify", capture));
        all.addAll(List.of(words));
        return Sluice.ok(Sluice.run(all.toArray()))
                .out()
                .lines()
                .skip(1)
                .map(line -> line.substring(line.lastIndexOf('\t') + 1))
                .toList();
    }
}
