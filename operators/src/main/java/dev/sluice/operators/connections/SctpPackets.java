package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.SctpTransitions.CLOSED;
import static dev.sluice.operators.connections.SctpTransitions.ESTABLISHED;
import static dev.sluice.operators.connections.SlotBits.ASSURED;
import static dev.sluice.operators.connections.SlotBits.SEEN_REPLY;
import static dev.sluice.schemas.header.SctpChunks.ABORT;
import static dev.sluice.schemas.header.SctpChunks.ABORT_REFLECTED;
import static dev.sluice.schemas.header.SctpChunks.COOKIE_ACK;
import static dev.sluice.schemas.header.SctpChunks.COOKIE_ECHO;
import static dev.sluice.schemas.header.SctpChunks.HEARTBEAT;
import static dev.sluice.schemas.header.SctpChunks.HEARTBEAT_ACK;
import static dev.sluice.schemas.header.SctpChunks.INIT;
import static dev.sluice.schemas.header.SctpChunks.INIT_ACK;
import static dev.sluice.schemas.header.SctpChunks.SHUTDOWN_ACK;
import static dev.sluice.schemas.header.SctpChunks.SHUTDOWN_COMPLETE;
import static dev.sluice.schemas.header.SctpChunks.SHUTDOWN_COMPLETE_REFLECTED;

import dev.sluice.schemas.header.SctpChunks;

/**
 * An SCTP connection's {@link SlotBits} and verification tags after a packet, as
 * nf_conntrack_sctp_packet has them.
 *
 * <p>The tags lie in the slot where other protocols have the time of the stream: of who began in
 * the lower word, of who answers in the upper one. From a packet that does not state its chunks on,
 * the connection's state is {@link #UNKNOWN}: it is held for the longest timeout, and goes on for
 * as long as packets come. Not thread-safe.
 */
final class SctpPackets {
    /** The packet is invalid. */
    static final int INVALID = 0;

    /** State of a connection of which a packet did not state its chunks. */
    static final int UNKNOWN = SctpTransitions.INVALID;

    /** An INIT of who began was seen; a bit up, of who answers. */
    private static final int INIT_SEEN = 1 << 16;

    /** A HEARTBEAT had another tag, and its direction. */
    private static final int DOUBTED = 1 << 18;

    private static final int DOUBTED_DIRECTION = 19;

    /** Kinds of chunks that have a check of the tag of their own. */
    private static final int CHECKED =
            1 << INIT
                    | 1 << SHUTDOWN_COMPLETE
                    | 1 << SHUTDOWN_COMPLETE_REFLECTED
                    | 1 << COOKIE_ECHO
                    | 1 << ABORT
                    | 1 << ABORT_REFLECTED
                    | 1 << SHUTDOWN_ACK
                    | 1 << HEARTBEAT
                    | 1 << HEARTBEAT_ACK;

    /** Kinds of chunks that begin no connection. */
    private static final int BEGINNING_NONE =
            1 << ABORT
                    | 1 << ABORT_REFLECTED
                    | 1 << SHUTDOWN_COMPLETE
                    | 1 << SHUTDOWN_COMPLETE_REFLECTED
                    | 1 << COOKIE_ACK;

    private final IdleTimeouts timeouts;
    private final int[] tags = new int[2];
    private int bits;

    /** Tells that the packet is let pass, and that the timeout does not begin anew. */
    private boolean renewsNothing;

    private long untold;

    SctpPackets(IdleTimeouts timeouts) {
        this.timeouts = timeouts;
    }

    /** Packets that did not state their chunks. */
    long untold() {
        return untold;
    }

    static boolean isUnknown(int bits) {
        return (bits & SlotBits.TAGGED) != 0 && SlotBits.state(bits) == UNKNOWN;
    }

    /** Returns the time of the stream of a connection that begins, or the tags in its place. */
    long stream(int begun, long now) {
        return (begun & SlotBits.TAGGED) != 0 ? tags() : now + IdleTimeouts.STREAM_NANOS;
    }

    private long tags() {
        return tags[0] & 0xffffffffL | (long) tags[1] << Integer.SIZE;
    }

    /**
     * Returns the bits of a connection that a packet begins, or {@link #INVALID}.
     *
     * @param fresh protocol and direction
     */
    int begin(int fresh, PacketTuple packet) {
        tags[0] = 0;
        tags[1] = 0;
        bits = fresh | SlotBits.TAGGED;
        if (!packet.tellsSegment()) {
            untold++;
            return running(SlotBits.withState(bits, UNKNOWN));
        }
        int chunks = packet.segment(SctpChunks.CHUNKS);
        int kinds = chunks & SctpChunks.KINDS;
        if (chunks != kinds || (set(kinds) & BEGINNING_NONE) != 0) {
            return INVALID;
        }
        int tag = packet.segment(SctpChunks.TAG);
        for (int left = kinds; left != 0; left >>>= SctpChunks.KIND_BITS) {
            int kind = left & 15;
            if (kind == INIT) {
                tags[1] = packet.segment(SctpChunks.INIT_TAG);
            } else if (kind == HEARTBEAT) {
                tags[0] = tag;
            } else if (kind == SHUTDOWN_ACK) {
                tags[1] = tag;
            }
        }
        return kinds != 0 && take(0, packet, false) ? running(bits) : INVALID;
    }

    /**
     * Tells the state of a packet of a connection in a slot, and counts it.
     *
     * @param known state of a packet that is valid, without the status of its connection
     * @param invalid state of one that is not
     * @return -1 where the state of the connection is unknown
     */
    int state(
            ConnectionPage page,
            int at,
            int direction,
            PacketTuple packet,
            long now,
            int known,
            int invalid) {
        int after = advance(page, at, direction, packet, now);
        if (after == INVALID) {
            return invalid;
        }
        KeptRows.count(page, at, direction, packet, now);
        return isUnknown(after) ? -1 : known | SlotBits.status(after);
    }

    /**
     * Takes a packet of a connection in a slot.
     *
     * @return the bits after it, or {@link #INVALID}; what chunks before the invalid one changed
     *     stays
     */
    private int advance(ConnectionPage page, int at, int direction, PacketTuple packet, long now) {
        bits = page.bits(at);
        if (!packet.tellsSegment()) {
            untold++;
            bits = SlotBits.withState(bits, UNKNOWN);
        }
        if (isUnknown(bits)) {
            bits = running(direction == 1 ? bits | SEEN_REPLY : bits);
            page.set(at, bits, now + timeouts.beginning(bits));
            return bits;
        }
        long before = page.streamFrom(at);
        tags[0] = (int) before;
        tags[1] = (int) (before >>> Integer.SIZE);
        boolean valid = take(direction, packet, true);
        if (before != tags()) {
            page.streamFrom(at, tags());
        }
        if (valid && direction == 1) {
            bits |= SEEN_REPLY;
        }
        if (valid && !renewsNothing) {
            bits = running(bits);
            page.set(at, bits, now + timeouts.beginning(bits));
        } else {
            page.set(at, bits);
        }
        return valid ? bits : INVALID;
    }

    /** Notes that the timeout of the state begins. */
    private static int running(int bits) {
        return SlotBits.withTimed(bits, SlotBits.state(bits));
    }

    private static int set(int kinds) {
        int set = 0;
        for (int left = kinds; left != 0; left >>>= SctpChunks.KIND_BITS) {
            set |= 1 << (left & 15);
        }
        return set;
    }

    /** Takes the chunks in their order; returns false at one that is invalid. */
    private boolean take(int direction, PacketTuple packet, boolean confirmed) {
        renewsNothing = false;
        int kinds = packet.segment(SctpChunks.CHUNKS) & SctpChunks.KINDS;
        boolean data = (packet.segment(SctpChunks.CHUNKS) & SctpChunks.DATA) != 0;
        int tag = packet.segment(SctpChunks.TAG);
        int init = packet.segment(SctpChunks.INIT_TAG);
        int other = 1 - direction;
        if ((set(kinds) & CHECKED) == 0 && tag != tags[direction]) {
            return false;
        }
        for (int left = kinds; left != 0; left >>>= SctpChunks.KIND_BITS) {
            int kind = left & 15;
            switch (kind) {
                case INIT -> {
                    if (tag != 0) {
                        return false;
                    }
                }
                case ABORT, SHUTDOWN_COMPLETE, COOKIE_ECHO -> {
                    if (tag != tags[direction]) {
                        return false;
                    }
                }
                case ABORT_REFLECTED, SHUTDOWN_COMPLETE_REFLECTED -> {
                    if (tag != tags[other]) {
                        return false;
                    }
                    kind = kind == ABORT_REFLECTED ? ABORT : SHUTDOWN_COMPLETE;
                }
                case COOKIE_ACK -> bits &= ~(3 * INIT_SEEN);
                case HEARTBEAT, HEARTBEAT_ACK -> {
                    if (tags[direction] == 0) {
                        tags[direction] = tag;
                    } else if (tag == tags[direction]) {
                        bits &= ~DOUBTED;
                    } else if (data || renewsNothing) {
                        return false;
                    } else if (kind == HEARTBEAT) {
                        bits |= DOUBTED;
                        bits = bits & ~(1 << DOUBTED_DIRECTION) | direction << DOUBTED_DIRECTION;
                        renewsNothing = true;
                        continue;
                    } else if ((bits & DOUBTED) == 0
                            || (bits >>> DOUBTED_DIRECTION & 1) == direction) {
                        return false;
                    } else {
                        bits &= ~DOUBTED;
                        tags[direction] = tag;
                        tags[other] = 0;
                    }
                }
                default -> {}
            }
            int old = SlotBits.state(bits);
            int next = SctpTransitions.next(direction, kind, old);
            if (next == SctpTransitions.INVALID) {
                return false;
            }
            if (kind == INIT) {
                if (!confirmed || tags[other] != init) { // else it was sent again
                    if ((bits & INIT_SEEN << direction) != 0) {
                        bits &= ~(INIT_SEEN << other);
                    }
                    bits |= INIT_SEEN << direction;
                }
                tags[other] = init;
                renewsNothing = next == CLOSED && old == CLOSED && confirmed;
            } else if (kind == INIT_ACK) {
                boolean differs = tags[other] != init;
                boolean asked = (bits & INIT_SEEN << other) != 0;
                boolean both = asked && (bits & INIT_SEEN << direction) != 0;
                if (differs && (both || !asked && tags[other] != 0)) {
                    return false;
                }
                tags[other] = init;
            }
            bits = SlotBits.withState(bits, next);
            if (next == ESTABLISHED && old != ESTABLISHED) {
                bits |= ASSURED;
            }
        }
        return true;
    }
}
