package dev.sluice.job.capture;

import static dev.sluice.schemas.header.Field.DST_PORT;
import static dev.sluice.schemas.header.Field.ETH_DST;
import static dev.sluice.schemas.header.Field.ETH_DST_PRESENT;
import static dev.sluice.schemas.header.Field.ETH_SRC;
import static dev.sluice.schemas.header.Field.ETH_SRC_PRESENT;
import static dev.sluice.schemas.header.Field.ETH_TYPE;
import static dev.sluice.schemas.header.Field.IPV6_DST;
import static dev.sluice.schemas.header.Field.IPV6_SRC;
import static dev.sluice.schemas.header.Field.IP_PROTO;
import static dev.sluice.schemas.header.Field.IP_VERSION;
import static dev.sluice.schemas.header.Field.SRC_PORT;
import static dev.sluice.schemas.header.Field.TOS;
import static dev.sluice.schemas.header.Field.TUNNEL_ID;
import static dev.sluice.schemas.header.Field.VERSION_4;
import static dev.sluice.schemas.header.Field.VLAN_ID;
import static dev.sluice.schemas.header.Field.VLAN_PRIORITY;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import inet.ipaddr.ipv6.IPv6Address;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Lines of tab-separated text, one for each packet, with a column for each field. */
public final class HeaderTable {
    /** Header line of outer headers. */
    public static final String COLUMNS =
            "num ts_ns section iface linktype caplen wirelen eth_src eth_dst ethertype vlan_id vlan_pcp ip_version ip_src ip_dst ip_proto tos frag src_port dst_port tcp_flags status notes"
                    .replace(' ', '\t');

    private static final HexFormat MACS = HexFormat.ofDelimiter(":");

    private HeaderTable() {}

    /** The header line: the usual columns and those of {@link #more}. */
    public static String columns(ParserOptions options) {
        StringBuilder line = new StringBuilder(COLUMNS);
        more(options).forEach(field -> line.append('\t').append(field.rows().get(0).label()));
        return line.toString();
    }

    /** Fields that have columns of their own: a tunnel's id, and those that are asked for. */
    public static List<PacketField> more(ParserOptions options) {
        List<PacketField> fields = new ArrayList<>();
        if (options.isInner()) {
            fields.add(PacketField.of(TUNNEL_ID));
        }
        fields.addAll(options.asked());
        return fields;
    }

    /** Appends fields to the line of a packet, each behind a tab; one that it lacks is empty. */
    public static void append(StringBuilder line, List<PacketField> fields, ParsedPacket packet) {
        for (PacketField field : fields) {
            Object value = field.value(packet.words());
            line.append('\t');
            if (value != null) {
                value(line, field, value);
            }
        }
    }

    /** Appends a value of a field in messages: addresses in their usual notation, else decimal. */
    public static void value(StringBuilder line, PacketField field, Object value) {
        switch (field.text()) {
            case MAC -> mac(line, (Long) value);
            case ADDRESS -> address(line, (ByteBuffer) value);
            default -> line.append(((Integer) value) & 0xffffffffL);
        }
    }

    private static void address(StringBuilder line, ByteBuffer bytes) {
        byte[] all = new byte[bytes.remaining()];
        bytes.duplicate().get(all);
        switch (all.length) {
            case 4 -> ipv4(line, Bytes.intBe(all, 0));
            case 16 -> line.append(ipv6(all));
            default -> line.append(HexFormat.of().formatHex(all));
        }
    }

    /** Appends the line of the reader's current packet, without a line end. */
    public static void append(StringBuilder line, CaptureReader capture, ParsedPacket packet) {
        line.append(capture.packet()).append('\t');
        time(line, capture.timeNs(), capture.timeHigh());
        line.append('\t').append(capture.section);
        line.append('\t').append(capture.interfaceId);
        line.append('\t').append(capture.linkType());
        line.append('\t').append(capture.capturedLength());
        line.append('\t').append(capture.wireLength()).append('\t');
        int[] w = packet.words();
        if (ETH_SRC_PRESENT.extract(w[HeaderWord.IP]) != 0) {
            mac(line, FieldBits.mac(w, ETH_SRC));
        }
        line.append('\t');
        if (ETH_DST_PRESENT.extract(w[HeaderWord.IP]) != 0) {
            mac(line, FieldBits.mac(w, ETH_DST));
        }
        line.append('\t');
        if (packet.has(ParsedPacket.ETH_TYPE)) {
            short type = (short) ETH_TYPE.extract(w[HeaderWord.ETHER]);
            line.append("0x").append(MACS.toHexDigits(type));
        }
        number(line, packet.hasVlan(), VLAN_ID.extract(w[HeaderWord.ETHER]));
        number(line, packet.hasVlan(), VLAN_PRIORITY.extract(w[HeaderWord.ETHER]));
        boolean v4 = IP_VERSION.extract(w[HeaderWord.IP]) == VERSION_4;
        number(line, packet.has(ParsedPacket.IP_VERSION), v4 ? 4 : 6);
        address(line.append('\t'), packet, ParsedPacket.IP_SRC, v4, HeaderWord.IPV4_SRC, IPV6_SRC);
        address(line.append('\t'), packet, ParsedPacket.IP_DST, v4, HeaderWord.IPV4_DST, IPV6_DST);
        number(line, packet.has(ParsedPacket.PROTO), IP_PROTO.extract(w[HeaderWord.IP]));
        number(line, packet.has(ParsedPacket.TOS), TOS.extract(w[HeaderWord.IP]));
        // 0: a whole packet; 1: a first fragment; 2: a later one
        int fragment = Math.min(2, Field.FRAGMENT.extract(w[HeaderWord.IP]));
        number(line, packet.has(ParsedPacket.FRAGMENT), fragment);
        number(line, packet.has(ParsedPacket.SRC_PORT), SRC_PORT.extract(w[HeaderWord.PORTS]));
        number(line, packet.has(ParsedPacket.DST_PORT), DST_PORT.extract(w[HeaderWord.PORTS]));
        number(
                line,
                packet.has(ParsedPacket.TCP_FLAGS),
                Field.TCP_FLAGS.extract(w[HeaderWord.TCP_FLAGS]));
        line.append('\t').append(packet.status().label()).append('\t');
        boolean first = true;
        for (Note note : Note.values()) {
            if ((packet.notes >>> note.ordinal() & 1) != 0) {
                line.append(first ? "" : ",").append(note.label);
                first = false;
            }
        }
    }

    /** Appends a time of up to 96 bits in ns; nothing if it is unknown. */
    public static void time(StringBuilder line, long low, int high) {
        if (high != (int) (low >> 63)) {
            line.append(
                    BigInteger.valueOf(high)
                            .shiftLeft(64)
                            .add(new BigInteger(Long.toUnsignedString(low))));
        } else if (low != Column.NO_TIME) {
            line.append(low);
        }
    }

    private static void number(StringBuilder line, boolean there, int value) {
        line.append('\t');
        if (there) {
            line.append(value);
        }
    }

    private static void address(
            StringBuilder line, ParsedPacket packet, int column, boolean v4, int v4Word, Field v6) {
        if (!packet.has(column)) {
            return;
        }
        if (v4) {
            ipv4(line, packet.words()[v4Word]);
        } else {
            ipv6(line, packet.words(), v6.word());
        }
    }

    /** Appends an IPv4 address in dotted decimal. */
    private static void ipv4(StringBuilder line, int address) {
        line.append(address >>> 24).append('.').append(address >>> 16 & 0xff);
        line.append('.').append(address >>> 8 & 0xff).append('.').append(address & 0xff);
    }

    /**
     * Appends an IPv6 address in the form of RFC 5952.
     *
     * @param word index of the first of its four words
     */
    private static void ipv6(StringBuilder line, int[] w, int word) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putInt(w[word]).putInt(w[word + 1]).putInt(w[word + 2]).putInt(w[word + 3]);
        line.append(ipv6(bytes.array()));
    }

    private static String ipv6(byte[] bytes) {
        return new IPv6Address(bytes).toCanonicalString();
    }

    /** Appends a MAC address, as in {@code 02:00:00:00:00:01}. */
    private static void mac(StringBuilder line, long mac) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(mac).array();
        line.append(MACS.formatHex(bytes, 2, bytes.length));
    }
}
