package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.TunnelFrames.Part;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of tunnels that are cut, empty, or too many. */
class TunnelParserTest {
    private final PacketParser inner = new PacketParser(ParserOptions.INNER);
    private final PacketParser outer = new PacketParser();
    private final ParsedPacket packet = new ParsedPacket();
    private final ParsedPacket other = new ParsedPacket();
    private final TunnelFrames frames = new TunnelFrames(TestSeed.random(24));

    private PacketStatus parse(byte[] frame) {
        inner.parseEthernet(frame, packet);
        outer.parseEthernet(frame, other);
        return packet.status();
    }

    private Part nested(int tunnels) {
        Part part = frames.transport();
        for (int i = 0; i < tunnels; i++) {
            part = frames.ip(part.type() == TunnelFrames.IPV4 ? 4 : 41, part.bytes());
        }
        return part;
    }

    @Test
    void theDepthIsBoundedAndWhatLiesDeeperIsADeadLetter() {
        assertEquals(PacketStatus.OK, parse(frames.ethernet(nested(TunnelParser.MOST)).bytes()));
        assertEquals(1, Field.PORTS_PRESENT.extract(packet.words()[HeaderWord.IP]));
        PacketStatus deeper = parse(frames.ethernet(nested(TunnelParser.MOST + 1)).bytes());
        assertEquals("unsupported-tunnel-depth", deeper.label());
        assertEquals(PacketStatus.OK, other.status());
    }

    @Test
    void aTunnelWithoutIpLeavesTheHeaderAroundIt() {
        Part arp = frames.ethernet(new Part(0x0806, new byte[28]));
        assertEquals(PacketStatus.OK, parse(frames.ethernet(frames.vxlan(arp, 5)).bytes()));
        assertArrayEquals(other.words(), packet.words());
        assertEquals(4789, Field.DST_PORT.extract(packet.words()[HeaderWord.PORTS]));
    }

    @Test
    void aVniOfZeroIsOneAndNoTunnelHasNone() {
        byte[] frame =
                frames.ethernet(frames.vxlan(frames.ethernet(frames.transport()), 0)).bytes();
        assertEquals(PacketStatus.OK, parse(frame));
        assertEquals(1, Field.TUNNEL_ID_PRESENT.extract(packet.words()[HeaderWord.IP]));
        assertEquals(0, packet.words()[HeaderWord.TUNNEL_ID]);
        assertEquals(0, Field.TUNNEL_ID_PRESENT.extract(other.words()[HeaderWord.IP]));
    }

    @Test
    void aPacketThatIsCutBeforeItsInnerHeaderIsTruncatedAndKeepsNoOtherVerdict() {
        byte[] frame =
                frames.ethernet(frames.vxlan(frames.ethernet(frames.transport()), 7)).bytes();
        int truncated = 0;
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            inner.parse(cut, 0, length, frame.length, LinkType.ETHERNET.number, packet);
            outer.parse(cut, 0, length, frame.length, LinkType.ETHERNET.number, other);
            if (packet.status().isClassified()) {
                assertEquals(7, packet.words()[HeaderWord.TUNNEL_ID], "cut at " + length);
            } else if (other.status().isClassified()) {
                assertEquals(PacketStatus.TRUNCATED, packet.status(), "cut at " + length);
                truncated++;
            }
        }
        assertTrue(truncated > 20, truncated + " were truncated only inside");
    }

    /** Each packet lies in an array of its own size: a read beyond it would throw. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void damagedTunnelsAreNeverReadBeyondTheirBytes(long seed) {
        Random random = TestSeed.random(seed);
        TunnelFrames damaged = new TunnelFrames(random);
        EnumSet<PacketStatus> seen = EnumSet.noneOf(PacketStatus.class);
        for (int i = 0; i < 100_000; i++) {
            byte[] whole = damaged.frame(5);
            byte[] cut = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            for (int flips = random.nextInt(4); flips > 0 && cut.length > 0; flips--) {
                cut[random.nextInt(cut.length)] = (byte) random.nextInt();
            }
            long wire = random.nextBoolean() ? cut.length : whole.length;
            inner.parse(cut, 0, cut.length, wire, LinkType.ETHERNET.number, packet);
            seen.add(packet.status());
        }
        assertTrue(seen.size() >= 5, seen.toString());
    }
}
