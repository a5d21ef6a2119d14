package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTimeout.GENERIC_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.GRE_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.GRE_TIMEOUT_STREAM;
import static dev.sluice.operators.connections.ConnectionTimeout.ICMPV6_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.ICMP_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_CLOSED;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT_STREAM;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times in nanoseconds after which an idle connection ends.
 *
 * @param nanos by {@link ConnectionTimeout}
 */
@SuppressWarnings("ArrayRecordComponent")
record IdleTimeouts(long[] nanos) {
    /** Age from which on answered UDP is a stream. */
    static final long STREAM_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * Returns the timeout of a connection that begins with these {@link SlotBits}; of SCTP that of
     * the state whose timeout runs.
     */
    long beginning(int bits) {
        return beginning(bits, null);
    }

    /**
     * As {@link #beginning(int)}.
     *
     * @param windows that hold the segment that begins it; null: they are not known
     */
    long beginning(int bits, @Nullable TcpWindows windows) {
        if ((bits & SlotBits.TAGGED) != 0) {
            return sctp(SlotBits.timed(bits));
        }
        int protocol = bits & 0xff;
        return protocol == PacketTuple.TCP
                ? tcp(0, bits, SlotBits.lastKind(bits), windows)
                : of(protocol, 0, false);
    }

    /** Returns the timeout of a state of SCTP; of an unknown one the longest. */
    private long sctp(int state) {
        int first = SCTP_TIMEOUT_CLOSED.ordinal() - SctpTransitions.CLOSED;
        if (state != SctpTransitions.INVALID) {
            return nanos[first + state];
        }
        long longest = 0;
        for (int any = SctpTransitions.CLOSED; any < SctpTransitions.INVALID; any++) {
            longest = Math.max(longest, nanos[first + any]);
        }
        return longest;
    }

    /**
     * Returns the timeout that a segment begins.
     *
     * @param windows that hold the segment; null: they are not known
     */
    long tcp(int before, int after, int kind, @Nullable TcpWindows windows) {
        return windows == null
                ? TcpSegments.timeout(before, after, kind, nanos)
                : windows.timeout(before, after, kind);
    }

    /**
     * Returns the timeout of protocols other than TCP.
     *
     * @param bits before the packet
     * @param old whether the connection is old enough for a stream
     */
    long of(int protocol, int bits, boolean old) {
        boolean answered = (bits & SlotBits.SEEN_REPLY) != 0;
        ConnectionTimeout timeout =
                switch (protocol) {
                    case PacketTuple.UDP -> answered && old ? UDP_TIMEOUT_STREAM : UDP_TIMEOUT;
                    case PacketTuple.UDP_LITE -> answered ? UDP_TIMEOUT_STREAM : UDP_TIMEOUT;
                    case PacketTuple.GRE -> answered ? GRE_TIMEOUT_STREAM : GRE_TIMEOUT;
                    case PacketTuple.ICMP -> ICMP_TIMEOUT;
                    case PacketTuple.ICMPV6 -> ICMPV6_TIMEOUT;
                    default -> GENERIC_TIMEOUT;
                };
        return nanos[timeout.ordinal()];
    }

    /**
     * Returns {@link SlotBits#ASSURED} if a packet assures a connection, of protocols other than
     * TCP, else 0; as {@link #of}.
     */
    static int assured(int protocol, int bits, boolean old) {
        boolean answered = (bits & SlotBits.SEEN_REPLY) != 0;
        boolean assures =
                switch (protocol) {
                    case PacketTuple.UDP -> old;
                    case PacketTuple.UDP_LITE, PacketTuple.GRE -> true;
                    default -> false;
                };
        return answered && assures ? SlotBits.ASSURED : 0;
    }
}
