package dev.sluice.schemas.header;

import static dev.sluice.schemas.header.Field.FRAGMENT_LATER;
import static dev.sluice.schemas.header.Field.IP_PROTO;
import static dev.sluice.schemas.header.Field.IP_VERSION;
import static dev.sluice.schemas.header.Field.NO_ETHER_TYPE;
import static dev.sluice.schemas.header.Field.PORTS_PRESENT;
import static dev.sluice.schemas.header.Field.VERSION_4;
import static dev.sluice.schemas.header.Field.VERSION_6;
import static dev.sluice.schemas.header.Field.VERSION_NONE;

import java.nio.ByteBuffer;

/** Puts fields of more than 32 bits into header words, and takes fields out of them. */
public final class FieldBits {
    /** Bits to the right of the Ethernet source's part of {@link HeaderWord#MAC_MIDDLE}. */
    public static final int MIDDLE_SRC_SHIFT = 16;

    /** Mask of the Ethernet destination's part of {@link HeaderWord#MAC_MIDDLE}. */
    public static final int MIDDLE_DST_MASK = 0xffff;

    private static final int TCP_PROTOCOL = 6;

    private FieldBits() {}

    /**
     * ORs a MAC address, or a mask of one, into a header's words.
     *
     * @param words {@link HeaderWord#COUNT} words
     * @param field {@link Field#ETH_SRC} or {@link Field#ETH_DST}
     * @param mac 48 bits, first byte highest
     */
    public static void orMac(int[] words, Field field, long mac) {
        if (field.word() == HeaderWord.MAC_HIGH) {
            words[HeaderWord.MAC_HIGH] |= (int) (mac >>> 32 - MIDDLE_SRC_SHIFT);
            words[HeaderWord.MAC_MIDDLE] |= (int) mac << MIDDLE_SRC_SHIFT;
        } else {
            words[HeaderWord.MAC_MIDDLE] |= (int) (mac >>> 32) & MIDDLE_DST_MASK;
            words[HeaderWord.MAC_LOW] |= (int) mac;
        }
    }

    /** The MAC address in a header's words: 48 bits, first byte highest. */
    public static long mac(int[] words, Field field) {
        long middle = words[HeaderWord.MAC_MIDDLE] & 0xffffffffL;
        return field.word() == HeaderWord.MAC_HIGH
                ? (words[HeaderWord.MAC_HIGH] & 0xffffffffL) << 32 - MIDDLE_SRC_SHIFT
                        | middle >>> MIDDLE_SRC_SHIFT
                : (middle & MIDDLE_DST_MASK) << 32 | (words[HeaderWord.MAC_LOW] & 0xffffffffL);
    }

    /**
     * ORs an IPv6 address, or a mask of one, into a header's words.
     *
     * @param field {@link Field#IPV6_SRC} or {@link Field#IPV6_DST}
     * @param address 16 bytes in network order
     */
    public static void orIpv6(int[] words, Field field, byte[] address) {
        for (int i = 0; i < 16; i++) {
            words[field.word() + i / 4] |= (address[i] & 0xff) << (24 - 8 * (i % 4));
        }
    }

    /** The IPv6 address in a header's words: 16 bytes in network order. */
    public static byte[] ipv6(int[] words, Field field) {
        byte[] address = new byte[16];
        for (int i = 0; i < 16; i++) {
            address[i] = (byte) (words[field.word() + i / 4] >>> (24 - 8 * (i % 4)));
        }
        return address;
    }

    /** Header words that tell whether a packet has a field, and its value. */
    public static long wordBits(Field field) {
        long bits = (1L << field.words()) - 1 << field.word();
        Field bit = field.present();
        if (bit != null) {
            bits |= HeaderWord.bit(bit.word());
        }
        return switch (field.layer()) {
            case ANY, TYPED, MEASURED -> bits;
            case IP, IPV4, IPV6, TCP -> bits | HeaderWord.bit(HeaderWord.IP);
        };
    }

    /**
     * Returns whether a packet has a field.
     *
     * @param words {@link HeaderWord#COUNT} words, of which those of {@link #wordBits} are set
     */
    public static boolean isIn(int[] words, Field field) {
        Field bit = field.present();
        return isOfLayer(words, field) && (bit == null || bit.extract(words[bit.word()]) == 1);
    }

    private static boolean isOfLayer(int[] words, Field field) {
        int ip = words[HeaderWord.IP];
        return switch (field.layer()) {
            case ANY -> true;
            case TYPED -> field.extract(words[field.word()]) != NO_ETHER_TYPE;
            case IP, IPV4, IPV6 -> fitsAddresses(words, field);
            case TCP -> PORTS_PRESENT.extract(ip) == 1 && IP_PROTO.extract(ip) == TCP_PROTOCOL;
            case MEASURED -> words[field.word()] != 0;
        };
    }

    /** Returns whether a packet can have a field, as far as its IP addresses tell. */
    public static boolean fitsAddresses(int[] words, Field field) {
        int version = IP_VERSION.extract(words[HeaderWord.IP]);
        return switch (field.layer()) {
            case IP -> version != VERSION_NONE;
            case IPV4 -> version == VERSION_4;
            case IPV6 -> version == VERSION_6;
            default -> true;
        };
    }

    /**
     * The value in messages of a field that a packet has: {@link Integer}, {@link Long} (MAC
     * addresses) or {@link ByteBuffer} (IP addresses, 4 or 16 bytes).
     */
    public static Object value(int[] words, Field field) {
        if (field.bits() == 48) {
            return mac(words, field);
        }
        if (field.bits() == 128) {
            return ByteBuffer.wrap(ipv6(words, field));
        }
        int value = field.extract(words[field.word()]);
        return switch (field.text()) {
            case ADDRESS -> ByteBuffer.allocate(4).putInt(0, value);
            case FRAGMENT -> value == FRAGMENT_LATER ? 2 : value;
            default -> value;
        };
    }
}
