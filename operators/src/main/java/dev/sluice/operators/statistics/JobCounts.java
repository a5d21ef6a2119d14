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
 * Counts of an operator by name, which a job tells at its end as Flink's accumulators: {@code
 * TITLE: NAME} the number of each name, {@code TITLE} their sum, over all tasks.
 *
 * <p>Accumulators begin anew with each attempt of a task. These go on: the counts are operator
 * state too, a list of (name, number), of which a restart at another parallelism gives each task
 * some. The operator must be one whose tasks end together, as far as checkpoints see it: what a
 * task had counted that ended before the others is in no checkpoint. If all tasks had ended before
 * a restart, nothing counts, and there is no accumulator of the title.
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
     * Counts that go on where a checkpoint was, as the state {@code counts} of their operator.
     *
     * @throws Exception if the state cannot be read
     */
    public JobCounts(String title, RuntimeContext context, OperatorStateStore store)
            throws Exception {
        this(title, "counts", context, store);
    }

    /**
     * The same of an operator that has counts of several titles.
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

    /** So many more of a name. */
    public void add(String name, long more) {
        counters.computeIfAbsent(name, n -> context.getLongCounter(title + BETWEEN + n)).add(more);
        sum.add(more);
    }

    /** What this task has counted, of all names, and what a checkpoint gave it; for metrics. */
    public long sum() {
        return sum.getLocalValuePrimitive();
    }

    /** Has the checkpoint hold what was counted so far. */
    public void write() throws Exception {
        state.update(
                counters.entrySet().stream()
                        .map(e -> Tuple2.of(e.getKey(), e.getValue().getLocalValuePrimitive()))
                        .toList());
    }

    /**
     * What a job's accumulators tell of a title, by name.
     *
     * @param accumulators of a job that has ended
     * @return null if no task told anything
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
