package dev.sluice.operators.statistics;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Grouping of rules whose hits are added in one table.
 *
 * <p>Flink assigns the state of a rule's windows to a key group by its key: history, whether a rule
 * matched, and the rule's id. Each subtask has some key groups. A group here is a key group, so
 * that the values under a rule's key and under its group's key are always in the same subtask. A
 * group is named by one of its own keys: of the keys that no rule has, (history, false, 1) and so
 * on, the first in the group.
 *
 * <p>Not thread-safe.
 */
public final class HitGroups {
    private final int count;

    /** Names of the groups, by history and key group. */
    private final Map<String, long[]> names = new HashMap<>();

    private int[] order = new int[0];
    private int[] groups = new int[0];

    /**
     * Creates the groups of a job's subtasks.
     *
     * @param count number of key groups, Flink's maximum parallelism
     */
    public HitGroups(int count) {
        this.count = count;
    }

    /**
     * Tells whether all rules of each group of a sender are in one group here. That holds if this
     * number of groups divides the sender's, as Flink's default numbers of key groups do.
     */
    boolean take(int groupsOfOthers) {
        return groupsOfOthers % count == 0;
    }

    /** Returns the number of key groups. */
    int count() {
        return count;
    }

    /** Returns the key group of a rule's key, from the hash of {@link Tuple3}. */
    private int of(String history, boolean matched, long ruleId) {
        int hash = (31 * history.hashCode() + Boolean.hashCode(matched)) * 31;
        return KeyGroupRangeAssignment.computeKeyGroupForKeyHash(
                hash + Long.hashCode(ruleId), count);
    }

    /** Returns the name of a rule's group. */
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

    /** Emits hits by group. */
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
                                rows.pack(i -> order[i], ends[group], ends[group + 1])));
            }
        }
    }
}
