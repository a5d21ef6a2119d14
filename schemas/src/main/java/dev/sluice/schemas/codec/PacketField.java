package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A field of a packet that may travel with its verdict: in a {@code Verdict} as a field of its own,
 * in a {@code VerdictBlock} as the columns that hold it.
 *
 * <p>Values are what Avro makes of the fields of schema {@code Verdict}: {@link Integer}, {@link
 * Long} (MAC addresses) or {@link ByteBuffer} (IP addresses, 4 or 16 bytes).
 */
public enum PacketField {
    IN_PORT("inPort", HeaderWord.IN_PORT, HeaderWord.IP),
    ETH_SRC("ethSrc", HeaderWord.MAC_HIGH, HeaderWord.MAC_MIDDLE, HeaderWord.IP),
    ETH_DST("ethDst", HeaderWord.MAC_MIDDLE, HeaderWord.MAC_LOW, HeaderWord.IP),
    ETH_TYPE("ethType", HeaderWord.ETHER),
    VLAN_ID("vlanId", HeaderWord.ETHER),
    VLAN_PRIORITY("vlanPriority", HeaderWord.ETHER),
    IP_SRC(
            "ipSrc",
            HeaderWord.IPV4_SRC,
            HeaderWord.IP,
            HeaderWord.IPV6_SRC,
            HeaderWord.IPV6_SRC + 1,
            HeaderWord.IPV6_SRC + 2,
            HeaderWord.IPV6_SRC + 3),
    IP_DST(
            "ipDst",
            HeaderWord.IPV4_DST,
            HeaderWord.IP,
            HeaderWord.IPV6_DST,
            HeaderWord.IPV6_DST + 1,
            HeaderWord.IPV6_DST + 2,
            HeaderWord.IPV6_DST + 3),
    IP_PROTO("ipProto", HeaderWord.IP),
    TOS("tos", HeaderWord.IP),
    FRAGMENT("fragment", HeaderWord.IP),
    SRC_PORT("srcPort", HeaderWord.PORTS, HeaderWord.IP),
    DST_PORT("dstPort", HeaderWord.PORTS, HeaderWord.IP),
    TCP_FLAGS("tcpFlags", HeaderWord.TCP_FLAGS, HeaderWord.IP),
    SPI("spi", HeaderWord.SPI, HeaderWord.IP),
    /** Length on the wire in bytes; no header word, but column {@link Column#FRAME_LENGTH}. */
    FRAME_LENGTH("frameLength"),
    TUNNEL_ID("tunnelId", HeaderWord.TUNNEL_ID, HeaderWord.IP);

    private static final int TCP = 6;

    private final String key;
    private final String label;
    private final int wordBits;

    PacketField(String key, int... words) {
        this.key = key;
        this.label = name().toLowerCase(Locale.ROOT).replace('_', '-');
        int bits = 0;
        for (int word : words) {
            bits |= 1 << word;
        }
        this.wordBits = bits;
    }

    /** Its name in schema {@code Verdict}: {@code ipSrc}. */
    public String key() {
        return key;
    }

    /** Its name on the command line and in tables: {@code ip-src}. */
    public String label() {
        return label;
    }

    /** Bit w set: header word w is needed to tell the field; 0 for the frame length. */
    public int wordBits() {
        return wordBits;
    }

    /** The words that are needed to tell the fields: bit w for header word w. */
    public static int wordBits(Collection<PacketField> fields) {
        return fields.stream().mapToInt(PacketField::wordBits).reduce(0, (a, b) -> a | b);
    }

    /**
     * The field's value in a header; null where the packet lacks it, and for the frame length,
     * which no word holds.
     *
     * @param words {@link HeaderWord#COUNT} words, of which those of {@link #wordBits} are set
     */
    public @Nullable Object value(int[] words) {
        int ip = words[HeaderWord.IP];
        int ether = words[HeaderWord.ETHER];
        return switch (this) {
            case IN_PORT -> when(Field.IN_PORT_PRESENT, ip, words[HeaderWord.IN_PORT]);
            case ETH_SRC -> mac(Field.ETH_SRC_PRESENT, Field.ETH_SRC, words);
            case ETH_DST -> mac(Field.ETH_DST_PRESENT, Field.ETH_DST, words);
            case ETH_TYPE -> {
                int type = Field.ETH_TYPE.extract(ether);
                yield type == Field.NO_ETHER_TYPE ? null : Integer.valueOf(type);
            }
            case VLAN_ID -> when(Field.VLAN_PRESENT, ether, Field.VLAN_ID.extract(ether));
            case VLAN_PRIORITY ->
                    when(Field.VLAN_PRESENT, ether, Field.VLAN_PRIORITY.extract(ether));
            case IP_SRC -> address(words, HeaderWord.IPV4_SRC, Field.IPV6_SRC);
            case IP_DST -> address(words, HeaderWord.IPV4_DST, Field.IPV6_DST);
            case IP_PROTO -> ofIp(ip, Field.IP_PROTO.extract(ip));
            case TOS -> ofIp(ip, Field.TOS.extract(ip));
            case FRAGMENT -> {
                int fragment = Field.FRAGMENT.extract(ip);
                yield ofIp(ip, fragment == Field.FRAGMENT_LATER ? 2 : fragment);
            }
            case SRC_PORT ->
                    when(Field.PORTS_PRESENT, ip, Field.SRC_PORT.extract(words[HeaderWord.PORTS]));
            case DST_PORT ->
                    when(Field.PORTS_PRESENT, ip, Field.DST_PORT.extract(words[HeaderWord.PORTS]));
            case TCP_FLAGS ->
                    Field.IP_PROTO.extract(ip) == TCP
                            ? when(Field.PORTS_PRESENT, ip, words[HeaderWord.TCP_FLAGS])
                            : null;
            case SPI -> when(Field.SPI_PRESENT, ip, words[HeaderWord.SPI]);
            case FRAME_LENGTH -> null;
            case TUNNEL_ID -> when(Field.TUNNEL_ID_PRESENT, ip, words[HeaderWord.TUNNEL_ID]);
        };
    }

    private static @Nullable Integer when(Field present, int word, int value) {
        return present.extract(word) == 1 ? Integer.valueOf(value) : null;
    }

    private static @Nullable Integer ofIp(int ip, int value) {
        return Field.IP_VERSION.extract(ip) == Field.VERSION_NONE ? null : Integer.valueOf(value);
    }

    private static @Nullable Long mac(Field present, Field field, int[] words) {
        return present.extract(words[HeaderWord.IP]) == 1
                ? Long.valueOf(FieldBits.mac(words, field))
                : null;
    }

    private static @Nullable ByteBuffer address(int[] words, int v4, Field v6) {
        return switch (Field.IP_VERSION.extract(words[HeaderWord.IP])) {
            case Field.VERSION_4 -> ByteBuffer.allocate(4).putInt(0, words[v4]);
            case Field.VERSION_6 -> ByteBuffer.wrap(FieldBits.ipv6(words, v6));
            default -> null;
        };
    }
}
