package dev.sluice.schemas.header;

/** Puts fields of more than 32 bits into header words and takes them out again. */
public final class FieldBits {
    /** Bits to the right of the Ethernet source's part of {@link HeaderWord#MAC_MIDDLE}. */
    public static final int MIDDLE_SRC_SHIFT = 16;

    /** Mask of the Ethernet destination's part of {@link HeaderWord#MAC_MIDDLE}. */
    public static final int MIDDLE_DST_MASK = 0xffff;

    private FieldBits() {}

    /**
     * ORs a MAC address, or a mask of one, into a header's words.
     *
     * @param words {@link HeaderWord#COUNT} words
     * @param field {@link Field#ETH_SRC} or {@link Field#ETH_DST}
     * @param mac 48 bits, first byte highest
     */
    public static void orMac(int[] words, Field field, long mac) {
        if (field == Field.ETH_SRC) {
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
        return field == Field.ETH_SRC
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
}
