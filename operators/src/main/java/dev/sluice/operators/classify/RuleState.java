package dev.sluice.operators.classify;

import dev.sluice.operators.stream.RuleStreamState;
import dev.sluice.operators.stream.TimedMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The rules' place in the operator's checkpoints: lists {@code rule-log}, messages as a {@link
 * dev.sluice.operators.rules.RuleLog} keeps them, {@code rule-backlog}, messages that it does not
 * hold yet, each behind the 8 bytes of its record's time (big-endian, ns since 1970 UTC), and
 * {@code rule-topic}, the id of the topic that they are of, if it is known. One subtask writes
 * them, and every subtask restores them whole, at any parallelism.
 *
 * <p>Checkpoints of earlier releases hold broadcast states instead, under numbers from 0: {@code
 * rules-in-force}, a snapshot, and {@code open-transaction}, messages of a transaction whose COMMIT
 * has not come. They are read as a log of both, and not written again. Not thread-safe.
 */
final class RuleState {
    private static final List<String> FORMER = List.of("rules-in-force", "open-transaction");

    private final ListState<byte[]> log;
    private final ListState<byte[]> backlog;
    private final ListState<String> topic;
    private RuleStreamState restored;

    /**
     * What a checkpoint held, or nothing.
     *
     * @throws Exception if the state cannot be read
     */
    RuleState(OperatorStateStore store) throws Exception {
        log = store.getUnionListState(list("rule-log"));
        backlog = store.getUnionListState(list("rule-backlog"));
        topic = store.getUnionListState(new ListStateDescriptor<>("rule-topic", Types.STRING));
        List<byte[]> messages = new ArrayList<>(inOrder(log));
        for (String name : FORMER) {
            if (store.getRegisteredBroadcastStateNames().contains(name)) {
                BroadcastState<Integer, byte[]> former = store.getBroadcastState(numbered(name));
                messages.addAll(inOrder(former));
                former.clear();
            }
        }
        List<TimedMessage> waiting = new ArrayList<>();
        for (byte[] timed : inOrder(backlog)) {
            waiting.add(
                    new TimedMessage(
                            ByteBuffer.wrap(timed).getLong(),
                            Arrays.copyOfRange(timed, Long.BYTES, timed.length)));
        }
        Iterator<String> ids = topic.get().iterator();
        restored = new RuleStreamState(ids.hasNext() ? ids.next() : "", messages, waiting);
    }

    private static ListStateDescriptor<byte[]> list(String name) {
        return new ListStateDescriptor<>(name, SharedBytesSerializer.INSTANCE);
    }

    private static MapStateDescriptor<Integer, byte[]> numbered(String name) {
        return new MapStateDescriptor<>(
                name, Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    private static List<byte[]> inOrder(ListState<byte[]> state) throws Exception {
        List<byte[]> messages = new ArrayList<>();
        state.get().forEach(messages::add);
        return messages;
    }

    private static List<byte[]> inOrder(BroadcastState<Integer, byte[]> state) throws Exception {
        TreeMap<Integer, byte[]> sorted = new TreeMap<>();
        for (Map.Entry<Integer, byte[]> entry : state.entries()) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        return new ArrayList<>(sorted.values());
    }

    /** What the checkpoint held, once: it is not kept. */
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
