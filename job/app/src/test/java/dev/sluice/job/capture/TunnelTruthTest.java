package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Inner headers against those that tshark sees. */
class TunnelTruthTest {
    private static final int PACKETS = 4_000;

    @TempDir Path folder;

    /**
     * A packet as we see it.
     *
     * @param tunnel whether its inner header is another than its outer one
     * @param columns the columns of the table
     */
    private record Seen(boolean tunnel, PacketStatus status, String[] columns) {
        private String of(int first) {
            return columns[first] + " " + columns[first + 1];
        }

        String macs() {
            return of(7);
        }

        String addresses() {
            return of(13);
        }

        String ports() {
            return of(18);
        }

        String tunnelId() {
            return columns[23];
        }
    }

    private static List<Seen> read(Path file) throws IOException {
        List<Seen> seen = new ArrayList<>();
        PacketParser inner = new PacketParser(ParserOptions.INNER);
        PacketParser outer = new PacketParser();
        ParsedPacket in = new ParsedPacket();
        ParsedPacket out = new ParsedPacket();
        try (CaptureReader capture = Captures.open(file)) {
            while (capture.next()) {
                inner.parse(capture, in);
                outer.parse(capture, out);
                StringBuilder line = new StringBuilder();
                HeaderTable.append(line, capture, in);
                HeaderTable.append(line, HeaderTable.more(ParserOptions.INNER), in);
                seen.add(
                        new Seen(
                                !Arrays.equals(in.words(), out.words()),
                                in.status(),
                                line.toString().split("\t", -1)));
            }
        }
        return seen;
    }

    @Test
    void packetsInRandomTunnelsAreSeenAsTsharkSeesThem() throws Exception {
        Oracle.TSHARK.require();
        TunnelFrames frames = new TunnelFrames(TestSeed.random(22));
        List<byte[]> made = Stream.generate(() -> frames.frame(4)).limit(PACKETS).toList();
        Path file = folder.resolve("tunnels.pcap");
        Files.write(file, pcap(made));
        List<Tshark> truth = Tshark.read(file);
        List<Seen> seen = read(file);
        assertEquals(PACKETS, truth.size());
        int tunnels = 0;
        for (int i = 0; i < PACKETS; i++) {
            Tshark t = truth.get(i);
            Seen s = seen.get(i);
            String where = "packet " + (i + 1) + " of " + file + ": " + t;
            assertEquals(PacketStatus.OK, s.status, where);
            assertEquals(t.addresses(), s.addresses(), where);
            assertEquals(t.macs(), s.macs(), where);
            assertEquals(t.ports(), s.ports(), where);
            assertEquals(t.tunnelId(), s.tunnelId(), where);
            tunnels += s.tunnel ? 1 : 0;
        }
        assertTrue(tunnels > PACKETS / 2, tunnels + " packets in tunnels");
    }

    @Test
    void packetsInRarerTunnelsAreSeenAsTsharkSeesThem() throws Exception {
        Oracle.TSHARK.require();
        TunnelFrames frames = new TunnelFrames(TestSeed.random(25));
        List<byte[]> made = Stream.generate(frames::rareFrame).limit(PACKETS).toList();
        Path file = folder.resolve("rare.pcap");
        Files.write(file, pcap(made));
        List<Tshark> truth = Tshark.read(file);
        List<Seen> seen = read(file);
        assertEquals(PACKETS, truth.size());
        for (int i = 0; i < PACKETS; i++) {
            Tshark t = truth.get(i);
            Seen s = seen.get(i);
            String where = "packet " + (i + 1) + " of " + file + ": " + t;
            assertEquals(PacketStatus.OK, s.status, where);
            assertTrue(s.tunnel, where);
            assertEquals(t.addresses(), s.addresses(), where);
            assertEquals(t.ports(), s.ports(), where);
        }
    }

    @Test
    void packetsOfPublicCapturesAreSeenAsTsharkSeesThem() throws Exception {
        Path captures = SharedData.folder("captures").resolve("files");
        Oracle.TSHARK.require();
        List<Path> files;
        try (Stream<Path> all = Files.list(captures)) {
            files = all.sorted().toList();
        }
        int tunnels = 0;
        int withTunnels = 0;
        List<String> wrong = new ArrayList<>();
        for (Path file : files) {
            List<Seen> seen = read(file);
            if (seen.stream().noneMatch(Seen::tunnel)) {
                continue;
            }
            withTunnels++;
            List<Tshark> truth = Tshark.read(file);
            for (int i = 0; i < Math.min(truth.size(), seen.size()); i++) {
                Tshark t = truth.get(i);
                Seen s = seen.get(i);
                if (!s.tunnel && !t.hasTunnel() || !s.status.isClassified() || t.gaveUp()) {
                    continue;
                }
                tunnels++;
                String told = s.addresses() + " " + s.ports() + " id " + s.tunnelId();
                boolean same =
                        t.hasIp()
                                && t.addresses().equals(s.addresses())
                                && (t.ports().isEmpty() || t.ports().equals(s.ports()))
                                && t.tunnelId().equals(s.tunnelId());
                if (!same) {
                    wrong.add(file.getFileName() + " " + (i + 1) + ": " + told + "; truth " + t);
                }
            }
        }
        assertEquals(List.of(), wrong.stream().limit(40).toList(), wrong.size() + " differ");
        assertTrue(withTunnels >= 20 && tunnels >= 200, withTunnels + " files, " + tunnels);
    }

    /** A capture of frames. */
    static byte[] pcap(List<byte[]> frames) {
        int bytes = frames.stream().mapToInt(frame -> 16 + frame.length).sum();
        ByteBuffer out = ByteBuffer.allocate(24 + bytes);
        out.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
        out.putInt(65_535).putInt(LinkType.ETHERNET.number);
        for (byte[] frame : frames) {
            out.putInt(1_000).putInt(0).putInt(frame.length).putInt(frame.length).put(frame);
        }
        return out.array();
    }

    @Test
    void aHeaderOutsideTunnelsIsTheSameInBothWays() throws IOException {
        TunnelFrames frames = new TunnelFrames(TestSeed.random(23));
        Path file = folder.resolve("plain.pcap");
        Files.write(file, pcap(Stream.generate(() -> frames.frame(0)).limit(100).toList()));
        for (Seen seen : read(file)) {
            assertEquals(false, seen.tunnel);
            assertEquals("", seen.tunnelId());
        }
    }
}
