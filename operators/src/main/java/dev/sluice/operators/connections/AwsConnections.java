package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.SlotBits.ASSURED;
import static dev.sluice.operators.connections.SlotBits.PICKED_UP;
import static dev.sluice.operators.connections.SlotBits.SEEN_REPLY;
import static dev.sluice.operators.connections.TcpTransitions.CLOSE;
import static dev.sluice.operators.connections.TcpTransitions.CLOSE_WAIT;
import static dev.sluice.operators.connections.TcpTransitions.ESTABLISHED;
import static dev.sluice.operators.connections.TcpTransitions.FIN_WAIT;
import static dev.sluice.operators.connections.TcpTransitions.LAST_ACK;
import static dev.sluice.operators.connections.TcpTransitions.SYN_RECV;
import static dev.sluice.operators.connections.TcpTransitions.SYN_SENT;
import static dev.sluice.operators.connections.TcpTransitions.TIME_WAIT;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The {@link SlotBits} of connections that AWS security groups track, and their idle timeouts, as
 * the Amazon EC2 User Guide tells them: "Amazon EC2 security group connection tracking".
 *
 * <p>AWS names the timeouts of established TCP, of UDP, and of protocols other than TCP, UDP and
 * ICMP. Of all others it is unknown when a connection ends: surely not within the shortest timeout
 * that AWS names, and one that TCP has closed at any time; surely within the longest. A connection
 * is held for the longest time that is possible. From the shortest on its packets have no known
 * state, until one is let through that surely begins a connection.
 */
final class AwsConnections {
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int ACK = 16;

    /** UDP: one packet of who began; several of these; one, which was answered once. */
    private static final int ASKED = 0;

    private static final int ASKED_AGAIN = 1;
    private static final int ANSWERED = 2;

    /** UDP: more than that, the last packet an answer; the same, and then a packet of who began. */
    private static final int ANSWERED_MORE = 3;

    private static final int NEXT_ASKED = 4;

    /** UDP: more than one request with its response, which makes a stream. */
    private static final int STREAM = 5;

    /** Next state of UDP by state, after a packet of who began. */
    private static final int[] AFTER_QUESTION = {
        ASKED_AGAIN, ASKED_AGAIN, NEXT_ASKED, NEXT_ASKED, NEXT_ASKED, STREAM
    };

    /** The same after a packet of who answers. */
    private static final int[] AFTER_ANSWER = {
        ANSWERED, ANSWERED_MORE, ANSWERED_MORE, ANSWERED_MORE, STREAM, STREAM
    };

    private static final ConnectionTimeout[] TIMEOUTS = ConnectionTimeout.values();

    private final long[] sure = new long[TIMEOUTS.length];
    private final long[] possible = new long[TIMEOUTS.length];
    private final boolean doubtsPickedUp;

    private AwsConnections(TrackerOptions options) {
        doubtsPickedUp = options.doubtsPickedUp();
        for (ConnectionTimeout timeout : TIMEOUTS) {
            Long told = options.seconds().get(timeout);
            long least = told == null ? timeout.awsAtLeast() : told;
            long most = told == null ? timeout.awsAtMost() : told;
            sure[timeout.ordinal()] = TimeUnit.SECONDS.toNanos(least);
            possible[timeout.ordinal()] = TimeUnit.SECONDS.toNanos(most);
        }
    }

    /** Connections of the options' model; null: it is another. */
    static @Nullable AwsConnections of(TrackerOptions options) {
        return options.model() == TrackerOptions.Model.AWS ? new AwsConnections(options) : null;
    }

    /**
     * Takes a packet of a connection in a slot.
     *
     * @return the bits after it; 0: the connection may have ended before, or never been one, and is
     *     held as if it went on
     */
    int take(ConnectionPage page, int at, int direction, PacketTuple packet, long now) {
        int bits = page.bits(at);
        if (isDoubted(page, at, now)) {
            page.set(at, bits, now + possible(bits));
            return 0;
        }
        int after = advance(bits, direction, packet);
        page.set(at, after, now + possible(after));
        return after;
    }

    /** Tells whether a connection may have ended, or may never have been one. */
    boolean isDoubted(ConnectionPage page, int at, long now) {
        int bits = page.bits(at);
        return now >= page.end(at) - possible(bits) + sure(bits) || isDoubtedFrom(bits);
    }

    private boolean isDoubtedFrom(int bits) {
        return doubtsPickedUp && (bits & PICKED_UP) != 0;
    }

    /** As {@link #begin}; 0 also where it is unknown whether the packet begins a connection. */
    int reopen(PacketTuple packet) {
        int bits = begin(packet);
        return isDoubtedFrom(bits) ? 0 : bits;
    }

    /**
     * Returns the bits of a connection that a packet begins; {@link SlotBits#PICKED_UP}: it is
     * unknown whether it does; 0: it may be none that begins one.
     */
    int begin(PacketTuple packet) {
        int protocol = packet.protocol();
        int bits = ASSURED | SlotBits.fresh(packet);
        if (protocol == PacketTuple.TCP) {
            boolean first = (packet.flags() & (FIN | SYN | RST | ACK)) == SYN;
            return first
                    ? SlotBits.withState(bits, SYN_SENT)
                    : SlotBits.withState(bits, ESTABLISHED) | PICKED_UP;
        }
        boolean control = protocol == PacketTuple.ICMP || protocol == PacketTuple.ICMPV6;
        return control && packet.fromUpper() ? 0 : SlotBits.withState(bits, ASKED);
    }

    /** Returns the bits after a packet; direction 0 is from who began. */
    private static int advance(int bits, int direction, PacketTuple packet) {
        int after = direction == 1 ? bits | SEEN_REPLY : bits;
        int state = SlotBits.state(bits);
        if (packet.protocol() == PacketTuple.UDP) {
            int[] next = direction == 1 ? AFTER_ANSWER : AFTER_QUESTION;
            return SlotBits.withState(after, next[state]);
        }
        return packet.protocol() == PacketTuple.TCP
                ? segment(after, state, direction, packet.flags())
                : after;
    }

    private static int segment(int bits, int state, int direction, int flags) {
        if ((flags & RST) != 0) {
            return SlotBits.withState(bits, CLOSE);
        }
        if ((flags & FIN) != 0) {
            int wait = direction == 0 ? FIN_WAIT : CLOSE_WAIT;
            boolean both = state == (direction == 0 ? CLOSE_WAIT : FIN_WAIT);
            return switch (state) {
                case SYN_RECV, ESTABLISHED -> SlotBits.withState(bits, wait);
                case FIN_WAIT, CLOSE_WAIT ->
                        both
                                ? SlotBits.withState(
                                        SlotBits.withLast(bits, direction, TcpTransitions.FIN),
                                        LAST_ACK)
                                : bits;
                default -> bits;
            };
        }
        boolean syn = (flags & SYN) != 0;
        boolean ack = (flags & ACK) != 0;
        return switch (state) {
            case SYN_SENT ->
                    direction == 1 && syn && ack ? SlotBits.withState(bits, SYN_RECV) : bits;
            case SYN_RECV ->
                    direction == 0 && !syn && ack ? SlotBits.withState(bits, ESTABLISHED) : bits;
            case LAST_ACK ->
                    ack && direction != SlotBits.lastDirection(bits)
                            ? SlotBits.withState(bits, TIME_WAIT)
                            : bits;
            default -> bits;
        };
    }

    /** Returns the nanoseconds after a packet in which a connection surely does not end. */
    long sure(int bits) {
        boolean stream = (bits & 0xff) == PacketTuple.UDP && SlotBits.state(bits) == STREAM;
        return sure[(stream ? ConnectionTimeout.UDP_TIMEOUT_STREAM : timeout(bits)).ordinal()];
    }

    /** Returns the nanoseconds after a packet after which a connection has surely ended. */
    long possible(int bits) {
        boolean more = (bits & 0xff) == PacketTuple.UDP && SlotBits.state(bits) >= ANSWERED_MORE;
        return possible[(more ? ConnectionTimeout.UDP_TIMEOUT_STREAM : timeout(bits)).ordinal()];
    }

    private static ConnectionTimeout timeout(int bits) {
        return switch (bits & 0xff) {
            case PacketTuple.TCP -> TIMEOUTS[SlotBits.state(bits) - 1];
            case PacketTuple.UDP -> ConnectionTimeout.UDP_TIMEOUT;
            case PacketTuple.ICMP -> ConnectionTimeout.ICMP_TIMEOUT;
            case PacketTuple.ICMPV6 -> ConnectionTimeout.ICMPV6_TIMEOUT;
            default -> ConnectionTimeout.GENERIC_TIMEOUT;
        };
    }
}
