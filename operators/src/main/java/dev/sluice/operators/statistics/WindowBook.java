package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * The windows of a rule, in its keyed state: sums of the newest {@link #MOST_WINDOWS} windows, and
 * of the packets without a time. When a newer window comes, the sums of the oldest are let go. A
 * packet that comes later still for a window that old is counted under a part of the window that no
 * packet was counted under before, so that its sums do not take the place of those that were let
 * go. Packets may thus be late without bound, and a rule's state is bounded all the same.
 *
 * <p>Not thread-safe; works on the key that the operator has set.
 */
final class WindowBook {
    /** Windows whose sums a rule's state holds. */
    static final int MOST_WINDOWS = 64;

    /** By length and start of a window. */
    private final MapState<Tuple2<Long, Long>, RuleHits> windows;

    /** The largest start of a window that was let go, and the last part that was begun. */
    private final ValueState<Tuple2<Long, Long>> gone;

    WindowBook(KeyedStateStore state) {
        windows =
                state.getMapState(
                        new MapStateDescriptor<>(
                                "windows", Types.TUPLE(Types.LONG, Types.LONG), RuleHits.TYPE));
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
    RuleHits add(RuleHits hits) throws Exception {
        Tuple2<Long, Long> window = Tuple2.of(hits.windowNs(), hits.windowStartNs());
        RuleHits before = windows.get(window);
        if (before != null) {
            RuleHits sums = before.plus(hits);
            windows.put(window, sums);
            return sums;
        }
        RuleHits sums = hits.inPart(partOf(hits.windowStartNs()));
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
