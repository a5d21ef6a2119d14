package dev.sluice.job.capture;

import org.jspecify.annotations.Nullable;

/**
 * Variant of a capture's format, which its first four bytes identify.
 *
 * @param pcapng whether it is pcapng, of which the other components tell nothing
 * @param bigEndian byte order of a pcap
 * @param nanosAFraction ns in one unit of the fraction of a pcap's times
 * @param headerBytes bytes of the header of each of a pcap's records
 */
record CaptureMagic(boolean pcapng, boolean bigEndian, int nanosAFraction, int headerBytes) {
    /** First bytes of each section of a pcapng, the same in both byte orders. */
    static final int SECTION_HEADER = 0x0a0d0d0a;

    /** Bytes of a section from the ninth on, in its byte order. */
    static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;

    /** Bytes of the file header of a pcap, and enough of a section of a pcapng. */
    static final int FILE_HEADER_BYTES = 24;

    static final int VERSION_MAJOR = 2;

    private static final CaptureMagic PCAPNG = new CaptureMagic(true, false, 0, 0);
    private static final int RECORD_HEADER_BYTES = 16;

    /** Records of Kuznetzov's patched libpcap are longer by interface, protocol and packet type. */
    private static final int MODIFIED_HEADER_BYTES = 24;

    /** Returns the variant of first bytes; null: they are those of no capture. */
    static @Nullable CaptureMagic of(int magic) {
        return switch (magic) {
            case SECTION_HEADER -> PCAPNG;
            case 0xa1b2c3d4 -> new CaptureMagic(false, true, 1000, RECORD_HEADER_BYTES);
            case 0xa1b23c4d -> new CaptureMagic(false, true, 1, RECORD_HEADER_BYTES);
            case 0xd4c3b2a1 -> new CaptureMagic(false, false, 1000, RECORD_HEADER_BYTES);
            case 0x4d3cb2a1 -> new CaptureMagic(false, false, 1, RECORD_HEADER_BYTES);
            case 0xa1b2cd34 -> new CaptureMagic(false, true, 1000, MODIFIED_HEADER_BYTES);
            case 0x34cdb2a1 -> new CaptureMagic(false, false, 1000, MODIFIED_HEADER_BYTES);
            default -> null;
        };
    }

    /** Tells whether the {@link #FILE_HEADER_BYTES} at a place go on as a capture does. */
    boolean begins(byte[] b, int p) {
        if (pcapng) {
            int order = Bytes.intBe(b, p + 8);
            return order == BYTE_ORDER_MAGIC || order == Integer.reverseBytes(BYTE_ORDER_MAGIC);
        }
        return Bytes.shortOf(bigEndian, b, p + 4) == VERSION_MAJOR
                && Bytes.intBe(b, p + 8) == 0
                && Bytes.intBe(b, p + 12) == 0;
    }
}
