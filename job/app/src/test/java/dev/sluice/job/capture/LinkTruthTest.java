package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Link types and tags against what tshark sees. */
class LinkTruthTest {
    private static final int PACKETS = 300;

    @TempDir Path folder;

    private List<String[]> seen(Path file) throws IOException {
        List<String[]> lines = new ArrayList<>();
        for (String line : CaptureTruthTest.read(file)) {
            lines.add(line.split("\t", -1));
        }
        return lines.subList(1, lines.size() - 1);
    }

    private Path pcap(int linkType, List<byte[]> packets) throws IOException {
        Path file = folder.resolve("link-" + linkType + ".pcap");
        byte[] bytes = TunnelTruthTest.pcap(packets);
        bytes[22] = (byte) (linkType >>> 8);
        bytes[23] = (byte) linkType;
        return Files.write(file, bytes);
    }

    private void assertSameAsTshark(Path file, int packets) throws Exception {
        List<Tshark> truth = Tshark.read(file);
        List<String[]> seen = seen(file);
        assertEquals(packets, seen.size());
        assertEquals(packets, truth.size());
        for (int i = 0; i < packets; i++) {
            Tshark t = truth.get(i);
            String[] s = seen.get(i);
            String where = "packet " + (i + 1) + " of " + file + ": " + t;
            assertTrue(t.hasIp(), where);
            assertEquals("ok", s[21], where);
            assertEquals(t.addresses(), s[13] + " " + s[14], where);
            assertEquals(t.ports(), s[18] + " " + s[19], where);
            assertEquals(t.ports().isEmpty() ? "" : t.transport(), s[15], where);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0, 1, 9, 12, 50, 100, 101, 104, 105, 107, 108, 109, 117, 127, 192, 204, 226, 239,
                258
            })
    void packetsOfEachLinkTypeAreSeenAsTsharkSeesThem(int linkType) throws Exception {
        Oracle.TSHARK.require();
        LinkFrames frames = new LinkFrames(TestSeed.random(linkType));
        List<byte[]> packets =
                Stream.generate(() -> frames.packet(linkType)).limit(PACKETS).toList();
        assertSameAsTshark(pcap(linkType, packets), PACKETS);
    }

    @Test
    void tagsAreLookedThroughAsTsharkDoes() throws Exception {
        Oracle.TSHARK.require();
        LinkFrames frames = new LinkFrames(TestSeed.random(41));
        List<byte[]> packets =
                Stream.generate(
                                () ->
                                        frames.tagged(
                                                LinkTag.QINQ_9100,
                                                LinkTag.VN_TAG,
                                                LinkTag.CISCO_METADATA,
                                                LinkTag.HSR,
                                                LinkTag.R_TAG))
                        .limit(PACKETS)
                        .toList();
        assertSameAsTshark(pcap(1, packets), PACKETS);
    }

    /** Two link types that tshark does not read: a byte of direction, and another's packet. */
    @ParameterizedTest
    @CsvSource({"205, 104", "206, 107"})
    void aDirectionStandsBeforeThePacket(int linkType, int plain) {
        LinkFrames frames = new LinkFrames(TestSeed.random(linkType));
        PacketParser parser = new PacketParser();
        ParsedPacket behind = new ParsedPacket();
        ParsedPacket alone = new ParsedPacket();
        for (int i = 0; i < PACKETS; i++) {
            byte[] packet = frames.packet(plain);
            byte[] directed = new byte[1 + packet.length];
            System.arraycopy(packet, 0, directed, 1, packet.length);
            parser.parse(packet, 0, packet.length, packet.length, plain, alone);
            parser.parse(directed, 0, directed.length, directed.length, linkType, behind);
            assertEquals(PacketStatus.OK, behind.status());
            assertArrayEquals(alone.words(), behind.words());
        }
    }

    /** Where both find an IP header in a link header that was damaged, it is the same one. */
    @ParameterizedTest
    @ValueSource(ints = {9, 50, 104, 105, 107, 117, 127, 192, 239, 258})
    void damagedLinkHeadersAreSeenAsTsharkSeesThemOrNotAtAll(int linkType) throws Exception {
        Oracle.TSHARK.require();
        Random random = TestSeed.random(1_000 + linkType);
        LinkFrames frames = new LinkFrames(random);
        List<byte[]> packets = new ArrayList<>();
        for (int i = 0; i < PACKETS; i++) {
            byte[] packet = frames.packet(linkType);
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                packet[random.nextInt(16)] ^= (byte) (1 << random.nextInt(8));
            }
            packets.add(packet);
        }
        Path file = pcap(linkType, packets);
        List<Tshark> truth = Tshark.read(file);
        List<String[]> seen = seen(file);
        int same = 0;
        for (int i = 0; i < PACKETS; i++) {
            boolean both = truth.get(i).hasIp() && seen.get(i)[21].equals("ok");
            if (both) {
                String where = "packet " + (i + 1) + " of " + file + ": " + truth.get(i);
                assertEquals(
                        truth.get(i).addresses(), seen.get(i)[13] + " " + seen.get(i)[14], where);
                same++;
            }
        }
        assertTrue(same > 0, "all were damaged beyond recognition");
    }
}
