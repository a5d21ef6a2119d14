package dev.sluice.job.capture;

/** Numbers of IP's protocols and extension headers (RFC 8200, RFC 4302), and what they imply. */
final class IpNumbers {
    static final int ICMP = 1;
    static final int ICMPV6 = 58;
    static final int HOP_BY_HOP = 0;
    static final int TCP = 6;
    static final int UDP = 17;
    static final int DCCP = 33;
    static final int ROUTING = 43;
    static final int FRAGMENT = 44;
    static final int GRE = 47;
    static final int ESP = 50;
    static final int AH = 51;
    static final int DESTINATION_OPTIONS = 60;
    static final int SCTP = 132;
    static final int UDP_LITE = 136;

    /** Mask of an IPv4 fragment's offset. */
    static final int FRAGMENT_OFFSET = 0x1fff;

    private IpNumbers() {}

    /** Tells whether a protocol's header begins with ports. */
    static boolean hasPorts(int proto) {
        return switch (proto) {
            case TCP, UDP, SCTP, UDP_LITE, DCCP -> true;
            default -> false;
        };
    }

    static boolean isExtension(int next) {
        return switch (next) {
            case HOP_BY_HOP, ROUTING, FRAGMENT, AH, DESTINATION_OPTIONS -> true;
            default -> false;
        };
    }

    /** Returns the length of an extension header, by its kind and the length that it states. */
    static int extensionBytes(int next, int stated) {
        return switch (next) {
            case FRAGMENT -> 8;
            case AH -> (stated + 2) * 4;
            default -> (stated + 1) * 8;
        };
    }
}
