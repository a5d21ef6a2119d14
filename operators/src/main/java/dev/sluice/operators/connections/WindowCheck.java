package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.TcpTransitions.ACK;
import static dev.sluice.operators.connections.TcpTransitions.RST;
import static dev.sluice.operators.connections.TcpTransitions.SYN_RECV;
import static dev.sluice.operators.connections.TcpTransitions.SYN_SENT;

/**
 * Comparison of a TCP segment with the windows of its connection, as tcp_in_window of
 * nf_conntrack_proto_tcp.c makes it. Not thread-safe.
 */
class WindowCheck extends WindowWords {
    /** MAXACKWINCONST: how far behind the newest data an acknowledgement may be at least. */
    private static final int OLDEST = 66_000;

    /** Answer of {@link #check}. */
    enum Check {
        INSIDE,
        /** The segment passes, and changes nothing. */
        OLD,
        OUTSIDE
    }

    /**
     * Compares the segment with the window, and takes it if it is inside.
     *
     * @param bits of the connection before it
     */
    Check check(int bits, int direction, int kind) {
        if (skipsCheck) {
            return Check.INSIDE;
        }
        int state = SlotBits.state(bits);
        int sender = of(direction);
        int receiver = of(1 - direction);
        boolean syn = isSyn();
        boolean acknowledges = acknowledges();
        int ack = acknowledgement;
        int highest = (flags(1 - direction) & SACK) != 0 ? sack : ack;
        if (words[sender + WIDEST] == 0) {
            if (syn) {
                takeSyn(direction);
                if (!acknowledges) {
                    return Check.INSIDE; // both open
                }
            } else {
                words[sender + END] = end;
                words[sender + WIDEST] = window << (flags(direction) & SCALE);
                if (words[sender + WIDEST] == 0) {
                    words[sender + WIDEST] = 1;
                }
                words[sender + MOST] = end + words[sender + WIDEST];
                if (words[receiver + WIDEST] == 0) {
                    words[receiver + END] = highest;
                    words[receiver + MOST] = highest;
                } else if (highest == words[receiver + END] + 1) {
                    words[receiver + END]++; // an answer to a keep-alive
                }
            }
        } else if (syn
                && after(end, words[sender + END])
                && (state == SYN_SENT || state == SYN_RECV)) {
            takeSyn(direction);
            if (direction == 1 && !acknowledges) {
                return Check.INSIDE;
            }
        }
        if (!acknowledges || kind == RST && ack == 0) {
            ack = words[receiver + END];
            highest = ack;
        }
        int from = sequence;
        int to = end;
        if (kind == RST && from == 0 && state == SYN_SENT) {
            from = words[sender + END];
            to = from;
        }
        Check outside = compare(sender, receiver, from, to, highest, direction);
        if (outside != Check.INSIDE) {
            boolean liberal = (flags(direction) & LIBERAL) != 0;
            isOutside = !liberal && outside == Check.OUTSIDE;
            return liberal ? Check.INSIDE : outside;
        }
        take(sender, receiver, direction, ack, highest, to);
        if (kind == ACK) {
            countAgain(SlotBits.lastDirection(bits) == direction, from, ack, to);
        }
        return Check.INSIDE;
    }

    private Check compare(int sender, int receiver, int from, int to, int highest, int direction) {
        int widest = words[receiver + WIDEST];
        int seen = words[receiver + END];
        int least =
                Integer.compareUnsigned(words[sender + WIDEST], OLDEST) > 0
                        ? words[sender + WIDEST]
                        : OLDEST;
        boolean isNew = after(highest, seen - least - 1);
        boolean reaches = after(to, words[sender + END] - widest - 1);
        boolean isSeen = before(highest, seen + 1);
        if (!before(from, words[sender + MOST] + 1)) {
            int over = to - words[sender + MOST] + 1;
            if (widest != 0
                    && reaches
                    && isNew
                    && Integer.compareUnsigned(over, widest) <= 0
                    && isSeen) {
                words[sender + END] = to;
                setFlags(direction, flags(direction) | UNACKNOWLEDGED);
                return Check.OLD;
            }
            return Check.OUTSIDE;
        }
        if (!isSeen) {
            return Check.OUTSIDE;
        }
        return (widest == 0 || reaches) && isNew ? Check.INSIDE : Check.OLD;
    }

    /** Moves both windows by a segment that is inside. */
    private void take(int sender, int receiver, int direction, int ack, int highest, int to) {
        int of = flags(direction);
        int win = isSyn() ? window : window << (of & SCALE);
        int wide = win + (highest - ack);
        if (Integer.compareUnsigned(words[sender + WIDEST], wide) < 0) {
            words[sender + WIDEST] = wide;
        }
        if (after(to, words[sender + END])) {
            words[sender + END] = to;
            of |= UNACKNOWLEDGED;
        }
        if (acknowledges()
                && ((of & HAS_ACKNOWLEDGED) == 0 || after(ack, words[sender + ACKNOWLEDGED]))) {
            words[sender + ACKNOWLEDGED] = ack;
            of |= HAS_ACKNOWLEDGED;
        }
        setFlags(direction, of);
        if (words[receiver + WIDEST] != 0 && after(to, words[sender + MOST])) {
            words[receiver + WIDEST] += to - words[sender + MOST];
        }
        if (after(highest + win, words[receiver + MOST] - 1)) {
            words[receiver + MOST] = highest + win + (win == 0 ? 1 : 0);
        }
        if (ack == words[receiver + END]) {
            setFlags(1 - direction, flags(1 - direction) & ~UNACKNOWLEDGED);
        }
    }

    private void countAgain(boolean same, int from, int ack, int to) {
        int last = words[base + LAST];
        boolean again =
                same
                        && words[base + LAST_SEQUENCE] == from
                        && words[base + LAST_ACKNOWLEDGEMENT] == ack
                        && words[base + LAST_END] == to
                        && (last & 0xffff) == window;
        int times = again ? (last >>> AGAIN) + 1 & 0xff : 0;
        words[base + LAST_SEQUENCE] = from;
        words[base + LAST_ACKNOWLEDGEMENT] = ack;
        words[base + LAST_END] = to;
        words[base + LAST] = last & ~0xffffff | times << AGAIN | window;
    }
}
