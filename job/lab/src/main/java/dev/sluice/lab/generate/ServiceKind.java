package dev.sluice.lab.generate;

/**
 * Conditions of a rule beside its addresses; inclusive ranges.
 *
 * @param protocol its number, {@link #ANY_PROTOCOL} for all
 */
record ServiceKind(int srcLow, int srcHigh, int dstLow, int dstHigh, int protocol) {
    static final int ANY_PROTOCOL = -1;
    static final int LAST_PORT = 65_535;
    static final ServiceKind ANY = portless(ANY_PROTOCOL);

    static ServiceKind portless(int protocol) {
        return new ServiceKind(0, LAST_PORT, 0, LAST_PORT, protocol);
    }

    /** Any source port to a range. */
    static ServiceKind to(int protocol, int low, int high) {
        return new ServiceKind(0, LAST_PORT, low, high, protocol);
    }

    /** How many pairs of ports and protocols it takes. */
    long volume() {
        return (srcHigh - srcLow + 1L)
                * (dstHigh - dstLow + 1L)
                * (protocol == ANY_PROTOCOL ? 256 : 1);
    }

    /** Three columns of a rule file. */
    String text() {
        return "%d : %d\t%d : %d\t%s"
                .formatted(
                        srcLow,
                        srcHigh,
                        dstLow,
                        dstHigh,
                        protocol == ANY_PROTOCOL ? "0x00/0x00" : "0x%02x/0xFF".formatted(protocol));
    }
}
