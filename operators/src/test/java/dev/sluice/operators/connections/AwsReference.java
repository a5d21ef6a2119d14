package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTracker.NEW;
import static dev.sluice.operators.connections.ConnectionTracker.RELATED;
import static dev.sluice.operators.connections.ConnectionTracker.REPLY;
import static dev.sluice.operators.connections.ConnectionTracker.TRACKED;
import static dev.sluice.operators.connections.ConnectionTracker.UNKNOWN;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections of AWS, written after the Amazon EC2 User Guide: one map from the ends to the packets
 * of a connection, which are counted anew for each answer.
 */
final class AwsReference {
    private static final long SECOND = 1_000_000_000;
    private static final long LONGEST = 432_000;

    /** A packet that the connection has. */
    private record Sent(boolean answers, int flags) {}

    /** Ends of a connection, those of who began first. */
    private static final class Connection {
        private final ReferenceTracker.Tuple began;
        private final List<Sent> packets = new ArrayList<>();
        private boolean sure;
        private long last;

        Connection(ReferenceTracker.Tuple began, boolean sure) {
            this.began = began;
            this.sure = sure;
        }
    }

    private final Map<String, Connection> connections = new HashMap<>();
    private long now = Long.MIN_VALUE;
    private @Nullable Connection beginning;

    private boolean replaces;

    /** First packets of connections that were not let through. */
    long refused;

    /** Both ends, whoever began. */
    private static String ends(ReferenceTracker.Tuple tuple) {
        ReferenceTracker.Tuple inverse = ReferenceTracker.inverse(tuple);
        List<String> both = new ArrayList<>(List.of(tuple.toString(), String.valueOf(inverse)));
        both.sort(null);
        return both.toString();
    }

    private static ReferenceTracker.@Nullable Tuple tuple(DrawnPacket packet) {
        boolean named = packet.isControl() || List.of(6, 17).contains(packet.protocol());
        ReferenceTracker.Tuple tuple =
                new ReferenceTracker.Tuple(
                        packet.version(),
                        packet.source(),
                        packet.destination(),
                        packet.protocol(),
                        named ? packet.from() : 0,
                        named ? packet.to() : 0);
        return ReferenceTracker.inverse(tuple) == null ? null : tuple;
    }

    private static boolean isError(DrawnPacket packet) {
        int type = packet.to() >>> 8;
        return packet.isControl()
                && (packet.version() == 4
                        ? List.of(3, 4, 5, 11, 12).contains(type)
                        : type < 128 || type == 137);
    }

    /**
     * The state as far as AWS tells it: established, new, related or unknown, and the direction.
     */
    int state(DrawnPacket packet, long time) {
        now = Math.max(now, time);
        beginning = null;
        DrawnPacket about = packet.embedded();
        if (isError(packet)) {
            return about == null ? UNKNOWN : error(packet, about);
        }
        ReferenceTracker.Tuple tuple = tuple(packet);
        if (tuple == null) {
            return UNKNOWN;
        }
        boolean asks =
                !packet.isControl() || List.of(8, 13, 15, 17, 128, 139).contains(packet.to() >>> 8);
        boolean first = packet.protocol() != 6 || (packet.flags() & 0x17) == 2;
        Connection found = find(tuple);
        boolean held = found != null && isSure(found);
        if (found != null && held) {
            boolean answers =
                    !found.began.equals(tuple) || tuple.equals(ReferenceTracker.inverse(tuple));
            found.packets.add(new Sent(answers, packet.flags()));
            found.last = now;
            return TRACKED | ESTABLISHED | (answers ? REPLY : 0);
        }
        if (found != null) {
            found.last = now;
        }
        replaces = found != null;
        if (asks && (first || found == null)) {
            beginning = new Connection(tuple, first);
            beginning.packets.add(new Sent(false, packet.flags()));
        }
        return found == null && asks && first ? TRACKED | NEW : UNKNOWN;
    }

    void decided(boolean passed) {
        refused += beginning != null && !passed && !replaces ? 1 : 0;
        if (beginning != null && passed) {
            beginning.last = now;
            connections.put(ends(beginning.began), beginning);
        }
        beginning = null;
    }

    private @Nullable Connection find(ReferenceTracker.Tuple tuple) {
        Connection found = connections.get(ends(tuple));
        if (found != null && now - found.last >= timeouts(found)[1] * SECOND) {
            connections.remove(ends(tuple));
            return null;
        }
        return found;
    }

    private boolean isSure(Connection c) {
        return c.sure && now - c.last < timeouts(c)[0] * SECOND;
    }

    private int error(DrawnPacket packet, DrawnPacket about) {
        ReferenceTracker.Tuple inner = isError(about) ? null : tuple(about);
        if (inner == null
                || about.version() != packet.version()
                || !inner.source().equals(packet.destination())) {
            return UNKNOWN;
        }
        Connection found = find(inner);
        return found == null || !isSure(found)
                ? UNKNOWN
                : TRACKED | RELATED | (found.began.equals(inner) ? REPLY : 0);
    }

    /** Seconds after the last packet at which a connection may have ended, and has ended. */
    private static long[] timeouts(Connection c) {
        return switch (c.began.protocol()) {
            case 6 -> tcp(c);
            case 17 -> udp(c);
            case 1, 58 -> new long[] {30, LONGEST};
            default -> new long[] {600, 600};
        };
    }

    private static long[] udp(Connection c) {
        int asked = 0;
        int answered = 0;
        int transactions = 0;
        boolean open = false;
        for (Sent packet : c.packets) {
            asked += packet.answers ? 0 : 1;
            answered += packet.answers ? 1 : 0;
            transactions += open && packet.answers ? 1 : 0;
            open = !packet.answers;
        }
        boolean few = answered == 0 || asked == 1 && answered == 1;
        return transactions > 1
                ? new long[] {180, 180}
                : few ? new long[] {30, 30} : new long[] {30, 180};
    }

    private static long[] tcp(Connection c) {
        String stage = c.sure ? "half-open" : "established";
        boolean answeredSyn = !c.sure;
        boolean[] closes = new boolean[2];
        int lastFin = 0;
        for (Sent packet : c.packets.subList(1, c.packets.size())) {
            int side = packet.answers ? 1 : 0;
            boolean syn = (packet.flags & 2) != 0;
            boolean fin = (packet.flags & 1) != 0;
            boolean ack = (packet.flags & 16) != 0;
            if ((packet.flags & 4) != 0) {
                stage = "closed";
            } else if (stage.equals("closed")) {
                continue;
            } else if (fin) {
                if (answeredSyn && !closes[side]) {
                    closes[side] = true;
                    lastFin = side;
                    stage = "closing";
                }
            } else if (stage.equals("closing") && closes[0] && closes[1]) {
                stage = ack && side != lastFin ? "closed" : stage;
            } else if (stage.equals("half-open") && side == 1 && syn && ack) {
                answeredSyn = true;
            } else if (stage.equals("half-open") && side == 0 && !syn && ack && answeredSyn) {
                stage = "established";
            }
        }
        return switch (stage) {
            case "established" -> new long[] {LONGEST, LONGEST};
            case "closed" -> new long[] {0, LONGEST};
            default -> new long[] {30, LONGEST};
        };
    }
}
