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
import dev.sluice.schemas.header.SctpChunks;
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
    private static final int GRE = 47;
    private static final int ICMPV6 = 58;
    private static final int SCTP = 132;

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

    /** The header of a fragment, of SCTP, or of a TCP segment whose numbers are asked for. */
    private final int[] header = new int[WORDS];

    private final int[] source = new int[4];
    private final int[] destination = new int[4];
    private Kind kind = Kind.NOT_IP;
    private int ip;
    private int tcpFlags;
    private int protocol;
    private boolean six;

    /** Reads a header; each has {@link #WORDS} words, one behind the other. */
    public void read(int[] headers, int at) {
        look(headers, at);
        if (kind == Kind.NOT_IP) {
            return;
        }
        int from = at * WORDS;
        put(tuple, headers, from, protocol);
        if (Field.FRAGMENT.extract(ip) != Field.FRAGMENT_NONE) {
            System.arraycopy(headers, from, header, 0, WORDS);
        }
        if (kind == Kind.LATER_FRAGMENT) {
            if (isFlowStated()) {
                int of = Field.FLOW_PROTO.extract(tcpFlags);
                put(tuple, headers, from, of);
                flow(tuple, headers[from + HeaderWord.FLOW_PORTS], of);
            }
            return;
        }
        if (Field.PORTS_PRESENT.extract(ip) != 0) {
            transport(headers, from);
        }
        if (isStated(Field.MALFORMED)) {
            tuple.malformed();
        } else if (isStated(Field.GRE_CALL)) {
            (kind == Kind.ERROR ? embedded : tuple).greCall();
        } else if (protocol == GRE && isFlowStated()) {
            flow(tuple, headers[from + HeaderWord.FLOW_PORTS], GRE);
        }
    }

    /** Reads of a header what {@link #guess} asks for. */
    void look(int[] headers, int at) {
        int from = at * WORDS;
        ip = headers[from + HeaderWord.IP];
        tcpFlags = headers[from + HeaderWord.TCP_FLAGS];
        int version = Field.IP_VERSION.extract(ip);
        six = version == Field.VERSION_6;
        protocol = version == Field.VERSION_NONE ? 0 : Field.IP_PROTO.extract(ip);
        if (protocol == SCTP) { // its chunks
            System.arraycopy(headers, from, header, 0, WORDS);
        }
        Kind now =
                version == Field.VERSION_NONE
                        ? Kind.NOT_IP
                        : kind(headers[from + HeaderWord.PORTS]);
        if (now != kind) { // to store a reference is dear
            kind = now;
        }
    }

    private Kind kind(int ports) {
        if (Field.FRAGMENT.extract(ip) == Field.FRAGMENT_LATER) {
            return Kind.LATER_FRAGMENT;
        }
        if (isStated(Field.MALFORMED)) {
            return Kind.WHOLE;
        }
        boolean control = protocol == control();
        if (Field.PORTS_PRESENT.extract(ip) == 0) {
            return control || PacketTuple.hasPorts(protocol) ? Kind.UNTOLD : Kind.WHOLE;
        }
        if (!control) {
            return Kind.WHOLE;
        }
        if (isStated(Field.FLOW_DST_PRESENT)) {
            return Kind.ERROR;
        }
        return isFlowStated() || !isQuery(ports >>> 16) ? Kind.WHOLE : Kind.UNTOLD;
    }

    /** Reads what windows ask for; a part of a segment does not tell it. */
    void segment(int[] headers, int at) {
        if (kind == Kind.WHOLE && protocol == TCP) {
            System.arraycopy(headers, at * WORDS, header, 0, WORDS);
            tuple.segment(header, TcpSegment.isIn(header));
        }
    }

    /** Reads the addresses. */
    private void put(PacketTuple to, int[] headers, int from, int of) {
        if (six) {
            System.arraycopy(headers, from + HeaderWord.IPV6_SRC, source, 0, 4);
            System.arraycopy(headers, from + HeaderWord.IPV6_DST, destination, 0, 4);
            to.ipv6(source, destination, of);
        } else {
            to.ipv4(headers[from + HeaderWord.IPV4_SRC], headers[from + HeaderWord.IPV4_DST], of);
        }
    }

    /** Reads the ports of a later fragment's datagram, or of the packet that an error embeds. */
    private void flow(PacketTuple to, int ports, int of) {
        if (of == control()) {
            to.icmp(ports >>> 24, ports >>> 16 & 0xff, ports & 0xffff);
        } else {
            to.ports(ports >>> 16, ports & 0xffff);
        }
    }

    private void transport(int[] headers, int from) {
        int ports = headers[from + HeaderWord.PORTS];
        if (protocol != control()) {
            if (protocol == SCTP) {
                tuple.segment(header, TcpSegment.isIn(header));
            }
            tuple.ports(ports >>> 16, ports & 0xffff).tcpFlags(tcpFlags & 0xff);
            return;
        }
        int flow = headers[from + HeaderWord.FLOW_PORTS];
        boolean error = isStated(Field.FLOW_DST_PRESENT);
        tuple.icmp(ports >>> 16, ports & 0xff, error ? 0 : flow & 0xffff);
        if (error) {
            int of = Field.FLOW_PROTO.extract(tcpFlags);
            if (six) { // its sender is the error's receiver
                System.arraycopy(headers, from + HeaderWord.FLOW_DST, source, 0, 4);
                embedded.ipv6(destination, source, of);
            } else {
                int sender = headers[from + HeaderWord.IPV4_DST];
                embedded.ipv4(sender, headers[from + HeaderWord.FLOW_DST], of);
            }
            flow(embedded, flow, of);
        }
    }

    private int control() {
        return six ? ICMPV6 : ICMP;
    }

    private boolean isFlowStated() {
        return isStated(Field.FLOW_PRESENT);
    }

    /** Tells a bit of the word of TCP's flags. */
    private boolean isStated(Field bit) {
        return bit.extract(tcpFlags) != 0;
    }

    private boolean isQuery(int type) {
        return six
                ? type == 128 || type == 129 || type == 139 || type == 140
                : type == 0 || type == 8 || type >= 13 && type <= 18;
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
                        && Field.FRAGMENT.extract(ip) != Field.FRAGMENT_NONE) {
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
        if (Field.FRAGMENT.extract(ip) == Field.FRAGMENT_FIRST) {
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
                boolean untold = protocol == SCTP && !TcpSegment.isIn(header);
                yield untold || isStated(Field.GRE_CALL)
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
        return protocol == TCP
                ? (tcpFlags & TCP_KIND) == SYN
                : protocol == SCTP && header[SctpChunks.CHUNKS] == SctpChunks.INIT;
    }

    private boolean isAnswer() {
        return protocol == TCP && (tcpFlags & SYN) != 0;
    }
}
