package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;

/**
 * Fields that a parser reads where they are asked for, one line a field and header that has it. A
 * field that nobody asks for costs nothing.
 */
final class AskedFields {
    /** Headers that have such fields, of which all fixed bytes are there. */
    enum Header {
        IPV4,
        IPV6,
        IPV6_FRAGMENT,
        /** ARP and RARP of Ethernet and IPv4. */
        ARP,
        /** Queries and replies of ICMP and ICMPv6, which have an identifier. */
        ICMP_QUERY
    }

    /** Reads a field's value. */
    interface Reader {
        int value(PacketBytes bytes, int headerAt);
    }

    /** A field of a header. */
    record Line(Field field, Header header, Reader reader) {}

    /** All lines; a field of {@link FieldSource#ASKED} has one at least. */
    static final List<Line> LINES =
            List.of(
                    new Line(Field.TTL, Header.IPV4, (bytes, at) -> bytes.byteAt(at + 8)),
                    new Line(Field.TTL, Header.IPV6, (bytes, at) -> bytes.byteAt(at + 7)),
                    new Line(Field.IP_ID, Header.IPV4, (bytes, at) -> bytes.shortAt(at + 4)),
                    new Line(Field.IP_ID, Header.IPV6_FRAGMENT, (bytes, at) -> bytes.intAt(at + 4)),
                    new Line(Field.IP_LENGTH, Header.IPV4, (bytes, at) -> bytes.shortAt(at + 2)),
                    new Line(
                            Field.IP_LENGTH,
                            Header.IPV6,
                            (bytes, at) -> Math.min(bytes.shortAt(at + 4) + 40, 0xffff)),
                    new Line(Field.IPV6_EXTENSIONS, Header.IPV6, (bytes, at) -> 0),
                    new Line(Field.FLOW_PORTS, Header.ICMP_QUERY, PacketBytes::icmpAt),
                    new Line(Field.ARP_OP, Header.ARP, (bytes, at) -> arpOperation(bytes, at)),
                    new Line(Field.ARP_SPA, Header.ARP, (bytes, at) -> bytes.intAt(at + 14)),
                    new Line(Field.ARP_TPA, Header.ARP, (bytes, at) -> bytes.intAt(at + 24)));

    private static final int ARP_BYTES = 28;
    private static final int GRE_VERSION = 7;

    /** Protocol of what GRE of version 1 carries. */
    private static final int PPP = 0x880b;

    private final Line[][] lines = new Line[Header.values().length][];

    /** Tells whether the words of {@link dev.sluice.schemas.header.TcpSegment} are asked for. */
    final boolean segments;

    /** Tells whether {@link Field#FLOW_PORTS} are asked for, and with them what trackers read. */
    final boolean flows;

    /**
     * The fields of some header words.
     *
     * @param words bit w set: fields of header word w are asked for
     * @param segments whether the numbers of TCP segments are asked for
     */
    AskedFields(long words, boolean segments, List<Line> all) {
        this.segments = segments;
        flows = (words & HeaderWord.bit(HeaderWord.FLOW_PORTS)) != 0;
        for (Header header : Header.values()) {
            lines[header.ordinal()] =
                    all.stream()
                            .filter(line -> line.header == header)
                            .filter(line -> (words & HeaderWord.bit(line.field.word())) != 0)
                            .toArray(Line[]::new);
        }
    }

    /** Reads the fields of a header. */
    void read(Header header, PacketBytes bytes, int headerAt, int[] words) {
        for (Line line : lines[header.ordinal()]) {
            line.field.put(words, line.reader.value(bytes, headerAt));
        }
    }

    /** Notes an extension header of IPv6 that was met. */
    void extension(int bit, int[] words) {
        for (Line line : lines[Header.IPV6.ordinal()]) {
            if (line.field.equals(Field.IPV6_EXTENSIONS)) {
                words[line.field.word()] |= line.field.place(bit);
            }
        }
    }

    /** Reads the fields of what may be an ARP packet; one of other addresses has none. */
    void readArp(PacketBytes bytes, int at, int[] words) {
        if (lines[Header.ARP.ordinal()].length > 0
                && bytes.has((long) at + ARP_BYTES)
                && bytes.intAt(at) == 0x0001_0800
                && bytes.shortAt(at + 4) == 0x0604) {
            read(Header.ARP, bytes, at, words);
        }
    }

    /** Reads the fields of what may be an ICMP query or reply, of which 8 bytes are there. */
    void readIcmp(PacketBytes bytes, int at, boolean six, int[] words) {
        if (lines[Header.ICMP_QUERY.ordinal()].length > 0 && isQuery(bytes.byteAt(at), six)) {
            read(Header.ICMP_QUERY, bytes, at, words);
            Field.FLOW_PROTO.put(words, six ? IpNumbers.ICMPV6 : IpNumbers.ICMP);
        }
    }

    /**
     * Reads the id of the call of GRE of version 1 (RFC 2637) as the receiver's port; one without
     * the 8 bytes that have it counts as another.
     */
    void readGre(PacketBytes bytes, int at, int[] words) {
        if (!flows
                || !bytes.has(at + 2L)
                || bytes.payload < at + 8L
                || (bytes.shortAt(at) & GRE_VERSION) != 1) {
            return;
        }
        if (!bytes.has(at + 8L)) {
            Field.GRE_CALL.put(words, 1);
        } else if (bytes.shortAt(at + 2) != PPP) {
            Field.MALFORMED.put(words, 1);
        } else {
            Field.FLOW_PROTO.put(words, IpNumbers.GRE);
            Field.FLOW_PORTS.put(words, bytes.shortAt(at + 6));
        }
    }

    /** Linux tracks echo, time stamp, information and address mask; of IPv6 echo and RFC 4620. */
    private static boolean isQuery(int type, boolean six) {
        return switch (type) {
            case 0, 8, 13, 14, 15, 16, 17, 18 -> !six;
            case 128, 129, 139, 140 -> six;
            default -> false;
        };
    }

    /** Open vSwitch takes an operation beyond 255 for none. */
    private static int arpOperation(PacketBytes bytes, int at) {
        int operation = bytes.shortAt(at + 6);
        return operation > 0xff ? 0 : operation;
    }
}
