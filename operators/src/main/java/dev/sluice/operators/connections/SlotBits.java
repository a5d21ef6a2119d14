package dev.sluice.operators.connections;

/**
 * The word of a slot that follows its key.
 *
 * <pre>
 *   bits  0 to 7   IP protocol
 *   bit   8        the slot is used
 *   bit   9        the connection began at the upper end of its key
 *   bit  10        a packet of who answers was seen
 *   bit  11        assured: early drop spares it
 *   bits 12 to 15  TCP, SCTP: state of {@link TcpTransitions}, {@link SctpTransitions}
 *   bits 16 to 18  TCP: kind of the last segment
 *   bit  19        TCP: direction of the last segment
 *   bit  20        TCP: someone closes
 *   bit  21        TCP: an ACK may answer a SYN that was ignored (RFC 5961)
 *   bit  22        TCP: both opened
 *   bits 16 to 19  SCTP: of {@link SctpPackets}
 *   bit  23        SCTP: the slot has verification tags in place of the time of the stream
 *   bits 24 to 27  SCTP: state whose timeout runs
 *   bit  29        TCP: the connection began with an ACK; 0 in images of before it was noted
 *   bit  30        of {@link TcpSegments#advance} alone: the timeout begins anew
 *   bit  31        of {@link TcpSegments#advance} alone: the connection ends
 * </pre>
 */
final class SlotBits {
    static final int USED = 1 << 8;
    static final int KEY = 0x1ff;
    static final int BEGAN_UPPER = 1 << 9;
    static final int SEEN_REPLY = 1 << 10;
    static final int ASSURED = 1 << 11;
    static final int CLOSING = 1 << 20;
    static final int CHALLENGED = 1 << 21;
    static final int BOTH_OPENED = 1 << 22;
    static final int TAGGED = 1 << 23;
    static final int PICKED_UP = 1 << 29;
    static final int RENEW = 1 << 30;
    static final int END = 1 << 31;

    private SlotBits() {}

    /** Returns protocol and direction of a connection that a packet begins. */
    static int fresh(PacketTuple packet) {
        return USED | packet.protocol() | (packet.fromUpper() ? BEGAN_UPPER : 0);
    }

    static int state(int bits) {
        return bits >>> 12 & 15;
    }

    static int lastKind(int bits) {
        return bits >>> 16 & 7;
    }

    static int lastDirection(int bits) {
        return bits >>> 19 & 1;
    }

    /** Returns the two bits of the status that a packet's state tells. */
    static int status(int bits) {
        return (bits & (SEEN_REPLY | ASSURED)) >>> 1;
    }

    static int withState(int bits, int state) {
        return bits & ~(15 << 12) | state << 12;
    }

    /** Returns the state of SCTP whose timeout runs. */
    static int timed(int bits) {
        return bits >>> 24 & 15;
    }

    static int withTimed(int bits, int state) {
        return bits & ~(15 << 24) | state << 24;
    }

    static int withLast(int bits, int direction, int kind) {
        return bits & ~(15 << 16) | kind << 16 | direction << 19;
    }

    /** Returns 0 for a packet of who began, else 1. */
    static int direction(int bits, PacketTuple packet) {
        boolean beganUpper = (bits & BEGAN_UPPER) != 0;
        return packet.toItself() || beganUpper != packet.fromUpper() ? 1 : 0;
    }
}
