package dev.sluice.operators.statistics;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.jspecify.annotations.Nullable;

/**
 * Counts of an operator by name, which a job reports at its end as Flink's accumulators: {@code
 * TITLE: NAME} for each name, {@code TITLE} for their sum, over all tasks.
 *
 * <p>Accumulators start at 0 with each attempt of a task. These counts continue, since they are
 * operator state as well: a list of (name, number), which a restart at another parallelism divides
 * among the tasks. All tasks of the operator must end together as far as checkpoints are concerned:
 * the counts of a task that ended before the others are in no checkpoint. If all tasks had ended
 * before a restart, nothing counts, and there is no accumulator of the title.
 *
 * <p>Used by the task's thread.
 */
public final class JobCounts {
    private static final String BETWEEN = ": ";

    private final String title;
    private final RuntimeContext context;
    private final ListState<Tuple2<String, Long>> state;
    private final Map<String, LongCounter> counters = new TreeMap<>();
    private final LongCounter sum;

    /**
     * Restores counts from a checkpoint, from the state {@code counts} of their operator.
     *
     * @throws Exception if the state cannot be read
     */
    public JobCounts(String title, RuntimeContext context, OperatorStateStore store)
            throws Exception {
        this(title, "counts", context, store);
    }

    /**
     * Restores counts of one title of an operator with several.
     *
     * @param stateName of the counts of this title in the operator's state
     * @throws Exception if the state cannot be read
     */
    public JobCounts(
            String title, String stateName, RuntimeContext context, OperatorStateStore store)
            throws Exception {
        this.title = title;
        this.context = context;
        this.sum = context.getLongCounter(title);
        this.state =
                store.getListState(
                        new ListStateDescriptor<>(
                                stateName, Types.TUPLE(Types.STRING, Types.LONG)));
        for (Tuple2<String, Long> count : state.get()) {
            add(count.f0, count.f1);
        }
    }

    /** Adds to the count of a name. */
    public void add(String name, long more) {
        counters.computeIfAbsent(name, n -> context.getLongCounter(title + BETWEEN + n)).add(more);
        sum.add(more);
    }

    /** Returns this task's sum over all names, including restored counts; for metrics. */
    public long sum() {
        return sum.getLocalValuePrimitive();
    }

    /** Writes the counts to the state, for a checkpoint. */
    public void write() throws Exception {
        state.update(
                counters.entrySet().stream()
                        .map(e -> Tuple2.of(e.getKey(), e.getValue().getLocalValuePrimitive()))
                        .toList());
    }

    /**
     * Reads the counts of a title, by name, from a job's accumulators.
     *
     * @param accumulators of a job that has ended
     * @return null if no task has reported counts
     */
    public static @Nullable Map<String, Long> of(String title, Map<String, Object> accumulators) {
        if (!accumulators.containsKey(title)) {
            return null;
        }
        Map<String, Long> counts = new TreeMap<>();
        String start = title + BETWEEN;
        accumulators.forEach(
                (name, value) -> {
                    if (name.startsWith(start)) {
                        counts.put(name.substring(start.length()), (Long) value);
                    }
                });
        return counts;
    }
}
