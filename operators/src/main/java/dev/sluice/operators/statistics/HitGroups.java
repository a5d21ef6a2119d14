package dev.sluice.operators.statistics;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Puts rules into groups that are added up together. The state of a rule's windows is keyed by
 * history, whether a rule matched, and its id; Flink puts such keys into key groups, of which each
 * subtask has some. A group here is one of those, so that what stands under a rule's key and what
 * stands under its group's is always in the same subtask. A group is named by a key that is in it:
 * of the keys that no rule has, (history, false, 1) and on, the first one.
 *
 * <p>Not thread-safe.
 */
public final class HitGroups {
    private final int count;

    /** By history, then by key group: what names it. */
    private final Map<String, long[]> names = new HashMap<>();

    private int[] order = new int[0];
    private int[] groups = new int[0];

    /**
     * Groups of a job's subtasks.
     *
     * @param count key groups, Flink's maximum parallelism
     */
    public HitGroups(int count) {
        this.count = count;
    }

    /**
     * Whether all rules of each group of others are in one group here: so it is where both have as
     * many groups, or these are a divisor of those, as Flink's own numbers of key groups are.
     */
    boolean take(int groupsOfOthers) {
        return groupsOfOthers % count == 0;
    }

    /** Key groups. */
    int count() {
        return count;
    }

    /** The key group of a rule's key: of the hash that {@link Tuple3} has. */
    private int of(String history, boolean matched, long ruleId) {
        int hash = (31 * history.hashCode() + Boolean.hashCode(matched)) * 31;
        return KeyGroupRangeAssignment.computeKeyGroupForKeyHash(
                hash + Long.hashCode(ruleId), count);
    }

    /** What names the group of a rule. */
    long nameOf(String history, boolean matched, long ruleId) {
        return names(history)[of(history, matched, ruleId)];
    }

    private long[] names(String history) {
        return names.computeIfAbsent(history, this::named);
    }

    private long[] named(String history) {
        long[] made = new long[count];
        int named = 0;
        for (long name = 1; named < count; name++) {
            int group = of(history, false, name);
            if (made[group] == 0) {
                made[group] = name;
                named++;
            }
        }
        return made;
    }

    /** Hands hits out by group. */
    public void split(HitRows rows, Consumer<GroupedHits> to) {
        String history = rows.history();
        long[] groupNames = names(history);
        int size = rows.size();
        if (order.length < size) {
            order = new int[size];
            groups = new int[size];
        }
        int[] ends = new int[count + 1];
        for (int row = 0; row < size; row++) {
            int group = of(history, rows.matched(row), rows.ruleId(row));
            groups[row] = group;
            ends[group + 1]++;
        }
        for (int group = 0; group < count; group++) {
            ends[group + 1] += ends[group];
        }
        int[] next = ends.clone();
        for (int row = 0; row < size; row++) {
            order[next[groups[row]]++] = row;
        }
        for (int group = 0; group < count; group++) {
            if (ends[group] < ends[group + 1]) {
                to.accept(
                        new GroupedHits(
                                history,
                                count,
                                groupNames[group],
                                rows.windowNs(),
                                rows.pack(order, ends[group], ends[group + 1])));
            }
        }
    }
}
