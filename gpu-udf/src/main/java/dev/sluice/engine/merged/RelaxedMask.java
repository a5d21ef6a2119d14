package dev.sluice.engine.merged;

import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/** Masks of tuples that take rules of many masks. Masks are in a layout's words. */
public final class RelaxedMask {
    /** The protocol in the word of IP fields. */
    private static final int PROTOCOL = 0xff;

    private RelaxedMask() {}

    /**
     * The mask of a new tuple for rules of a mask: prefixes of addresses are cut to 20, 14, 8 or
     * fewer bits; where an address is named, ports are left out, and of the word of IP fields all
     * but the protocol.
     */
    public static int[] of(HeaderLayout layout, int[] mask) {
        int[] relaxed = mask.clone();
        boolean address = false;
        for (int p = 0; p < mask.length; p++) {
            if (isAddress(layout.word(p))) {
                int ones = Integer.numberOfLeadingZeros(~mask[p]);
                boolean prefix = ones == 32 || mask[p] << ones == 0;
                if (prefix && ones > 0) {
                    int kept = ones >= 24 ? 20 : ones >= 16 ? 14 : ones >= 8 ? 8 : ones / 2;
                    relaxed[p] = kept == 0 ? 0 : -1 << 32 - kept;
                }
                address |= relaxed[p] != 0;
            }
        }
        for (int p = 0; p < mask.length; p++) {
            if (address && layout.word(p) == HeaderWord.PORTS) {
                relaxed[p] = 0;
            }
            if (layout.word(p) == HeaderWord.IP && address) {
                relaxed[p] &= PROTOCOL;
            }
        }
        return relaxed;
    }

    private static boolean isAddress(int word) {
        return word == HeaderWord.IPV4_SRC
                || word == HeaderWord.IPV4_DST
                || HeaderWord.isIpv6(word);
    }

    /** Bits that a mask names. */
    public static int bits(int[] mask) {
        int bits = 0;
        for (int word : mask) {
            bits += Integer.bitCount(word);
        }
        return bits;
    }
}
