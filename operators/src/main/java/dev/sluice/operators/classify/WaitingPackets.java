package dev.sluice.operators.classify;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Packet messages that wait for rules, in the order of their flow shard: keyed state {@code
 * waiting-packets}, which maps numbers that grow by 1 to messages. How many wait in which shard is
 * counted beside it, and counted again when a checkpoint is restored.
 *
 * <p>Where a shard is named, the key of the state must be {@link ShardKey} of it. Used by the
 * mailbox thread, but for {@link #bytes} and {@link #count}.
 */
final class WaitingPackets {
    private static final MapStateDescriptor<Long, byte[]> STATE =
            new MapStateDescriptor<>(
                    "waiting-packets", LongSerializer.INSTANCE, SharedBytesSerializer.INSTANCE);

    /** The messages of a shard that wait. */
    private static final class Line {
        /** Number of the first. */
        long head;

        /** Number behind the last. */
        long end;

        /** Time that the first message waits for; null: unknown. */
        @Nullable Long neededNs;
    }

    private final MapState<Long, byte[]> state;

    /** By flow shard; those that nothing waits in are not there. */
    private final Map<Integer, Line> lines = new TreeMap<>();

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Restores the messages of a checkpoint, if there is one.
     *
     * @throws Exception if the state cannot be read
     */
    WaitingPackets(KeyedStateBackend<Integer> backend) throws Exception {
        state =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, STATE);
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                STATE,
                (key, messages) -> restored(ShardKey.shard(key), messages));
    }

    private void restored(int shard, MapState<Long, byte[]> messages) throws Exception {
        Line line = new Line();
        line.head = Long.MAX_VALUE;
        for (Map.Entry<Long, byte[]> entry : messages.entries()) {
            line.head = Math.min(line.head, entry.getKey());
            line.end = Math.max(line.end, entry.getKey() + 1);
            count(1, entry.getValue().length);
        }
        if (line.end > line.head) {
            lines.put(shard, line);
        }
    }

    private void count(int messages, int length) {
        count.addAndGet(messages);
        bytes.addAndGet((long) messages * length);
    }

    /** Bytes of all messages that wait. */
    long bytes() {
        return bytes.get();
    }

    /** Messages that wait. */
    int count() {
        return count.get();
    }

    /** Tells whether messages of a shard wait. */
    boolean isWaiting(int shard) {
        return lines.containsKey(shard);
    }

    /** The shards that messages wait in, as of now. */
    List<Integer> shards() {
        return List.copyOf(lines.keySet());
    }

    /** Has a message wait behind the others of its shard. */
    void add(int shard, byte[] message) throws Exception {
        Line line = lines.computeIfAbsent(shard, s -> new Line());
        state.put(line.end++, message);
        count(1, message.length);
    }

    /** The first message of a shard in which messages wait. */
    byte[] first(int shard) throws Exception {
        Line line = line(shard);
        byte[] message = state.get(line.head);
        if (message == null) {
            throw new IllegalStateException(
                    "message %d of flow shard %d waits and is not there"
                            .formatted(line.head, shard));
        }
        return message;
    }

    /** The first message of a shard waits no more. */
    void removeFirst(int shard) throws Exception {
        Line line = line(shard);
        count(-1, first(shard).length);
        state.remove(line.head++);
        line.neededNs = null;
        if (line.head == line.end) {
            lines.remove(shard);
        }
    }

    /**
     * Returns the time that {@link #firstNeeds} has set for the first message of a shard; null:
     * none.
     */
    @Nullable Long neededNs(int shard) {
        return line(shard).neededNs;
    }

    /** The earliest time that must be known for any message to go on; null: none is known. */
    @Nullable Long earliestNeededNs() {
        return lines.values().stream()
                .map(line -> line.neededNs)
                .filter(Objects::nonNull)
                .min(Long::compare)
                .orElse(null);
    }

    /** Notes the time that must be known for the first message of a shard to go on. */
    void firstNeeds(int shard, long timeNs) {
        line(shard).neededNs = timeNs;
    }

    private Line line(int shard) {
        Line line = lines.get(shard);
        if (line == null) {
            throw new IllegalArgumentException("nothing waits in flow shard " + shard);
        }
        return line;
    }
}
