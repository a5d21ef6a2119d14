package dev.sluice.policy.kernel;

/** Part of a {@link ProbePacket}, each with its bits and the value that a fresh packet has. */
enum ProbeField {
    SOURCE(128, 0),
    DESTINATION(128, 0),
    PROTOCOL(8, 6),
    SOURCE_PORT(16, 1024),
    DESTINATION_PORT(16, 80),
    ICMP_TYPE(8, 8),
    ICMP_CODE(8, 0),
    TCP_FLAGS(8, 2),
    /** Number of the one option of a TCP header, 0 for none. */
    TCP_OPTION(8, 0),
    TTL(8, 64),
    TOS(8, 0),
    /** Length of the IP packet in bytes; large enough for all headers. */
    LENGTH(16, 100),
    MARK(7, 0),
    /** 1 where the packet is a fragment; an IPv6 packet then has a fragment header. */
    FRAGMENT(1, 0),
    /** Offset of a fragment in units of 8 bytes. */
    FRAGMENT_OFFSET(13, 0),
    MORE_FRAGMENTS(1, 0),
    /** Identification in a fragment header. */
    FRAGMENT_ID(32, 0x5105),
    /** 1 where an IPv6 packet has an authentication header before its transport header. */
    AUTHENTICATION(1, 0),
    SOURCE_MAC(48, 0x020000000099L),
    /** Index in {@link ProbePacket#PACKET_TYPES}. */
    PACKET_TYPE(2, 0),
    /** Index of the device at which the packet arrives. */
    IN(3, 0),
    /** Index of the device by which the packet leaves. */
    OUT(3, 1),
    /** Index in {@link ConnectionStates#NAMES}; the kernel's knowledge, not part of the packet. */
    STATE(2, 0);

    /** Value of {@link #IN} and {@link #OUT} where a base chain sees no such device. */
    static final int NO_DEVICE = 7;

    private final int bits;
    private final long usual;

    ProbeField(int bits, long usual) {
        this.bits = bits;
        this.usual = usual;
    }

    int bits(int version) {
        return bits == 128 && version == 4 ? 32 : bits;
    }

    long usual() {
        return usual;
    }
}
