package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.policy.RuleText;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldLayer;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Fields that are read where they are asked for, and only there. */
class AskedFieldsTest {
    private static final String MACS = "020000000002" + "020000000001";
    private static final String UDP = "0035040000080000";
    private static final String IPV4 =
            MACS + "0800" + "4500001c12344000" + "0711" + "0000" + "0a0000010a000002" + UDP;
    private static final String IPV6 =
            MACS
                    + "86dd"
                    + "600abcde00102c09"
                    + "20010db8000000000000000000000001"
                    + "20010db8000000000000000000000002"
                    + "11000001deadbeef"
                    + UDP;
    private static final String ARP_BODY =
            "0001" + "020000000001" + "0a000001" + "000000000000" + "0a000002";
    private static final String ARP = MACS + "0806" + "0001080006 04".replace(" ", "") + ARP_BODY;

    private static final long ALL =
            ParserOptions.ASKED.stream()
                    .mapToLong(PacketField::wordBits)
                    .reduce(0, (a, b) -> a | b);

    private static int[] words(PacketParser parser, String frame) {
        ParsedPacket packet = new ParsedPacket();
        parser.parseEthernet(HexFormat.of().parseHex(frame), packet);
        return packet.words().clone();
    }

    private static int[] words(String frame) {
        return words(new PacketParser(ParserOptions.DEFAULTS.reading(ALL)), frame);
    }

    private static Object value(Field field, int[] words) {
        return PacketField.of(field).value(words);
    }

    private static ByteBuffer address(int... bytes) {
        ByteBuffer address = ByteBuffer.allocate(4);
        for (int b : bytes) {
            address.put((byte) b);
        }
        return address.flip();
    }

    @Test
    void timeToLiveAndIdentificationOfIp() {
        int[] four = words(IPV4);
        assertEquals(7, value(Field.TTL, four));
        assertEquals(0x1234, value(Field.IP_ID, four));
        int[] six = words(IPV6);
        assertEquals(9, value(Field.TTL, six));
        assertEquals(0xdeadbeef, value(Field.IP_ID, six));
        assertNull(value(Field.ARP_OP, four));
    }

    @Test
    void lengthAndExtensionHeadersOfIp() {
        int[] four = words(IPV4);
        assertEquals(28, value(Field.IP_LENGTH, four));
        assertNull(value(Field.IPV6_EXTENSIONS, four));
        int[] six = words(IPV6);
        assertEquals(40 + 16, value(Field.IP_LENGTH, six));
        assertEquals(Field.EXTENSION_FRAGMENT, value(Field.IPV6_EXTENSIONS, six));
        int[] routed =
                words(
                        IPV6.replace("00102c09", "00182b09")
                                .replace("11000001", "2c00000000000000" + "11000001"));
        assertEquals(
                Field.EXTENSION_ROUTING | Field.EXTENSION_FRAGMENT,
                value(Field.IPV6_EXTENSIONS, routed));
        int[] none = words(IPV6.replace("00102c09", "00081109").replace("11000001deadbeef", ""));
        assertEquals(0, value(Field.IPV6_EXTENSIONS, none));
    }

    @Test
    void operationAndAddressesOfArp() {
        for (String type : List.of("0806", "8035")) {
            int[] words = words(ARP.replace(MACS + "0806", MACS + type));
            assertEquals(1, value(Field.ARP_OP, words));
            assertEquals(address(10, 0, 0, 1), value(Field.ARP_SPA, words));
            assertEquals(address(10, 0, 0, 2), value(Field.ARP_TPA, words));
            assertNull(value(Field.TTL, words));
        }
    }

    @Test
    void arpOfOtherAddressesOrCutHasNone() {
        for (String frame :
                List.of(
                        ARP.replace("0001080006", "0006080006"),
                        ARP.replace("0001080006", "000186dd06"),
                        ARP.replace("0001080006", "0001080008"),
                        ARP.substring(0, ARP.length() - 2))) {
            int[] words = words(frame);
            assertNull(value(Field.ARP_OP, words), frame);
            assertEquals(0, words[HeaderWord.ARP] | words[HeaderWord.ARP_SPA], frame);
        }
    }

    /** Open vSwitch reads eight bits of it. */
    @Test
    void anOperationBeyond255IsNone() {
        assertEquals(0, value(Field.ARP_OP, words(ARP.replace("06040001", "06040101"))));
    }

    @Test
    void nothingIsReadThatNobodyAskedFor() {
        for (String frame : List.of(IPV4, IPV6, ARP)) {
            int[] words = words(new PacketParser(), frame);
            for (PacketField field : ParserOptions.ASKED) {
                assertNull(field.value(words), field.label());
            }
        }
        PacketParser one =
                new PacketParser(ParserOptions.DEFAULTS.reading(HeaderWord.bit(HeaderWord.IP_ID)));
        assertNull(value(Field.TTL, words(one, IPV4)));
        assertEquals(0x1234, value(Field.IP_ID, words(one, IPV4)));
    }

    @Test
    void flowsOnThemMatch() {
        assertEquals(true, matches("arp,arp_op=1,arp_spa=10.0.0.0/24,arp_tpa=10.0.0.2", ARP));
        assertEquals(false, matches("arp,arp_op=2", ARP));
        assertEquals(false, matches("arp,arp_tpa=10.0.0.3", ARP));
        assertEquals(true, matches("ip,nw_ttl=7", IPV4));
        assertEquals(true, matches("ipv6,nw_ttl=9", IPV6));
        assertEquals(false, matches("ip,nw_ttl=8", IPV4));
        assertEquals(true, matches("pkt_mark=0", IPV4));
        assertEquals(false, matches("pkt_mark=1/1", IPV4));
    }

    /** A packet whose source does not state a field matches no rule on it. */
    @Test
    void aTimeToLiveThatIsNotKnownMatchesNothing() {
        int[] words = words(new PacketParser(), IPV4);
        assertEquals(false, RuleText.parse("ip,nw_ttl=0 actions=drop").match().matches(words));
    }

    private static boolean matches(String flow, String frame) {
        return RuleText.parse(flow + " actions=drop").match().matches(words(frame));
    }

    /** Sentences on the fields of a table that the parser's lines lack. */
    private static List<String> defects(List<Field> table, List<AskedFields.Line> lines) {
        List<String> defects = new ArrayList<>();
        for (Field field : table) {
            boolean read = lines.stream().anyMatch(line -> line.field().equals(field));
            if (read != (field.source() == FieldSource.ASKED)) {
                defects.add(
                        "field %s: %s AskedFields.LINES"
                                .formatted(
                                        field.label(),
                                        read ? "is not ASKED, remove it from" : "add its line to"));
            }
        }
        return defects;
    }

    @Test
    void theParserHasALineOfEveryFieldThatIsAskedFor() {
        assertEquals(List.of(), defects(List.of(Field.values()), AskedFields.LINES));
    }

    @Test
    void aNewFieldIsReadByItsLine() {
        Field present =
                new Field(
                        "toy_label_present",
                        1,
                        HeaderWord.TTL,
                        29,
                        FieldLayer.ANY,
                        null,
                        "",
                        FieldText.NUMBER,
                        FieldSource.ALWAYS,
                        Set.of());
        Field label =
                new Field(
                        "toy_label",
                        20,
                        HeaderWord.TTL,
                        9,
                        FieldLayer.IPV6,
                        present,
                        "toyLabel",
                        FieldText.NUMBER,
                        FieldSource.ASKED,
                        Set.of());
        List<Field> table = new ArrayList<>(List.of(Field.values()));
        table.add(label);
        assertEquals(
                List.of("field toy_label: add its line to AskedFields.LINES"),
                defects(table, AskedFields.LINES));
        List<AskedFields.Line> lines = new ArrayList<>(AskedFields.LINES);
        lines.add(
                new AskedFields.Line(
                        label, AskedFields.Header.IPV6, (bytes, at) -> bytes.intAt(at) & 0xfffff));
        assertEquals(List.of(), defects(table, lines));
        int[] words = words(new PacketParser(ParserOptions.DEFAULTS.reading(ALL), lines), IPV6);
        assertEquals(true, FieldBits.isIn(words, label));
        assertEquals(0xabcde, FieldBits.value(words, label));
        assertEquals(9, value(Field.TTL, words));
    }
}
