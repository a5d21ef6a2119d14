package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTracker.INVALID;
import static dev.sluice.operators.connections.ConnectionTracker.NEW;
import static dev.sluice.operators.connections.ConnectionTracker.RELATED;
import static dev.sluice.operators.connections.ConnectionTracker.REPLY;
import static dev.sluice.operators.connections.ConnectionTracker.TRACKED;
import static dev.sluice.operators.connections.ConnectionTracker.UNKNOWN;
import static dev.sluice.operators.connections.ConnectionTracker.UNTRACKED;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connection tracking written after nf_conntrack as directly as it goes: one map from the tuples of
 * both directions to an object a connection.
 */
final class ReferenceTracker {
    /**
     * A tuple of nf_conntrack.
     *
     * @param from source port; identifier of ICMP
     * @param to destination port; type and code of ICMP
     */
    record Tuple(int version, String source, String destination, int protocol, int from, int to) {}

    /** A connection; both of its tuples lead to it. */
    static final class Connection {
        final Tuple original;
        final Tuple reply;
        long end;
        long streamFrom;
        boolean seenReply;
        boolean assured;
        String tcp = "NO";
        String lastIndex = "none";
        int lastDirection;
        final ReferenceSctp sctp = new ReferenceSctp();
        final boolean[] closeInit = new boolean[2];
        boolean challengeAck;
        boolean simultaneous;

        /** Version of the rules that judged it last. */
        long rules;

        Connection(Tuple original, Tuple reply) {
            this.original = original;
            this.reply = reply;
        }
    }

    private static final List<String> STATES =
            List.of("NO", "SS", "SR", "ES", "FW", "CW", "LA", "TW", "CL", "S2");
    private static final Map<String, String> ORIGINAL =
            Map.of(
                    "syn", "SS,SS,IG,IG,IG,IG,IG,SS,SS,S2",
                    "synack", "IV,IV,SR,IV,IV,IV,IV,IV,IV,SR",
                    "fin", "IV,IV,FW,FW,LA,LA,LA,TW,CL,IV",
                    "ack", "ES,IV,ES,ES,CW,CW,TW,TW,CL,IV",
                    "rst", "IV,CL,CL,CL,CL,CL,CL,CL,CL,CL");
    private static final Map<String, String> REPLIES =
            Map.of(
                    "syn", "IV,S2,IV,IV,IV,IV,IV,SS,IV,S2",
                    "synack", "IV,SR,IG,IG,IG,IG,IG,IG,IG,SR",
                    "fin", "IV,IV,FW,FW,LA,LA,LA,TW,CL,IV",
                    "ack", "IV,IG,SR,ES,CW,CW,TW,TW,CL,IG",
                    "rst", "IV,CL,CL,CL,CL,CL,CL,CL,CL,CL");
    private static final Map<String, String> NAMES =
            Map.of(
                    "SS",
                    "SYN_SENT",
                    "SR",
                    "SYN_RECV",
                    "ES",
                    "ESTABLISHED",
                    "FW",
                    "FIN_WAIT",
                    "CW",
                    "CLOSE_WAIT",
                    "LA",
                    "LAST_ACK",
                    "TW",
                    "TIME_WAIT",
                    "CL",
                    "CLOSE",
                    "S2",
                    "SYN_SENT2");
    private static final Map<Integer, Integer> INVERSE4 =
            Map.of(8, 0, 0, 8, 13, 14, 14, 13, 15, 16, 16, 15, 17, 18, 18, 17);
    private static final Map<Integer, Integer> INVERSE6 =
            Map.of(128, 129, 129, 128, 139, 140, 140, 139);

    private final boolean loose;
    final Map<Tuple, Connection> connections = new HashMap<>();
    private final Map<ConnectionTimeout, Long> seconds;
    long now = Long.MIN_VALUE;
    @Nullable Connection unconfirmed;
    long unconfirmedTimeout;

    /** Version of the rules that judge; it stays as it is where open connections do. */
    long rules;

    /** The open connection that the last packet is judged anew for. */
    @Nullable Connection anew;

    ReferenceTracker(boolean loose, Map<ConnectionTimeout, Long> seconds) {
        this.loose = loose;
        this.seconds = seconds;
    }

    int state(DrawnPacket packet, long time) {
        now = Math.max(now, time);
        unconfirmed = null;
        anew = null;
        if (packet.isControl()) {
            int type = packet.to() >>> 8;
            boolean error =
                    packet.version() == 4
                            ? List.of(3, 4, 5, 11, 12).contains(type)
                            : type < 128 || type == 137;
            if (packet.version() == 6
                    && List.of(130, 131, 132, 133, 134, 135, 136, 143, 151, 152).contains(type)) {
                return UNTRACKED;
            }
            if (error) {
                return packet.embedded() == null ? UNKNOWN : error(packet, packet.embedded());
            }
        }
        Tuple tuple = tuple(packet);
        Tuple inverse = inverse(tuple);
        if (inverse == null) {
            return TRACKED | INVALID;
        }
        Connection found = find(tuple);
        if (found == null) {
            return begin(new Connection(tuple, inverse), packet);
        }
        int state = goOn(found, tuple, packet);
        boolean open = (state & INVALID) == 0 && connections.get(tuple) == found;
        if (open && tuple.equals(found.original) && found.rules < rules) {
            anew = found;
            return TRACKED | NEW;
        }
        return state;
    }

    void decided(boolean passed) {
        Connection connection = unconfirmed;
        unconfirmed = null;
        if (anew != null && passed) {
            anew.rules = rules;
        } else if (anew != null) {
            kill(anew);
        }
        anew = null;
        if (connection != null && passed) {
            connection.rules = rules;
            connection.end = now + unconfirmedTimeout;
            connections.put(connection.original, connection);
            connections.put(connection.reply, connection);
        }
    }

    /** Takes a new connection back, which the tracker had no room for. */
    void forget() {
        unconfirmed = null;
    }

    void kill(Connection connection) {
        connections.remove(connection.original);
        connections.remove(connection.reply);
    }

    static Tuple tuple(DrawnPacket packet) {
        boolean control = packet.isControl();
        return new Tuple(
                packet.version(),
                packet.source(),
                packet.destination(),
                packet.protocol(),
                control ? packet.from() : packet.sourcePort(),
                control ? packet.to() : packet.destinationPort());
    }

    static @Nullable Tuple inverse(Tuple t) {
        int from = t.to;
        int to = t.from;
        if (t.protocol == 1 || t.protocol == 58) {
            Integer type = (t.protocol == 1 ? INVERSE4 : INVERSE6).get(t.to >>> 8);
            if (type == null || t.protocol != (t.version == 4 ? 1 : 58)) {
                return null;
            }
            from = t.from;
            to = type << 8 | t.to & 0xff;
        }
        return new Tuple(t.version, t.destination, t.source, t.protocol, from, to);
    }

    private @Nullable Connection find(Tuple tuple) {
        Connection found = connections.get(tuple);
        if (found != null && found.end <= now) {
            kill(found);
            return null;
        }
        return found;
    }

    private int error(DrawnPacket packet, DrawnPacket embedded) {
        if (embedded.version() != packet.version()) {
            return TRACKED | INVALID;
        }
        Tuple inner = inverse(tuple(embedded));
        Connection found = inner == null ? null : find(inner);
        if (found == null || !inner.destination.equals(packet.destination())) {
            return TRACKED | INVALID;
        }
        return TRACKED | RELATED | (inner.equals(found.reply) ? REPLY : 0) | status(found);
    }

    private static int status(Connection c) {
        return ConnectionTracker.CONFIRMED
                | (c.seenReply ? ConnectionTracker.SEEN_REPLY : 0)
                | (c.assured ? ConnectionTracker.ASSURED : 0);
    }

    private long timeout(String name) {
        ConnectionTimeout timeout = ConnectionTimeout.valueOf(name.toUpperCase(Locale.ROOT));
        return seconds.getOrDefault(timeout, (long) timeout.defaultSeconds()) * 1_000_000_000;
    }

    private long timeout(ReferenceSctp sctp) {
        if (!sctp.timed.equals("unknown")) {
            return timeout(
                    "sctp_timeout_"
                            + ReferenceSctp.NAMES.get(ReferenceSctp.STATES.indexOf(sctp.timed)));
        }
        return ReferenceSctp.NAMES.subList(1, 9).stream()
                .mapToLong(name -> timeout("sctp_timeout_" + name))
                .max()
                .orElseThrow();
    }

    private static @Nullable String index(int flags) {
        int counted = flags & ~0xc8;
        if (!List.of(2, 0x22, 0x12, 4, 0x14, 0x11, 0x31, 0x10, 0x30).contains(counted)) {
            return null;
        }
        return (counted & 4) != 0
                ? "rst"
                : (counted & 2) != 0
                        ? (counted & 16) != 0 ? "synack" : "syn"
                        : (counted & 1) != 0 ? "fin" : "ack";
    }

    private int begin(Connection connection, DrawnPacket packet) {
        if (packet.protocol() == 6) {
            String index = index(packet.flags());
            if (index == null) {
                return TRACKED | INVALID;
            }
            connection.tcp = ORIGINAL.get(index).split(",")[0];
            if (connection.tcp.equals("IV") || connection.tcp.equals("ES") && !loose) {
                return TRACKED | INVALID;
            }
            connection.lastIndex = index;
            unconfirmedTimeout = timeout("tcp_timeout_" + NAMES.get(connection.tcp));
            if (connection.tcp.equals("ES")) {
                unconfirmedTimeout =
                        Math.min(unconfirmedTimeout, timeout("tcp_timeout_unacknowledged"));
            }
        } else if (packet.protocol() == 132) {
            if (connection.sctp.begin(packet).equals("invalid")) {
                return TRACKED | INVALID;
            }
            unconfirmedTimeout = timeout(connection.sctp);
            unconfirmed = connection;
            return connection.sctp.state.equals("unknown") ? UNKNOWN : TRACKED | NEW;
        } else if (packet.isControl()) {
            if (!List.of(8, 13, 15, 17, 128, 139).contains(packet.to() >>> 8)) {
                return TRACKED | INVALID;
            }
            unconfirmedTimeout = timeout(packet.version() == 4 ? "icmp_timeout" : "icmpv6_timeout");
        } else {
            unconfirmedTimeout =
                    timeout(
                            switch (packet.protocol()) {
                                case 17, 136 -> "udp_timeout";
                                case 47 -> "gre_timeout";
                                default -> "generic_timeout";
                            });
        }
        connection.streamFrom = now + 2_000_000_000L;
        unconfirmed = connection;
        return TRACKED | NEW;
    }

    private int goOn(Connection c, Tuple tuple, DrawnPacket packet) {
        int direction = tuple.equals(c.reply) ? 1 : 0;
        int state = direction == 1 ? ESTABLISHED | REPLY : c.seenReply ? ESTABLISHED : NEW;
        switch (packet.protocol()) {
            case 6 -> {
                String index = index(packet.flags());
                if (index == null) {
                    return TRACKED | INVALID;
                }
                switch (tcp(c, direction, index)) {
                    case "invalid" -> {
                        return TRACKED | INVALID;
                    }
                    case "repeat" -> {
                        kill(c);
                        return begin(new Connection(tuple, inverse(tuple)), packet);
                    }
                    default -> {}
                }
            }
            case 132 -> {
                String fate = c.sctp.packet(packet, direction, true);
                c.assured |= c.sctp.assures;
                if (fate.equals("invalid")) {
                    return TRACKED | INVALID;
                }
                if (fate.equals("accept")) {
                    c.end = now + timeout(c.sctp);
                }
                c.seenReply |= direction == 1;
                if (c.sctp.state.equals("unknown")) {
                    return UNKNOWN;
                }
            }
            case 17 -> {
                boolean stream = c.seenReply && now > c.streamFrom;
                c.end = now + timeout(stream ? "udp_timeout_stream" : "udp_timeout");
                c.assured |= stream;
            }
            case 136 -> {
                c.end = now + timeout(c.seenReply ? "udp_timeout_stream" : "udp_timeout");
                c.assured |= c.seenReply;
            }
            case 47 -> {
                c.end = now + timeout(c.seenReply ? "gre_timeout_stream" : "gre_timeout");
                c.assured |= c.seenReply;
            }
            case 1 -> c.end = now + timeout("icmp_timeout");
            case 58 -> c.end = now + timeout("icmpv6_timeout");
            default -> c.end = now + timeout("generic_timeout");
        }
        c.seenReply |= direction == 1;
        return TRACKED | state | status(c);
    }

    private String tcp(Connection c, int direction, String index) {
        String old = c.tcp;
        Map<String, String> table = direction == 0 ? ORIGINAL : REPLIES;
        String next = table.get(index).split(",")[STATES.indexOf(old)];
        boolean closed = List.of("TW", "CL").contains(old);
        if (next.equals("IV")) {
            return "invalid";
        }
        if (next.equals("SS") && closed) {
            if (c.closeInit[0]
                    || c.closeInit[1]
                    || c.lastDirection == direction && c.lastIndex.equals("rst")) {
                return "repeat";
            }
            next = "IG";
        }
        if (next.equals("IG")) {
            if (index.equals("synack")
                    && c.lastIndex.equals("syn")
                    && c.lastDirection != direction) {
                old = "SS";
                next = "SR";
                c.challengeAck = false;
                c.closeInit[0] = false;
                c.closeInit[1] = false;
            } else {
                c.lastIndex = index;
                c.lastDirection = direction;
                if (index.equals("syn") && direction == 0) {
                    c.simultaneous = false;
                    c.challengeAck = old.equals("LA");
                }
                return "accept";
            }
        } else if (next.equals("TW")) {
            if (old.equals("LA")
                    && index.equals("ack")
                    && c.lastDirection != direction
                    && c.lastIndex.equals("syn")
                    && c.challengeAck) {
                c.challengeAck = false;
                return "accept";
            }
        } else if (next.equals("S2")) {
            c.simultaneous = true;
        } else if (next.equals("SR") && direction == 1 && index.equals("ack") && c.simultaneous) {
            next = "ES";
        }
        c.lastIndex = index;
        c.lastDirection = direction;
        c.tcp = next;
        if (!old.equals(next) && next.equals("FW")) {
            c.closeInit[direction] = true;
        }
        String name = index.equals("rst") ? "CLOSE" : NAMES.get(next);
        long timeout = timeout("tcp_timeout_" + name);
        if (!c.seenReply) {
            if (index.equals("rst")) {
                kill(c);
                return "accept";
            }
            if (index.equals("syn") && old.equals("SS")) {
                return "accept";
            }
            if (next.equals("ES")) {
                timeout = Math.min(timeout, timeout("tcp_timeout_unacknowledged"));
            }
        } else if (List.of("SR", "ES").contains(old) && next.equals("ES")) {
            c.assured = true;
        }
        c.end = now + timeout;
        return "accept";
    }
}
