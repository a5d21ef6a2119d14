package dev.sluice.schemas.header;

import java.util.BitSet;

/**
 * The 32-bit words of a complete header, by number. {@link Field} says which field lies in which
 * bits of them.
 *
 * <p>The numbers travel in blocks and rules.
 */
public final class HeaderWord {
    public static final int IPV4_SRC = 0;
    public static final int IPV4_DST = 1;
    public static final int PORTS = 2;
    public static final int IP = 3;
    public static final int ETHER = 4;
    public static final int MAC_HIGH = 5;
    public static final int MAC_MIDDLE = 6;
    public static final int MAC_LOW = 7;
    public static final int IN_PORT = 8;
    public static final int TCP_FLAGS = 9;
    public static final int SPI = 10;
    public static final int IPV6_SRC = 11;
    public static final int IPV6_DST = 15;
    public static final int TUNNEL_ID = 19;
    public static final int FRAME_LENGTH = 20;
    public static final int TTL = 21;
    public static final int IP_ID = 22;
    public static final int ARP = 23;
    public static final int ARP_SPA = 24;
    public static final int ARP_TPA = 25;
    public static final int IP_LENGTH = 26;

    /** Four words, of which IPv4 takes the first. */
    public static final int FLOW_DST = 27;

    public static final int FLOW_PORTS = 31;

    // From 32 on: words that captures never state.
    public static final int MARK = 32;
    public static final int IN_INTERFACE = 33;
    public static final int OUT_INTERFACE = 34;
    public static final int CONNECTION = 35;

    /** Sets of a policy that a packet is in, a bit each: looked up, whatever a packet states. */
    public static final int SETS = 36;

    /** Number of words of a complete header, taken or not; there is room for 64. */
    public static final int COUNT = 37;

    /** The bits of all words. */
    public static final long ALL = -1L >>> Long.SIZE - COUNT;

    private HeaderWord() {}

    /** The bit of a word in a set of words. */
    public static long bit(int word) {
        return 1L << word;
    }

    /** The words of a set, ascending. */
    public static int[] words(long bits) {
        return BitSet.valueOf(new long[] {bits}).stream().toArray();
    }

    /** Returns whether a word is a part of an IPv6 address. */
    public static boolean isIpv6(int word) {
        return word >= IPV6_SRC && word < TUNNEL_ID;
    }
}
