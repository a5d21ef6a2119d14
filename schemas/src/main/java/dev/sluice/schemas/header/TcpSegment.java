package dev.sluice.schemas.header;

/**
 * Sequence numbers, window and options of a TCP segment, as words of a header, where {@link
 * Field#SEGMENT_PRESENT} is 1. Connection tracking reads them, and rules never do.
 *
 * <p>They are the words of the flow fields ({@link Field#FLOW_DST_4} to {@link Field#FLOW_PORTS}),
 * which ICMP errors and later fragments have, and no whole TCP segment.
 *
 * <pre>
 *   SEQUENCE         sequence number
 *   ACKNOWLEDGEMENT  acknowledgement number, whatever the flags are
 *   WINDOW           window as it is sent in 16 bits, bytes of data in the lower 16 bits
 *   OPTIONS          bits 0 to 3  window scale, 14 at most
 *                    bit  4       there is a window scale
 *                    bit  5       SACK is permitted
 *                    bit  6       there are options
 *                    bit  7       the data offset is impossible; then no other bit is stated
 *   SACK             bytes from the acknowledgement number to the highest right edge of a SACK block
 * </pre>
 */
public final class TcpSegment {
    public static final int SEQUENCE = HeaderWord.FLOW_DST;
    public static final int ACKNOWLEDGEMENT = SEQUENCE + 1;
    public static final int WINDOW = SEQUENCE + 2;
    public static final int OPTIONS = SEQUENCE + 3;
    public static final int SACK = SEQUENCE + 4;

    /** Number of words. */
    public static final int WORDS = 5;

    public static final int SCALE = 0xf;
    public static final int SCALE_PRESENT = 1 << 4;
    public static final int SACK_PERMITTED = 1 << 5;
    public static final int OPTIONS_PRESENT = 1 << 6;
    public static final int IMPOSSIBLE = 1 << 7;

    private TcpSegment() {}

    /** Tells whether a header states the words. */
    public static boolean isIn(int[] header) {
        return Field.SEGMENT_PRESENT.extract(header[HeaderWord.TCP_FLAGS]) != 0;
    }
}
