package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Link types and tags without a referee: the IP header inside is that of the packet alone. */
class LinkTypeTest {
    private static final int PACKETS = 200;
    private static final String IP =
            "45000030000700004006" + "63b10a0701010a070202" + "9c4101bb00000001000000025018";

    private final PacketParser parser = new PacketParser();
    private final PacketParser strict =
            new PacketParser(new ParserOptions(HeaderDepth.OUTER, TagDepth.SWITCH));
    private final ParsedPacket packet = new ParsedPacket();
    private final ParsedPacket alone = new ParsedPacket();

    private static void parse(PacketParser by, byte[] bytes, int linkType, ParsedPacket into) {
        by.parse(bytes, 0, bytes.length, bytes.length, linkType, into);
    }

    /** The words of IP and above. */
    private static int[] network(ParsedPacket parsed) {
        int[] words = parsed.words().clone();
        int macs = Field.ETH_SRC_PRESENT.maskInWord() | Field.ETH_DST_PRESENT.maskInWord();
        words[HeaderWord.IP] &= ~macs;
        Arrays.fill(words, HeaderWord.ETHER, HeaderWord.IN_PORT, 0);
        return words;
    }

    private void assertLast(LinkFrames frames, String what) {
        parse(parser, frames.last(), LinkType.RAW.number, alone);
        assertEquals(PacketStatus.OK, packet.status(), what);
        assertEquals(Arrays.toString(network(alone)), Arrays.toString(network(packet)), what);
    }

    @Test
    void eachLinkTypeLeadsToTheIpHeader() {
        for (int linkType : LinkFrames.LINK_TYPES) {
            LinkFrames frames = new LinkFrames(TestSeed.random(500 + linkType));
            for (int i = 0; i < PACKETS; i++) {
                parse(parser, frames.packet(linkType), linkType, packet);
                assertLast(frames, "link type " + linkType + ", packet " + i);
            }
        }
    }

    @Test
    void eachTagLeadsToTheIpHeaderAndNoneInASwitch() {
        for (LinkTag tag : LinkTag.values()) {
            LinkFrames frames = new LinkFrames(TestSeed.random(600 + tag.ordinal()));
            for (int i = 0; i < PACKETS; i++) {
                byte[] frame = frames.tagged(tag);
                parse(parser, frame, 1, packet);
                assertLast(frames, tag + ", packet " + i);
                int type = (frame[12] & 0xff) << 8 | frame[13] & 0xff;
                boolean tagged = type == tag.type;
                parse(strict, frame, 1, packet);
                assertEquals(tagged ? PacketStatus.NOT_IP : PacketStatus.OK, packet.status());
                assertEquals(type, Field.ETH_TYPE.extract(packet.words()[HeaderWord.ETHER]));
            }
        }
    }

    private int ether(int linkType, String... hex) {
        parse(parser, HexFormat.of().parseHex(String.join("", hex) + IP), linkType, packet);
        assertEquals(PacketStatus.OK, packet.status());
        assertEquals(443, Field.DST_PORT.extract(packet.words()[HeaderWord.PORTS]));
        return packet.words()[HeaderWord.ETHER];
    }

    @Test
    void aDsaTagHoldsTheVlanTagThatTheFrameHad() {
        String macs = "020000000a01020000000a02";
        int tagged = Field.VLAN_PRESENT.maskInWord() | 3 << 13 | 5;
        assertEquals(0x0800_0000 | tagged, ether(284, macs, "e0086005", "0800"));
        assertEquals(0x0800_0000 | tagged, ether(285, macs, "dada0000e0086005", "0800"));
        assertEquals(0x0800_0000 | tagged, ether(1, macs, "dada0000e0086005", "0800"));
        assertEquals(0x0800_0000, ether(284, macs, "c0080000", "0800"));
    }

    @Test
    void behindTheOldTagOpenFlowSeesNothingAndClassBenchTheIpHeader() {
        String macs = "020000000a01020000000a02";
        assertEquals(0x9100_0000, ether(1, macs, "9100000a", "81000014", "0800"));
        int outer = Field.VLAN_PRESENT.maskInWord() | 20;
        assertEquals(0x9100_0000 | outer, ether(1, macs, "81000014", "9100000a", "0800"));
        assertEquals(Field.VERSION_4, Field.IP_VERSION.extract(packet.words()[HeaderWord.IP]));
    }

    @Test
    void encryptedFramesOfMacsecAndOf80211AreNoIp() {
        byte[] macsec =
                HexFormat.of()
                        .parseHex("020000000a01020000000a02" + "88e50c0000000001" + "0800" + IP);
        parse(parser, macsec, 1, packet);
        assertEquals(PacketStatus.NOT_IP, packet.status());
        LinkFrames frames = new LinkFrames(TestSeed.random(9));
        byte[] frame = frames.packet(105);
        frame[1] |= 0x40;
        parse(parser, frame, 105, packet);
        assertEquals(PacketStatus.NOT_IP, packet.status());
        assertEquals(1, Field.ETH_SRC_PRESENT.extract(packet.words()[HeaderWord.IP]));
    }

    @Test
    void aWrappedLinkTypeThatIsNotReadIsNotOne() {
        byte[] ppi = HexFormat.of().parseHex("00000800" + "bd000000" + IP);
        parse(parser, ppi, 192, packet);
        assertEquals(PacketStatus.UNSUPPORTED_LINK, packet.status());
        byte[] nested = HexFormat.of().parseHex("00000800" + "c0000000" + "0000080001000000" + IP);
        parse(parser, nested, 192, packet);
        assertEquals(PacketStatus.UNSUPPORTED_LINK, packet.status());
    }
}
