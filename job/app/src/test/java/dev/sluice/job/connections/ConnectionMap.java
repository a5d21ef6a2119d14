package dev.sluice.job.connections;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackedPacket;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of the connections of a capture by two maps, from the states that a plain tracker tells. */
final class ConnectionMap {
    private static final int[] ICMP4 = {0, 8, 13, 14, 15, 16, 17, 18};
    private static final int[] ICMP6 = {128, 129, 139, 140};

    /** Ends of a packet; who asks by ICMP has type, code and identifier in place of a port. */
    private record Ends(String source, String destination, int protocol, int from, int to) {
        Ends reverse() {
            return new Ends(destination, source, protocol, to, from);
        }
    }

    private static final class Row {
        private final String opening;
        private final Ends ends;
        private final long first;
        private long last;
        private final long refusedPacket;
        private final long[] counts = new long[4];

        Row(String opening, Ends ends, long first, long refusedPacket) {
            this.opening = opening;
            this.ends = ends;
            this.first = first;
            this.refusedPacket = refusedPacket;
        }

        void count(Ends of, int length, long time) {
            boolean first = counts[0] == 0;
            boolean toItself =
                    ends.equals(ends.reverse()); // the kernel takes its packets as answers
            int direction = first || of.equals(ends) && !toItself ? 0 : 1;
            counts[direction]++;
            counts[2 + direction] += length;
            last = time;
        }
    }

    private final CaptureHits hits;
    private final Connections connections = new Connections(TrackerOptions.LINUX);
    private final Map<Ends, Row> open = new HashMap<>();
    private final Map<Ends, Row> refused = new HashMap<>();
    private final List<Row> rows = new ArrayList<>();
    private long latest = Long.MIN_VALUE;

    /** Packets that have a row. */
    long packets;

    ConnectionMap(CaptureHits hits) {
        this.hits = hits;
    }

    /** Takes a header; returns the number of the refused packet that its connection began with. */
    long packet(CaptureBatch batch, VerdictBatch found, int i) {
        TrackedPacket packet = new TrackedPacket();
        packet.read(batch.flows(), i);
        long time = batch.headerTimes()[i];
        latest = Math.max(latest, time);
        int rule = found.rule(i);
        VerdictOutcome outcome = hits.ruleSet().outcome(rule);
        int state = packet.state(connections, time);
        TrackerCounts counts = connections.counts();
        connections.decided(state, outcome);
        TrackerCounts more = connections.counts().minus(counts);
        Ends ends = ends(batch.flows(), i * StatefulJudge.WORDS);
        if (ends == null
                || state == ConnectionTracker.UNKNOWN
                || state == ConnectionTracker.UNTRACKED) {
            return 0;
        }
        int length = batch.headerLengths()[i];
        Row before = refused.get(ends);
        if (more.created() > 0) {
            Row row = put(open, opening(batch, i, rule, outcome), ends, 0);
            row.count(ends, length, latest);
            packets++;
            if (before != null && more.pickedUp() == 0) {
                refused.remove(ends);
                refused.remove(ends.reverse());
                return 0;
            }
        } else if (more.refused() > 0) {
            if (before == null) {
                long number = batch.rowFacts().number(i);
                before = put(refused, opening(batch, i, rule, outcome), ends, number);
            }
            before.count(ends, length, latest);
            packets++;
        } else if ((state & (ConnectionTracker.NEW | ConnectionTracker.ESTABLISHED)) != 0) {
            Row row = open.get(ends);
            if (row == null) { // a later fragment of a refused datagram
                row = before;
            }
            row.count(ends, length, latest);
            packets++;
        } else if (before != null) {
            before.count(ends, length, latest);
            packets++;
        }
        if (before == null) {
            return 0;
        }
        return before.refusedPacket;
    }

    private Row put(Map<Ends, Row> to, String opening, Ends ends, long refusedPacket) {
        Row row = new Row(opening, ends, latest, refusedPacket);
        rows.add(row);
        to.put(ends, row);
        to.put(ends.reverse(), row);
        return row;
    }

    private String opening(CaptureBatch batch, int i, int rule, VerdictOutcome outcome) {
        String text = rule < 0 ? "none" : hits.rule(rule).line() + " " + hits.rule(rule).text();
        return batch.rowFacts().interfaceName(i) + " " + outcome + " " + text;
    }

    private static @Nullable Ends ends(int[] words, int at) {
        int ip = words[at + HeaderWord.IP];
        boolean six = Field.IP_VERSION.extract(ip) == Field.VERSION_6;
        int protocol = Field.IP_PROTO.extract(ip);
        int ports = words[at + HeaderWord.PORTS];
        boolean control = protocol == (six ? 58 : 1);
        int id = words[at + HeaderWord.FLOW_PORTS] & 0xffff;
        int type = ports >>> 16;
        int code = ports & 0xff;
        if (Field.FRAGMENT.extract(ip) == Field.FRAGMENT_LATER) {
            protocol = Field.FLOW_PROTO.extract(words[at + HeaderWord.TCP_FLAGS]);
            ports = words[at + HeaderWord.FLOW_PORTS];
            control = protocol == (six ? 58 : 1);
            type = ports >>> 24;
            code = ports >>> 16 & 0xff;
        }
        String source = six ? hex(words, at + HeaderWord.IPV6_SRC, 4) : hex(words, at, 1);
        String destination = six ? hex(words, at + HeaderWord.IPV6_DST, 4) : hex(words, at + 1, 1);
        if (control) {
            int of = type;
            if (Arrays.stream(six ? ICMP6 : ICMP4).noneMatch(query -> query == of)) {
                return null;
            }
            boolean answer = six ? type == 129 || type == 140 : type > 8 && type % 2 == 0;
            int query = type == 0 ? 8 : answer ? type - 1 : type;
            int both = id << 16 | query << 8 | code;
            boolean asks = type == query;
            return new Ends(source, destination, protocol, asks ? both : 0, asks ? 0 : both);
        }
        if (protocol == 132 || protocol == (six ? 1 : 58)) {
            return null;
        }
        boolean ported = protocol == 6 || protocol == 17 || protocol == 136;
        return new Ends(
                source,
                destination,
                protocol,
                ported ? ports >>> 16 : 0,
                ported ? ports & 0xffff : 0);
    }

    private static String hex(int[] words, int at, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = at; i < at + count; i++) {
            text.append("%08x".formatted(words[i]));
        }
        return text.toString();
    }

    /** The rows as text, sorted. */
    List<String> rows() {
        return rows.stream().map(ConnectionMap::text).sorted().toList();
    }

    private static String text(Row row) {
        return "%s %s first %d last %d %s refused %d"
                .formatted(
                        row.opening,
                        row.ends,
                        row.first,
                        row.last,
                        Arrays.toString(row.counts),
                        row.refusedPacket);
    }

    /** The text of a row that was told. */
    static String text(Connection told) {
        Connection.Ends of = told.ends();
        boolean control = of.icmpId() != null;
        int both = control ? of.icmpId() << 16 | of.sourcePort() << 8 | of.destinationPort() : 0;
        Ends ends =
                new Ends(
                        HexFormat.of().formatHex(of.source()),
                        HexFormat.of().formatHex(of.destination()),
                        of.protocol(),
                        control ? both : of.sourcePort() == null ? 0 : of.sourcePort(),
                        control || of.destinationPort() == null ? 0 : of.destinationPort());
        Connection.Opening opening = told.opening();
        String name = opening.interfaceName();
        return "%s %s %s %s first %d last %d %s refused %d"
                .formatted(
                        name.isEmpty() ? null : name,
                        opening.outcome(),
                        opening.line() == null ? "none" : opening.line() + " " + opening.text(),
                        ends,
                        told.firstNs(),
                        told.lastNs(),
                        Arrays.toString(
                                new long[] {
                                    told.sent().packets(),
                                    told.answered().packets(),
                                    told.sent().bytes(),
                                    told.answered().bytes()
                                }),
                        told.refusedPacket() == null ? 0 : told.refusedPacket());
    }
}
