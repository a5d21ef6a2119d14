package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.topic.TimedMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The rules' place in the operator's checkpoints: lists {@code rule-log}, messages as a {@link
 * dev.sluice.operators.rules.history.RuleLog} keeps them, {@code rule-backlog}, messages that it
 * does not hold yet, each behind the 8 bytes of its record's time (big-endian, ns since 1970 UTC),
 * and {@code rule-topic}, the id of the topic that they are of, if it is known. One subtask writes
 * them, and every subtask restores them whole, at any parallelism. Not thread-safe.
 */
final class RuleState {
    private final ListState<byte[]> log;
    private final ListState<byte[]> backlog;
    private final ListState<String> topic;
    private RuleStreamState restored;

    /**
     * State of a checkpoint, or nothing.
     *
     * @throws Exception if the state cannot be read
     */
    RuleState(OperatorStateStore store) throws Exception {
        log = store.getUnionListState(list("rule-log"));
        backlog = store.getUnionListState(list("rule-backlog"));
        topic = store.getUnionListState(new ListStateDescriptor<>("rule-topic", Types.STRING));
        List<TimedMessage> waiting = new ArrayList<>();
        for (byte[] timed : inOrder(backlog)) {
            waiting.add(
                    new TimedMessage(
                            ByteBuffer.wrap(timed).getLong(),
                            Arrays.copyOfRange(timed, Long.BYTES, timed.length)));
        }
        Iterator<String> ids = topic.get().iterator();
        restored = new RuleStreamState(ids.hasNext() ? ids.next() : "", inOrder(log), waiting);
    }

    private static ListStateDescriptor<byte[]> list(String name) {
        return new ListStateDescriptor<>(name, SharedBytesSerializer.INSTANCE);
    }

    private static List<byte[]> inOrder(ListState<byte[]> state) throws Exception {
        List<byte[]> messages = new ArrayList<>();
        state.get().forEach(messages::add);
        return messages;
    }

    /** Takes the state of the checkpoint, once: it is not kept. */
    RuleStreamState takeRestored() {
        RuleStreamState taken = restored;
        restored = RuleStreamState.EMPTY;
        return taken;
    }

    /** Has the next checkpoint hold a state; empty for all subtasks but one. */
    void write(RuleStreamState state) throws Exception {
        topic.update(state.topic().isEmpty() ? List.of() : List.of(state.topic()));
        log.update(state.log());
        List<byte[]> waiting = new ArrayList<>();
        for (TimedMessage timed : state.backlog()) {
            byte[] message = timed.message();
            waiting.add(
                    ByteBuffer.allocate(Long.BYTES + message.length)
                            .putLong(timed.timeNs())
                            .put(message)
                            .array());
        }
        backlog.update(waiting);
    }
}
