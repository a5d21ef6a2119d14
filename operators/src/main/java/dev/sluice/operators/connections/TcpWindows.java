package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_MAX_RETRANS;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_UNACKNOWLEDGED;
import static dev.sluice.operators.connections.TcpTransitions.ACK;
import static dev.sluice.operators.connections.TcpTransitions.CLOSE;
import static dev.sluice.operators.connections.TcpTransitions.CLOSE_WAIT;
import static dev.sluice.operators.connections.TcpTransitions.ESTABLISHED;
import static dev.sluice.operators.connections.TcpTransitions.FIN;
import static dev.sluice.operators.connections.TcpTransitions.FIN_WAIT;
import static dev.sluice.operators.connections.TcpTransitions.LAST_ACK;
import static dev.sluice.operators.connections.TcpTransitions.RST;
import static dev.sluice.operators.connections.TcpTransitions.SYN;
import static dev.sluice.operators.connections.TcpTransitions.SYN_SENT;
import static dev.sluice.operators.connections.TcpTransitions.TIME_WAIT;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Windows of TCP connections, as nf_conntrack_tcp_packet of Linux keeps them with {@code
 * nf_conntrack_tcp_be_liberal=0}. {@link #hold} takes a segment and its connection, and the other
 * methods ask about that one. {@link TcpSegments} has the state machine. Not thread-safe.
 */
final class TcpWindows extends WindowCheck {
    /** {@code nf_conntrack_tcp_max_retrans}. */
    private static final int MOST_AGAIN = 3;

    /** Idle time that a connection may have left and still not be shortened. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final long[] nanos;

    /** The windows of the connection that the last packet begins. */
    private final int[] fresh = new int[WORDS];

    /**
     * No windows so far.
     *
     * @param nanos timeouts by {@link ConnectionTimeout}
     */
    TcpWindows(long[] nanos) {
        this.nanos = nanos;
    }

    /** Takes the segment that begins a connection. */
    void begin(PacketTuple packet) {
        Arrays.fill(fresh, 0);
        if (!hold(fresh, 0, packet)) {
            return;
        }
        int kind = TcpTransitions.kind(flags);
        fresh[END] = end;
        fresh[MOST] = end;
        fresh[WIDEST] = Math.max(window, 1);
        if (kind == SYN) {
            takeOptions(0);
        } else {
            fresh[MOST] += fresh[WIDEST];
            int both = SACK | LIBERAL;
            fresh[FLAGS] = both | both << OF_ANSWERS;
        }
        check(0, 0, kind);
    }

    /** Copies the words of the connection that the last packet began. */
    void copyBegun(int[] to, int at) {
        System.arraycopy(fresh, 0, to, at, WORDS);
    }

    /**
     * Tells whether nothing is known of the windows of the connection that the last packet began.
     */
    boolean isBegunUnknown() {
        return isUnknown(fresh, 0);
    }

    /** Returns the timeout that the segment begins. */
    long timeout(int before, int after, int kind) {
        int state = SlotBits.state(after);
        long whole = nanos[state - 1];
        long again = nanos[TCP_TIMEOUT_MAX_RETRANS.ordinal()];
        long lone = nanos[TCP_TIMEOUT_UNACKNOWLEDGED.ordinal()];
        int last = words[base + LAST];
        int both = words[base + FLAGS] | words[base + FLAGS] >>> OF_ANSWERS;
        long timeout = whole;
        if ((last >>> AGAIN & 0xff) >= MOST_AGAIN && whole > again) {
            timeout = again;
        } else if (kind == RST) {
            timeout = nanos[CLOSE - 1];
        } else if ((both & UNACKNOWLEDGED) != 0 && whole > lone) {
            timeout = lone;
        } else if ((last & 0xffff) == 0 && whole > again) {
            timeout = again;
        }
        boolean pickedUp = state == ESTABLISHED && (before & SlotBits.SEEN_REPLY) == 0;
        return pickedUp ? Math.min(timeout, lone) : timeout;
    }

    /** Tells whether the segment acknowledges the last one, which was ignored. */
    boolean answersLast() {
        return acknowledgement == words[base + LAST_END];
    }

    /** Takes the last SYN for the first one, since the segment answers it. */
    void resync(int direction) {
        int other = of(1 - direction);
        int last = words[base + LAST];
        words[other + END] = words[base + LAST_END];
        words[other + MOST] = words[base + LAST_END];
        words[other + WIDEST] = Math.max(last & 0xffff, 1);
        setFlags(1 - direction, last >>> LAST_OPTIONS & OPTIONS);
        Arrays.fill(words, of(direction), of(direction) + 4, 0);
        setFlags(direction, flags(direction) & LIBERAL);
    }

    /** Notes a segment that changes no state. */
    void ignored(int bits, int direction, int kind) {
        words[base + LAST_SEQUENCE] = sequence;
        words[base + LAST_END] = end;
        int last = words[base + LAST] & ~0xffff | window;
        if (kind == SYN && direction == 0) {
            last = last & (1 << LAST_OPTIONS) - 1 | scaled() << LAST_OPTIONS;
        }
        words[base + LAST] = last;
        if (SlotBits.state(bits) == SYN_SENT && kind == ACK && direction == 1) {
            words[base + LAST_ACKNOWLEDGEMENT] = acknowledgement;
        }
    }

    /**
     * Returns the state after a RST, or {@link TcpTransitions#INVALID}; {@link #check} then knows
     * whether it is to look at the window.
     */
    int reset(int bits, int direction) {
        int old = SlotBits.state(bits);
        if (old == FIN_WAIT
                || old == CLOSE_WAIT
                || old == LAST_ACK
                || old == TIME_WAIT
                || old == CLOSE) {
            skipsCheck = true;
            return CLOSE;
        }
        int next = CLOSE;
        int lastKind = SlotBits.lastKind(bits);
        boolean assured = (bits & SlotBits.ASSURED) != 0;
        if ((flags(1 - direction) & HAS_ACKNOWLEDGED) != 0 && lastKind != SYN) {
            int highest = words[of(1 - direction) + ACKNOWLEDGED];
            boolean established = old == ESTABLISHED && assured;
            if (sequence == 0 && !established) {
                return CLOSE;
            }
            if (before(sequence, highest)) {
                return TcpTransitions.INVALID;
            }
            boolean behindLast =
                    lastKind == ACK
                            && SlotBits.lastDirection(bits) == direction
                            && sequence == words[base + LAST_END];
            if (!established || sequence == highest || behindLast) {
                return CLOSE;
            }
            next = old;
        }
        int lastDirection = SlotBits.lastDirection(bits);
        boolean seenReply = (bits & SlotBits.SEEN_REPLY) != 0;
        boolean ofSyn = seenReply && lastKind == SYN && lastDirection != direction;
        boolean ofIgnored = ofSyn || !assured && lastKind == ACK;
        boolean ofChallenge =
                old == SYN_SENT
                        && lastKind == ACK
                        && lastDirection == 1
                        && sequence == words[base + LAST_ACKNOWLEDGEMENT];
        skipsCheck = ofIgnored && answersLast() || ofChallenge;
        return next;
    }

    /**
     * Returns the bits of a connection after a segment that is invalid, as nf_tcp_handle_invalid
     * leaves them.
     */
    int refused(int bits, int direction) {
        return shortens(bits) && !isOfClosing(bits, direction)
                ? SlotBits.withLast(bits, direction, TcpTransitions.kind(flags))
                : bits;
    }

    /**
     * Returns the time that a connection has left after a segment that is invalid.
     *
     * @param left before it, in ns
     */
    long left(int bits, int direction, long left) {
        boolean closing = shortens(bits) && isOfClosing(bits, direction);
        return closing && left >= SHORT_NANOS
                ? Math.min(left, nanos[TCP_TIMEOUT_UNACKNOWLEDGED.ordinal()])
                : left;
    }

    private boolean shortens(int bits) {
        int kind = TcpTransitions.kind(flags);
        return isOutside && (bits & SlotBits.ASSURED) != 0 && (kind == RST || kind == FIN);
    }

    private static boolean isOfClosing(int bits, int direction) {
        int lastKind = SlotBits.lastKind(bits);
        return SlotBits.lastDirection(bits) != direction && (lastKind == FIN || lastKind == RST);
    }
}
