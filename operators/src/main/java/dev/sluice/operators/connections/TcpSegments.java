package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.SlotBits.ASSURED;
import static dev.sluice.operators.connections.SlotBits.BOTH_OPENED;
import static dev.sluice.operators.connections.SlotBits.CHALLENGED;
import static dev.sluice.operators.connections.SlotBits.CLOSING;
import static dev.sluice.operators.connections.SlotBits.END;
import static dev.sluice.operators.connections.SlotBits.RENEW;
import static dev.sluice.operators.connections.SlotBits.SEEN_REPLY;
import static dev.sluice.operators.connections.TcpTransitions.ACK;
import static dev.sluice.operators.connections.TcpTransitions.CLOSE;
import static dev.sluice.operators.connections.TcpTransitions.ESTABLISHED;
import static dev.sluice.operators.connections.TcpTransitions.FIN_WAIT;
import static dev.sluice.operators.connections.TcpTransitions.LAST_ACK;
import static dev.sluice.operators.connections.TcpTransitions.NONE;
import static dev.sluice.operators.connections.TcpTransitions.RST;
import static dev.sluice.operators.connections.TcpTransitions.SYN;
import static dev.sluice.operators.connections.TcpTransitions.SYN_ACK;
import static dev.sluice.operators.connections.TcpTransitions.SYN_RECV;
import static dev.sluice.operators.connections.TcpTransitions.SYN_SENT;
import static dev.sluice.operators.connections.TcpTransitions.SYN_SENT2;
import static dev.sluice.operators.connections.TcpTransitions.TIME_WAIT;

import org.jspecify.annotations.Nullable;

/**
 * A TCP connection's {@link SlotBits} after a segment, as nf_conntrack_tcp_packet has them: by its
 * windows, or where each segment is in sequence.
 */
final class TcpSegments {
    /** The segment is invalid, and changes nothing. */
    static final int INVALID = 0;

    /** The connection is over, and the segment begins a new one. */
    static final int REOPEN = 1;

    private TcpSegments() {}

    /**
     * Returns the bits of a connection that a segment begins, or {@link #INVALID}.
     *
     * @param bits protocol and direction
     * @param loose whether an ACK begins a connection
     */
    static int begin(int bits, int kind, boolean loose) {
        int state = TcpTransitions.next(0, kind, NONE);
        if (state == TcpTransitions.INVALID || state == ESTABLISHED && !loose) {
            return INVALID;
        }
        int picked = state == ESTABLISHED ? SlotBits.PICKED_UP : 0;
        return SlotBits.withLast(SlotBits.withState(bits | picked, state), 0, kind);
    }

    /**
     * Returns the bits of a connection that a packet of a protocol other than SCTP begins, or
     * {@link #INVALID}.
     *
     * @param loose whether an ACK of TCP begins one
     */
    static int begin(PacketTuple packet, boolean loose) {
        int protocol = packet.protocol();
        int bits = SlotBits.fresh(packet);
        if (protocol != PacketTuple.TCP) {
            boolean control = protocol == PacketTuple.ICMP || protocol == PacketTuple.ICMPV6;
            return control && packet.fromUpper() ? INVALID : bits; // an answer nobody asked for
        }
        return packet.isPossible()
                ? begin(bits, TcpTransitions.kind(packet.flags()), loose)
                : INVALID;
    }

    /**
     * Returns the bits after a segment, with {@link SlotBits#RENEW} or {@link SlotBits#END}, or
     * {@link #INVALID} or {@link #REOPEN}.
     *
     * @param direction 0 from who began
     * @param kind of {@link TcpTransitions}
     * @param windows that hold the segment; null: it is taken as one in sequence
     */
    static int advance(int bits, int direction, int kind, @Nullable TcpWindows windows) {
        int old = SlotBits.state(bits);
        int next = TcpTransitions.next(direction, kind, old);
        int lastKind = SlotBits.lastKind(bits);
        boolean lastWasOther = SlotBits.lastDirection(bits) != direction;
        if (next == SYN_SENT && old >= TIME_WAIT) {
            if ((bits & CLOSING) != 0 || !lastWasOther && lastKind == RST) {
                return REOPEN;
            }
            next = TcpTransitions.IGNORE;
        }
        int now = bits;
        switch (next) {
            case TcpTransitions.INVALID -> {
                return INVALID;
            }
            case TcpTransitions.IGNORE -> {
                boolean answers = kind == SYN_ACK && lastKind == SYN && lastWasOther;
                if (!answers || windows != null && !windows.answersLast()) {
                    if (windows != null) {
                        windows.ignored(bits, direction, kind);
                    }
                    return ignored(bits, direction, kind);
                }
                if (windows != null) {
                    windows.resync(direction);
                }
                // The ends are in sync by a SYN that was ignored.
                old = SYN_SENT;
                next = SYN_RECV;
                now &= ~(CLOSING | CHALLENGED);
            }
            case TIME_WAIT -> {
                boolean challenge = kind == ACK && lastWasOther && lastKind == SYN;
                if (old == LAST_ACK && challenge && (bits & CHALLENGED) != 0) {
                    return bits & ~CHALLENGED;
                }
            }
            case SYN_SENT2 -> now |= BOTH_OPENED;
            case SYN_RECV -> {
                if (direction == 1 && kind == ACK && (bits & BOTH_OPENED) != 0) {
                    next = ESTABLISHED;
                }
            }
            case CLOSE -> {
                if (windows != null && kind == RST) {
                    next = windows.reset(bits, direction);
                    if (next == TcpTransitions.INVALID) {
                        return INVALID;
                    }
                }
            }
            default -> {}
        }
        if (windows != null) {
            switch (windows.check(bits, direction, kind)) {
                case OUTSIDE -> {
                    return INVALID;
                }
                case OLD -> {
                    return bits;
                }
                case INSIDE -> {}
            }
        }
        now = SlotBits.withLast(SlotBits.withState(now, next), direction, kind);
        if (next == FIN_WAIT && old != FIN_WAIT) {
            now |= CLOSING;
        }
        if ((bits & SEEN_REPLY) == 0) {
            if (kind == RST) {
                return now | END;
            }
            return kind == SYN && old == SYN_SENT ? now : now | RENEW; // a SYN sent again
        }
        if (next == ESTABLISHED && (old == SYN_RECV || old == ESTABLISHED)) {
            now |= ASSURED;
        }
        return now | RENEW;
    }

    private static int ignored(int bits, int direction, int kind) {
        int now = SlotBits.withLast(bits, direction, kind);
        if (kind == SYN && direction == 0) {
            now &= ~(CHALLENGED | BOTH_OPENED);
            if (SlotBits.state(bits) == LAST_ACK) {
                now |= CHALLENGED;
            }
        }
        return now;
    }

    /**
     * Returns the timeout that a segment begins.
     *
     * @param before bits before the segment, 0 of a new connection
     * @param after bits after it
     * @param timeouts nanoseconds by {@link ConnectionTimeout}
     */
    static long timeout(int before, int after, int kind, long[] timeouts) {
        int state = kind == RST ? CLOSE : SlotBits.state(after);
        long timeout = timeouts[state - 1];
        if (state == ESTABLISHED && (before & SEEN_REPLY) == 0) {
            return Math.min(
                    timeout, timeouts[ConnectionTimeout.TCP_TIMEOUT_UNACKNOWLEDGED.ordinal()]);
        }
        return timeout;
    }
}
