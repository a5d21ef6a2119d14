package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.RuleSource;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * State of a checkpoint on the rule history in event time: a list {@code history-topic} of the id
 * of the topic, if it is known, and a list {@code rule-history} of where the history ends, in a
 * live job up to where what is malformed in it is reported, and of the indexes of the versions of
 * which it is reported that they cannot be served. The history itself is read again. One subtask
 * writes it, every subtask restores it whole, at any parallelism. Not thread-safe.
 */
final class HistoryState {
    private final ListState<Long> state;
    private final ListState<String> topicState;
    private final List<Long> restored = new ArrayList<>();
    private String topic = "";

    /**
     * State of a checkpoint, or nothing.
     *
     * @throws Exception if the state cannot be read
     */
    HistoryState(OperatorStateStore store) throws Exception {
        state = store.getUnionListState(new ListStateDescriptor<>("rule-history", Types.LONG));
        state.get().forEach(restored::add);
        topicState =
                store.getUnionListState(new ListStateDescriptor<>("history-topic", Types.STRING));
        topicState.get().forEach(id -> topic = id);
    }

    /**
     * Has checkpoints of a job in processing time hold nothing of what one in event time has left.
     * Flink would hand on what nobody asks for: a whole list of each subtask, at each start.
     *
     * @throws Exception if the state cannot be read
     */
    static void drop(OperatorStateStore store) throws Exception {
        new HistoryState(store).write(false);
    }

    /**
     * Says which topic is read from now on. Of another one than before nothing is fixed or
     * reported.
     *
     * @param id as {@link RuleSource#topic} says it
     * @return whether it is another one
     */
    boolean reads(String id) {
        boolean another = RuleSource.isAnother(topic, id);
        if (another) {
            restored.clear();
        }
        if (!id.isEmpty()) {
            topic = id;
        }
        return another;
    }

    /**
     * Has the next checkpoint hold the id of a topic that was made anew meanwhile, of which the end
     * is.
     *
     * @param id null: none was
     */
    void goesOnWith(@Nullable String id) {
        if (id != null) {
            topic = id;
        }
    }

    /** End of the history; null if no checkpoint was restored. */
    @Nullable Long end() {
        return restored.isEmpty() ? null : restored.get(0);
    }

    /** Tells whether it is reported that a version cannot be served. */
    boolean isReported(int index) {
        return restored.lastIndexOf(Long.valueOf(index)) > 0;
    }

    /** Has the next checkpoint hold one more version as reported, behind the end. */
    void report(int index) {
        restored.add(Long.valueOf(index));
    }

    /** Has the next checkpoint hold where the history ends. */
    void end(long end) {
        if (restored.isEmpty()) {
            restored.add(end);
        } else {
            restored.set(0, end);
        }
    }

    /** Writes the state; nothing for all subtasks but one. */
    void write(boolean first) throws Exception {
        state.update(first ? restored : List.of());
        topicState.update(first && !topic.isEmpty() ? List.of(topic) : List.of());
    }
}
