package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.topic.RuleMessages;
import dev.sluice.operators.rules.topic.TimedMessage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The rules' place in the operator's checkpoints: a list {@code rule-topic}, the id of the topic
 * that they are of, if it is known. In processing time also {@code rule-log}, messages as a {@link
 * dev.sluice.operators.rules.history.RuleLog} keeps them, and {@code rule-backlog}, messages that
 * it does not hold yet, as {@link RuleMessages}. In event time {@code rule-history}, the numbers of
 * a {@link HistoryState}. One subtask writes them, and every subtask restores them whole, at any
 * parallelism. Not thread-safe.
 */
final class RuleState {
    private final ListState<String> topic;
    private final ListState<byte[]> log;
    private final ListState<byte[]> backlog;
    private final ListState<Long> history;
    private RuleStreamState restored;

    /**
     * State of a checkpoint, or nothing.
     *
     * @throws Exception if the state cannot be read
     */
    RuleState(OperatorStateStore store) throws Exception {
        topic = store.getUnionListState(new ListStateDescriptor<>("rule-topic", Types.STRING));
        log = store.getUnionListState(bytes("rule-log"));
        backlog = store.getUnionListState(bytes("rule-backlog"));
        history = store.getUnionListState(new ListStateDescriptor<>("rule-history", Types.LONG));
        Iterator<String> ids = topic.get().iterator();
        List<TimedMessage> waiting = new ArrayList<>();
        for (byte[] one : backlog.get()) {
            RuleMessages.forEach(one, waiting::add);
        }
        restored =
                new RuleStreamState(
                        ids.hasNext() ? ids.next() : "",
                        list(log.get()),
                        waiting,
                        list(history.get()));
    }

    private static ListStateDescriptor<byte[]> bytes(String name) {
        return new ListStateDescriptor<>(name, SharedBytesSerializer.INSTANCE);
    }

    private static <T> List<T> list(Iterable<T> elements) {
        List<T> list = new ArrayList<>();
        elements.forEach(list::add);
        return list;
    }

    /** Takes the state of the checkpoint, once: it is not kept. */
    RuleStreamState takeRestored() {
        RuleStreamState taken = restored;
        restored = RuleStreamState.EMPTY;
        return taken;
    }

    /** Has the next checkpoint hold a state; that of all subtasks but one is empty. */
    void write(RuleStreamState state) throws Exception {
        topic.update(state.topic().isEmpty() ? List.of() : List.of(state.topic()));
        log.update(state.log());
        backlog.update(state.backlog().stream().map(RuleMessages::of).toList());
        history.update(state.history());
    }
}
