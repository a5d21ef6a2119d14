package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTracker.INVALID;
import static dev.sluice.operators.connections.ConnectionTracker.NEW;
import static dev.sluice.operators.connections.ConnectionTracker.RELATED;
import static dev.sluice.operators.connections.ConnectionTracker.TRACKED;
import static dev.sluice.operators.connections.ConnectionTracker.UNKNOWN;
import static dev.sluice.operators.connections.ConnectionTracker.UNTRACKED;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.TcpSegment;

/**
 * A packet as the tracker takes it, read from the words of its header. Reused from packet to
 * packet. Not thread-safe.
 */
public final class TrackedPacket {
    /** Number of words of a header that captures may state, from the first on. */
    static final int WORDS = HeaderWord.MARK;

    /** The words that are read only where they are asked for. */
    static final long ASKED =
            HeaderWord.bit(HeaderWord.IP_ID) | HeaderWord.bit(HeaderWord.FLOW_PORTS);

    /** The words that are read. */
    static final long READ =
            ASKED
                    | HeaderWord.bit(HeaderWord.IPV4_SRC)
                    | HeaderWord.bit(HeaderWord.IPV4_DST)
                    | HeaderWord.bit(HeaderWord.PORTS)
                    | HeaderWord.bit(HeaderWord.IP)
                    | HeaderWord.bit(HeaderWord.TCP_FLAGS)
                    | 0xffL << HeaderWord.IPV6_SRC
                    | 0xfL << HeaderWord.FLOW_DST;

    static final int GUESSES = 3;

    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMPV6 = 58;
    private static final int SCTP = 132;
    private static final int UDP_LITE = 136;

    private static final int SYN = 0x02;

    /** FIN, SYN, RST and ACK. */
    private static final int TCP_KIND = 0x17;

    private enum Kind {
        WHOLE,
        ERROR,
        LATER_FRAGMENT,
        NOT_IP,
        /** The header lacks what the tracker asks for. */
        UNTOLD
    }

    final PacketTuple tuple = new PacketTuple();
    private final PacketTuple embedded = new PacketTuple();
    private final int[] header = new int[WORDS];
    private final int[] source = new int[4];
    private final int[] destination = new int[4];
    private Kind kind = Kind.NOT_IP;
    private int protocol;
    private boolean six;

    /** Reads a header; each has {@link #WORDS} words, one behind the other. */
    public void read(int[] headers, int at) {
        System.arraycopy(headers, at * WORDS, header, 0, WORDS);
        int ip = header[HeaderWord.IP];
        int version = Field.IP_VERSION.extract(ip);
        if (version == Field.VERSION_NONE) {
            kind = Kind.NOT_IP;
            protocol = 0;
            return;
        }
        six = version == Field.VERSION_6;
        protocol = Field.IP_PROTO.extract(ip);
        if (six) {
            System.arraycopy(header, HeaderWord.IPV6_SRC, source, 0, 4);
            System.arraycopy(header, HeaderWord.IPV6_DST, destination, 0, 4);
            tuple.ipv6(source, destination, protocol);
        } else {
            tuple.ipv4(header[HeaderWord.IPV4_SRC], header[HeaderWord.IPV4_DST], protocol);
        }
        if (Field.FRAGMENT.extract(ip) == Field.FRAGMENT_LATER) {
            kind = Kind.LATER_FRAGMENT;
            if (isFlowStated()) {
                datagram();
            }
        } else {
            kind = transport(Field.PORTS_PRESENT.extract(ip) != 0);
            if (isStated(Field.MALFORMED)) {
                tuple.malformed();
                kind = Kind.WHOLE;
            } else if (isStated(Field.GRE_CALL)) {
                (kind == Kind.ERROR ? embedded : tuple).greCall();
            }
        }
    }

    /** Reads what windows ask for; a part of a segment does not tell it. */
    void segment() {
        if (kind == Kind.WHOLE && protocol == TCP) {
            tuple.segment(header, TcpSegment.isIn(header));
        }
    }

    /** Reads the protocol and the ports of a later fragment's datagram. */
    private void datagram() {
        int of = Field.FLOW_PROTO.extract(header[HeaderWord.TCP_FLAGS]);
        if (six) {
            tuple.ipv6(source, destination, of);
        } else {
            tuple.ipv4(header[HeaderWord.IPV4_SRC], header[HeaderWord.IPV4_DST], of);
        }
        flow(tuple, of);
    }

    private void flow(PacketTuple to, int of) {
        int ports = header[HeaderWord.FLOW_PORTS];
        if (of == control()) {
            to.icmp(ports >>> 24, ports >>> 16 & 0xff, ports & 0xffff);
        } else {
            to.ports(ports >>> 16, ports & 0xffff);
        }
    }

    private Kind transport(boolean ported) {
        boolean control = protocol == control();
        if (!ported) {
            boolean asked = control || protocol == TCP || protocol == UDP || protocol == UDP_LITE;
            return asked ? Kind.UNTOLD : Kind.WHOLE;
        }
        int ports = header[HeaderWord.PORTS];
        if (!control) {
            tuple.ports(ports >>> 16, ports & 0xffff).tcpFlags(header[HeaderWord.TCP_FLAGS] & 0xff);
            return Kind.WHOLE;
        }
        int type = ports >>> 16;
        boolean flow = isFlowStated();
        boolean error = isStated(Field.FLOW_DST_PRESENT);
        tuple.icmp(type, ports & 0xff, error ? 0 : header[HeaderWord.FLOW_PORTS] & 0xffff);
        if (error) {
            embed();
            return Kind.ERROR;
        }
        return flow || !isQuery(type) ? Kind.WHOLE : Kind.UNTOLD;
    }

    private int control() {
        return six ? ICMPV6 : ICMP;
    }

    private boolean isFlowStated() {
        return isStated(Field.FLOW_PRESENT);
    }

    /** Tells a bit of the word of TCP's flags. */
    private boolean isStated(Field bit) {
        return bit.extract(header[HeaderWord.TCP_FLAGS]) != 0;
    }

    private boolean isQuery(int type) {
        return six
                ? type == 128 || type == 129 || type == 139 || type == 140
                : type == 0 || type == 8 || type >= 13 && type <= 18;
    }

    /** Reads the packet that an ICMP error embeds, whose sender is the error's receiver. */
    private void embed() {
        int of = Field.FLOW_PROTO.extract(header[HeaderWord.TCP_FLAGS]);
        if (six) {
            System.arraycopy(header, HeaderWord.FLOW_DST, source, 0, 4);
            embedded.ipv6(destination, source, of);
        } else {
            embedded.ipv4(header[HeaderWord.IPV4_DST], header[HeaderWord.FLOW_DST], of);
        }
        flow(embedded, of);
    }

    /** Tells the packet's state, as {@link ConnectionTracker} does; unknown if it is doubted. */
    public int state(Connections connections, long nanos) {
        FragmentStates fragments = connections.fragments;
        return switch (kind) {
            case NOT_IP -> skip(connections, UNTRACKED);
            case UNTOLD -> skip(connections, UNKNOWN);
            case LATER_FRAGMENT -> {
                int state = isFlowStated() ? fragments.state(header) : UNKNOWN;
                if (state == UNKNOWN || state == UNTRACKED) {
                    yield skip(connections, state);
                }
                connections.tracker.fragment(tuple, state, nanos);
                yield state;
            }
            case WHOLE, ERROR -> {
                int state = connections.state(tuple, kind == Kind.ERROR ? embedded : null, nanos);
                if (connections.followsDatagrams()
                        && Field.FRAGMENT.extract(header[HeaderWord.IP]) != Field.FRAGMENT_NONE) {
                    fragments.put(header, state);
                }
                yield state;
            }
        };
    }

    private static int skip(Connections connections, int state) {
        connections.tracker.skip();
        return state;
    }

    /** Tells the state of a packet that does not come to the tracker. */
    int untracked(Connections connections) {
        if (Field.FRAGMENT.extract(header[HeaderWord.IP]) == Field.FRAGMENT_FIRST) {
            connections.fragments.put(header, UNTRACKED);
        }
        return skip(connections, UNTRACKED);
    }

    /**
     * A state that the header suggests, the likeliest first.
     *
     * @param turn from 0 to {@link #GUESSES} - 1
     */
    int guess(int turn) {
        return turn == 0 ? first() : turn == 1 ? second() : third();
    }

    private int first() {
        return switch (kind) {
            case NOT_IP -> UNTRACKED;
            case UNTOLD -> UNKNOWN;
            case ERROR -> isStated(Field.GRE_CALL) ? UNKNOWN : TRACKED | RELATED;
            case LATER_FRAGMENT -> isFlowStated() ? TRACKED | ESTABLISHED : UNKNOWN;
            case WHOLE -> {
                if (isStated(Field.MALFORMED)) {
                    yield TRACKED | INVALID;
                }
                if (protocol == control() && !isFlowStated()) {
                    yield six ? UNTRACKED : UNKNOWN;
                }
                yield protocol == SCTP || isStated(Field.GRE_CALL)
                        ? UNKNOWN
                        : TRACKED | (isFirst() ? NEW : ESTABLISHED);
            }
        };
    }

    private int second() {
        return switch (kind) {
            case WHOLE -> TRACKED | (isFirst() ? ESTABLISHED : isAnswer() ? INVALID : NEW);
            case LATER_FRAGMENT -> TRACKED | NEW;
            default -> TRACKED | INVALID;
        };
    }

    private int third() {
        return TRACKED | (isAnswer() && !isFirst() ? NEW : INVALID);
    }

    boolean isTcp() {
        return protocol == TCP;
    }

    private boolean isFirst() {
        return protocol == TCP && (header[HeaderWord.TCP_FLAGS] & TCP_KIND) == SYN;
    }

    private boolean isAnswer() {
        return protocol == TCP && (header[HeaderWord.TCP_FLAGS] & SYN) != 0;
    }
}
