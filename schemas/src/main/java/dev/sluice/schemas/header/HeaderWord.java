package dev.sluice.schemas.header;

/**
 * The 32-bit words of a complete header, by number. Fields and their bits: {@link Field}.
 *
 * <pre>
 *  0 IPV4_SRC   31..0  IPv4 source
 *  1 IPV4_DST   31..0  IPv4 destination
 *  2 PORTS      31..16 source port | 15..0 destination port
 *  3 IP         7..0 protocol | 15..8 ToS | 17..16 fragment | 18 ports present | 20..19 IP version
 *               21 source MAC present | 22 destination MAC present | 23 in_port present
 *               24 SPI present | 25 tunnel id present
 *  4 ETHER      31..16 EtherType | 15..0 VLAN tag (15..13 priority, 12 present, 11..0 id)
 *  5 MAC_HIGH   31..0  Ethernet source, upper 32 bits
 *  6 MAC_MIDDLE 31..16 Ethernet source, lower 16 | 15..0 Ethernet destination, upper 16
 *  7 MAC_LOW    31..0  Ethernet destination, lower 32 bits
 *  8 IN_PORT    31..0  ingress port
 *  9 TCP_FLAGS  11..0  TCP flags, FIN lowest
 * 10 SPI        31..0  ESP or AH security parameters index
 * 11..14        IPv6 source, most significant word first
 * 15..18        IPv6 destination, most significant word first
 * 19 TUNNEL_ID  31..0  id of the tunnel around the header
 * </pre>
 *
 * <p>The numbers travel in blocks and rules: a word is never renumbered, new ones are appended.
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

    /** Number of words of a complete header. */
    public static final int COUNT = 20;

    private HeaderWord() {}

    /** Returns whether a word is a part of an IPv6 address. */
    public static boolean isIpv6(int word) {
        return word >= IPV6_SRC && word < TUNNEL_ID;
    }
}
