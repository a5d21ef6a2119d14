package dev.sluice.operators.connections;

import dev.sluice.operators.connections.ReferenceTracker.Connection;
import dev.sluice.operators.connections.ReferenceTracker.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of connections by one map from the reference's connections to objects. */
final class ReferenceRows {
    private static final List<String> SHORT =
            List.of("NO", "SS", "SR", "ES", "FW", "CW", "LA", "TW", "CL", "S2");
    private static final List<String> NAMES =
            List.of(
                    "none",
                    "syn-sent",
                    "syn-recv",
                    "established",
                    "fin-wait",
                    "close-wait",
                    "last-ack",
                    "time-wait",
                    "close",
                    "syn-sent2");

    private static final class Row {
        final Tuple original;
        final long first;
        final int opening;
        long refusedAt;
        long end;
        long timeout;
        long last;
        long lastBefore;
        final long[] packets = new long[2];
        final long[] bytes = new long[2];

        Row(Tuple original, long first, int opening) {
            this.original = original;
            this.first = first;
            this.last = first;
            this.opening = opening;
        }

        void count(int direction, int length, long now) {
            packets[direction]++;
            bytes[direction] += length;
            last = now;
        }

        String text(String state, ConnectionEnd end) {
            Tuple t = original;
            boolean control = t.protocol() == (t.version() == 4 ? 1 : 58);
            String ends =
                    control
                            ? "type %d code %d id %d"
                                    .formatted(t.to() >>> 8, t.to() & 0xff, t.from())
                            : t.from() + " " + t.to();
            return "%d %d %s %s %s first %d last %d %s %s opening %d refused %d %s %s"
                    .formatted(
                            t.version(),
                            t.protocol(),
                            t.source(),
                            t.destination(),
                            ends,
                            first,
                            last,
                            Arrays.toString(packets),
                            Arrays.toString(bytes),
                            opening,
                            refusedAt,
                            state,
                            end);
        }
    }

    final ReferenceTracker tracker;
    final List<String> told = new ArrayList<>();
    private final Map<Connection, Row> open = new IdentityHashMap<>();
    private final Map<Tuple, Row> refused = new HashMap<>();
    long counted;

    ReferenceRows(TrackerOptions options) {
        tracker = new ReferenceTracker(options.loose(), options.seconds());
    }

    /** Takes a packet; returns the number of the refused one that its connection began with. */
    long packet(DrawnPacket packet, boolean passes, int length, int opening, long time) {
        long now = Math.max(tracker.now, time);
        Tuple tuple = ReferenceTracker.tuple(packet);
        Connection before = tracker.connections.get(tuple);
        if (before != null && before.end <= now) {
            before = null;
        }
        int state = tracker.state(packet, time);
        boolean sctp = packet.protocol() == 132;
        boolean tracked =
                (state & (ConnectionTracker.NEW | ConnectionTracker.ESTABLISHED)) != 0
                        && (state != ConnectionTracker.UNKNOWN || sctp)
                        && ((state & ConnectionTracker.RELATED) == 0 || sctp);
        if (before != null && tracked) {
            Row row = open.get(before);
            if (tracker.unconfirmed != null) {
                close(before, ConnectionEnd.REOPENED);
            } else {
                long last = row.last;
                row.count(tuple.equals(before.reply) ? 1 : 0, length, now);
                row.last = sctp && !before.sctp.renewed ? last : now;
                counted++;
                if (tracker.connections.get(tuple) != before) {
                    close(before, ConnectionEnd.RESET);
                }
            }
        }
        Row seen =
                isKeyed(tuple)
                        ? look(
                                tuple,
                                state == (ConnectionTracker.TRACKED | ConnectionTracker.INVALID),
                                length,
                                now)
                        : null;
        Connection begun = tracker.unconfirmed;
        tracker.decided(passes);
        if (begun != null) {
            seen = decided(begun, seen, passes, length, opening, now);
        }
        return seen == null ? 0 : seen.refusedAt;
    }

    private @Nullable Row decided(
            Connection begun,
            @Nullable Row seen,
            boolean passes,
            int length,
            int opening,
            long now) {
        Tuple tuple = begun.original;
        counted++;
        if (passes) {
            Row row = new Row(tuple, now, opening);
            row.count(0, length, now);
            open.put(begun, row);
            if (seen != null && !begun.tcp.equals("ES")) {
                seen.last = seen.lastBefore;
                closeRefused(tuple, ConnectionEnd.LET_THROUGH);
                return null;
            }
            return seen;
        }
        if (seen != null) {
            seen.end = now + seen.timeout;
            seen.last = now;
            seen.count(tuple.equals(seen.original) && !isToItself(tuple) ? 0 : 1, length, now);
            return seen;
        }
        Row row = new Row(tuple, now, opening);
        row.count(0, length, now);
        row.refusedAt = opening * 10L;
        row.timeout = tracker.unconfirmedTimeout;
        row.end = now + row.timeout;
        refused.put(key(tuple), row);
        return row;
    }

    private @Nullable Row look(Tuple tuple, boolean counts, int length, long now) {
        Row row = refused.get(key(tuple));
        if (row == null) {
            return null;
        }
        if (row.end <= now) {
            closeRefused(tuple, ConnectionEnd.TIMEOUT);
            return null;
        }
        row.lastBefore = row.last;
        if (counts) {
            row.end = now + row.timeout;
            row.last = now;
            row.count(tuple.equals(row.original) && !isToItself(tuple) ? 0 : 1, length, now);
            counted++;
        }
        return row;
    }

    private static boolean isToItself(Tuple tuple) {
        return tuple.equals(ReferenceTracker.inverse(tuple));
    }

    private static boolean isKeyed(Tuple tuple) {
        return ReferenceTracker.inverse(tuple) != null;
    }

    /** One of the two tuples, the same for both. */
    private static Tuple key(Tuple tuple) {
        Tuple other = ReferenceTracker.inverse(tuple);
        return tuple.toString().compareTo(String.valueOf(other)) < 0 ? tuple : other;
    }

    private void close(Connection connection, ConnectionEnd end) {
        String sctp = ReferenceSctp.NAMES.get(ReferenceSctp.STATES.indexOf(connection.sctp.state));
        String state =
                switch (connection.original.protocol()) {
                    case 6 -> NAMES.get(SHORT.indexOf(connection.tcp));
                    case 132 -> sctp.replace('_', '-');
                    default -> connection.seenReply ? "replied" : "unreplied";
                };
        told.add(open.remove(connection).text(state, end));
    }

    private void closeRefused(Tuple tuple, ConnectionEnd end) {
        told.add(refused.remove(key(tuple)).text("refused", end));
    }

    /** Tells the rows that are left. */
    void finish() {
        long now = tracker.now;
        for (Connection connection : List.copyOf(open.keySet())) {
            close(connection, connection.end > now ? ConnectionEnd.LIVE : ConnectionEnd.TIMEOUT);
        }
        for (Row row : List.copyOf(refused.values())) {
            closeRefused(row.original, row.end > now ? ConnectionEnd.LIVE : ConnectionEnd.TIMEOUT);
        }
    }

    /** The text of a tracker's row. */
    static String text(ConnectionRow row, ConnectionEnd end) {
        String ends =
                row.isQuery()
                        ? "type %d code %d id %d"
                                .formatted(row.sourcePort(), row.destinationPort(), row.queryId())
                        : row.sourcePort() + " " + row.destinationPort();
        return "%d %d %s %s %s first %d last %d [%d, %d] [%d, %d] opening %d refused %d %s %s"
                .formatted(
                        row.version(),
                        row.protocol(),
                        hex(row.source()),
                        hex(row.destination()),
                        ends,
                        row.first(),
                        row.last(),
                        row.packets(0),
                        row.packets(1),
                        row.bytes(0),
                        row.bytes(1),
                        row.opening(),
                        row.refusedAt(),
                        row.state(),
                        end);
    }

    private static String hex(byte[] address) {
        String all = HexFormat.of().formatHex(address);
        return all.substring(all.length() - 8).replaceFirst("^0+", "");
    }
}
