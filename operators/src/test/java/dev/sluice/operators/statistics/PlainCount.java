package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.HashMap;
import java.util.Map;

/** What a test expects: hits packet by packet, with an object for everything. */
public final class PlainCount {
    /** What is counted; {@code rule} null: a miss; {@code windowStart} null: no window. */
    public record Subject(String history, Long rule, Long windowStart) {}

    /** Sums of packets; versions from and to. */
    public record Sums(long packets, long bytes, long first, long last, long from, long to) {
        Sums plus(Sums other) {
            return new Sums(
                    packets + other.packets,
                    bytes + other.bytes,
                    first == Column.NO_TIME
                            ? other.first
                            : other.first == Column.NO_TIME ? first : Math.min(first, other.first),
                    Math.max(last, other.last),
                    Math.min(from, other.from),
                    Math.max(to, other.to));
        }
    }

    public final Map<Subject, Sums> sums = new HashMap<>();

    public void packet(
            String history, Long rule, long time, long length, long version, long windowNs) {
        Sums one = new Sums(1, length, time, time, version, version);
        sums.merge(new Subject(history, rule, null), one, Sums::plus);
        if (windowNs > 0) {
            sums.merge(new Subject(history, rule, start(time, windowNs)), one, Sums::plus);
        }
    }

    static long start(long time, long windowNs) {
        return time == Column.NO_TIME ? time : Math.floorDiv(time, windowNs) * windowNs;
    }

    /** Takes hits as they travel. */
    public void add(GroupedHits hits) {
        add(hits.unpack());
    }

    /** Takes hits as a counter hands them out. */
    public void add(HitRows rows) {
        rows.forEach(this::add);
    }

    /** Takes hits of a window, or of none. */
    public void add(RuleStatistics hits) {
        Sums some =
                new Sums(
                        hits.packets(),
                        hits.bytes(),
                        hits.firstNs(),
                        hits.lastNs(),
                        hits.fromVersion(),
                        hits.toVersion());
        Long rule = hits.ruleId();
        sums.merge(new Subject(hits.history(), rule, null), some, Sums::plus);
        if (hits.windowNs() > 0) {
            sums.merge(new Subject(hits.history(), rule, hits.windowStartNs()), some, Sums::plus);
        }
    }

    /** Adds hits to a table, under their window. */
    static void add(RuleStatistics hits, RuleHitTable table) {
        Long rule = hits.ruleId();
        long[] numbers = {
            rule == null ? 0 : rule,
            hits.windowStartNs(),
            hits.packets(),
            hits.bytes(),
            hits.firstNs(),
            hits.lastNs(),
            hits.fromVersion(),
            hits.toVersion()
        };
        table.add(rule != null, numbers, 0, hits.windowStartNs());
    }
}
