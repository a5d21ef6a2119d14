package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Windows of a rule in its keyed state: sums of the newest {@link #MOST_WINDOWS} windows, and of
 * packets without a time.
 *
 * <p>A newer window evicts the sums of the oldest. A later packet of an evicted window counts under
 * a new part of the window, so that its sums do not replace the evicted ones. Packets may thus be
 * late without bound, while a rule's state stays bounded.
 *
 * <p>Not thread-safe; works on the key that the operator has set.
 */
final class WindowBook {
    /** Number of windows in a rule's state. */
    static final int MOST_WINDOWS = 64;

    /** Sums by length and start of their window. */
    private final MapState<Tuple2<Long, Long>, RuleStatistics> windows;

    /** Largest start of an evicted window, and the last part that was begun. */
    private final ValueState<Tuple2<Long, Long>> gone;

    WindowBook(KeyedStateStore state) {
        windows =
                state.getMapState(
                        new MapStateDescriptor<>(
                                "windows",
                                Types.TUPLE(Types.LONG, Types.LONG),
                                Types.POJO(RuleStatistics.class)));
        gone =
                state.getState(
                        new ValueStateDescriptor<>(
                                "windows-gone", Types.TUPLE(Types.LONG, Types.LONG)));
    }

    /**
     * Adds hits.
     *
     * @return the sums of their window, under the part that they belong to
     */
    RuleStatistics add(RuleStatistics hits) throws Exception {
        Tuple2<Long, Long> window = Tuple2.of(hits.windowNs(), hits.windowStartNs());
        RuleStatistics before = windows.get(window);
        if (before != null) {
            RuleStatistics sums = RuleSums.plus(before, hits);
            windows.put(window, sums);
            return sums;
        }
        RuleStatistics sums = RuleSums.inPart(hits, partOf(hits.windowStartNs()));
        windows.put(window, sums);
        letOldestGo();
        return sums;
    }

    private long partOf(long start) throws Exception {
        Tuple2<Long, Long> past = gone.value();
        if (past == null || start > past.f0 || start == Column.NO_TIME) {
            return 0;
        }
        gone.update(Tuple2.of(past.f0, past.f1 + 1));
        return past.f1 + 1;
    }

    private void letOldestGo() throws Exception {
        int timed = 0;
        Tuple2<Long, Long> oldest = null;
        for (Tuple2<Long, Long> window : windows.keys()) {
            if (window.f1 != Column.NO_TIME) {
                timed++;
                oldest = oldest == null || window.f1 < oldest.f1 ? window : oldest;
            }
        }
        if (oldest == null || timed <= MOST_WINDOWS) {
            return;
        }
        windows.remove(oldest);
        Tuple2<Long, Long> past = gone.value();
        gone.update(
                past == null
                        ? Tuple2.of(oldest.f1, 0L)
                        : Tuple2.of(Math.max(past.f0, oldest.f1), past.f1));
    }
}
