package dev.sluice.operators.connections;

import dev.sluice.schemas.header.TcpSegment;
import java.util.Arrays;

/**
 * A TCP segment, and the words that tell the windows of its connection.
 *
 * <p>The words of a connection. Comparisons are modulo 2^32, as sequence numbers wrap around:
 *
 * <pre>
 *   0 to 3   of who began: highest end of a segment, highest end that may come, widest window,
 *            highest acknowledgement
 *   4 to 7   of who answers: the same
 *   8        bits  0 to 3   of who began: window scale
 *            bit   4        a window scale was stated
 *            bit   5        SACK is permitted
 *            bit   6        picked up in the middle: no segment is out of window
 *            bit   7        data that nobody acknowledged
 *            bit   8        there is a highest acknowledgement
 *            bits 12 to 20  of who answers: the same
 *            bit  31        a segment did not tell its numbers: nothing of the above is known
 *   9 to 11  of the last segment: sequence number, acknowledgement, end
 *   12       bits 0 to 15   its window, as it was sent
 *            bits 16 to 23  how often it was sent again
 *            bits 24 to 29  window scale and options of the last SYN that was ignored
 * </pre>
 *
 * <p>Not thread-safe.
 */
class WindowWords {
    /** Number of words of a connection. */
    static final int WORDS = 13;

    static final int END = 0;
    static final int MOST = 1;
    static final int WIDEST = 2;
    static final int ACKNOWLEDGED = 3;
    static final int FLAGS = 8;
    static final int LAST_SEQUENCE = 9;
    static final int LAST_ACKNOWLEDGEMENT = 10;
    static final int LAST_END = 11;
    static final int LAST = 12;

    static final int SCALE = TcpSegment.SCALE;
    static final int SCALED = TcpSegment.SCALE_PRESENT;
    static final int SACK = TcpSegment.SACK_PERMITTED;
    static final int LIBERAL = 1 << 6;
    static final int UNACKNOWLEDGED = 1 << 7;
    static final int HAS_ACKNOWLEDGED = 1 << 8;
    private static final int ALL_FLAGS = 0xfff;
    static final int OF_ANSWERS = 12;
    private static final int UNTOLD = 1 << 31;

    static final int OPTIONS = SCALE | SCALED | SACK;
    static final int LAST_OPTIONS = 24;
    static final int AGAIN = 16;

    private static final int LARGEST_SCALE = 14;

    private static final int ACK_BIT = 16;
    private static final int SYN_BIT = 2;
    private static final int FIN_BIT = 1;

    int[] words = {};
    int base;
    int flags;
    int sequence;
    int acknowledgement;
    int window;

    /** The sequence number behind the segment. */
    int end;

    /** The highest acknowledgement of its SACK blocks. */
    int sack;

    /** Tells that the segment is inside of its window, whatever its numbers are. */
    boolean skipsCheck;

    /** Tells that the segment is outside of its window. */
    boolean isOutside;

    private int options;
    private long untold;

    /** Segments that did not tell their numbers. */
    long untold() {
        return untold;
    }

    /**
     * Takes a segment and its connection.
     *
     * @param in words of the connection, from {@code at} on
     * @return false if nothing is known of the windows, from this segment or an earlier one on
     */
    boolean hold(int[] in, int at, PacketTuple packet) {
        words = in;
        base = at;
        skipsCheck = false;
        isOutside = false;
        if (!packet.tellsSegment()) {
            untold++;
            lose();
        }
        if (isUnknown(in, at)) {
            return false;
        }
        flags = packet.flags();
        sequence = packet.segment(TcpSegment.SEQUENCE);
        acknowledgement = packet.segment(TcpSegment.ACKNOWLEDGEMENT);
        int sizes = packet.segment(TcpSegment.WINDOW);
        window = sizes >>> 16;
        end = sequence + (sizes & 0xffff) + (flags >>> 1 & 1) + (flags & FIN_BIT);
        options = packet.segment(TcpSegment.OPTIONS);
        sack = acknowledgement + packet.segment(TcpSegment.SACK);
        return true;
    }

    /** Notes that nothing is known of the windows of the connection that is held. */
    void lose() {
        words[base + FLAGS] |= UNTOLD;
    }

    /** Writes the words of a connection of whose windows nothing is known. */
    static void lose(int[] in, int at) {
        Arrays.fill(in, at, at + WORDS, 0);
        in[at + FLAGS] = UNTOLD;
    }

    static boolean isUnknown(int[] in, int at) {
        return (in[at + FLAGS] & UNTOLD) != 0;
    }

    boolean acknowledges() {
        return (flags & ACK_BIT) != 0;
    }

    boolean isSyn() {
        return (flags & SYN_BIT) != 0;
    }

    /** Index of the words of a direction. */
    int of(int direction) {
        return base + 4 * direction;
    }

    /** Flags of a direction, those of who began. */
    int flags(int direction) {
        return words[base + FLAGS] >>> OF_ANSWERS * direction & ALL_FLAGS;
    }

    void setFlags(int direction, int to) {
        int shift = OF_ANSWERS * direction;
        words[base + FLAGS] = words[base + FLAGS] & ~(ALL_FLAGS << shift) | to << shift;
    }

    /** Has the segment be the first one of a direction. */
    void takeSyn(int direction) {
        int to = of(direction);
        words[to + END] = end;
        words[to + MOST] = end;
        words[to + WIDEST] = Math.max(window, 1);
        takeOptions(direction);
        if (direction == 1 && (flags(0) & flags(1) & SCALED) == 0) {
            setFlags(0, flags(0) & ~SCALE);
            setFlags(1, flags(1) & ~SCALE);
        }
    }

    void takeOptions(int direction) {
        if ((options & TcpSegment.OPTIONS_PRESENT) != 0) {
            setFlags(direction, flags(direction) & LIBERAL | scaled());
        }
    }

    /** Window scale and options of the segment. */
    int scaled() {
        return options & (SCALED | SACK) | Math.min(options & SCALE, LARGEST_SCALE);
    }

    static boolean before(int one, int other) {
        return one - other < 0;
    }

    static boolean after(int one, int other) {
        return other - one < 0;
    }
}
