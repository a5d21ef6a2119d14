package dev.sluice.schemas.header;

/**
 * Verification tag and chunks of an SCTP packet (RFC 9260), as words of a header, where {@link
 * Field#SEGMENT_PRESENT} is 1. Connection tracking reads them, and rules never do.
 *
 * <p>They are words of the flow fields, as those of {@link TcpSegment}. A packet states none that
 * came in fragments, of which a chunk's header was not captured, or that has more than {@link
 * #MOST} chunks beside those that carry data.
 *
 * <pre>
 *   TAG       verification tag
 *   INIT_TAG  initiate tag of an INIT or INIT ACK, else 0
 *   CHUNKS    bits 0 to 27  kinds of chunks in their order, the first in bits 0 to 3; 0 behind the last
 *             bit 28        there is a DATA chunk
 *             bit 29        there is a chunk that is neither DATA nor of one of the kinds
 * </pre>
 */
public final class SctpChunks {
    public static final int TAG = HeaderWord.FLOW_DST;
    public static final int INIT_TAG = TAG + 1;
    public static final int CHUNKS = TAG + 2;

    /** Largest number of chunks whose kinds have room. */
    public static final int MOST = 7;

    /** Bits of a kind. */
    public static final int KIND_BITS = 4;

    /** Mask of the kinds. */
    public static final int KINDS = (1 << MOST * KIND_BITS) - 1;

    public static final int DATA = 1 << 28;
    public static final int OTHER = 1 << 29;

    public static final int INIT = 1;
    public static final int INIT_ACK = 2;
    public static final int ABORT = 3;
    public static final int SHUTDOWN = 4;
    public static final int SHUTDOWN_ACK = 5;
    public static final int ERROR = 6;
    public static final int COOKIE_ECHO = 7;
    public static final int COOKIE_ACK = 8;
    public static final int SHUTDOWN_COMPLETE = 9;
    public static final int HEARTBEAT = 10;
    public static final int HEARTBEAT_ACK = 11;

    /** {@link #ABORT} with the receiver's tag reflected (T bit). */
    public static final int ABORT_REFLECTED = 12;

    /** {@link #SHUTDOWN_COMPLETE} with the receiver's tag reflected (T bit). */
    public static final int SHUTDOWN_COMPLETE_REFLECTED = 13;

    private SctpChunks() {}
}
