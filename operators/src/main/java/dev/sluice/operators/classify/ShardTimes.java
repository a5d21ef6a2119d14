package dev.sluice.operators.classify;

import dev.sluice.operators.rules.history.PacketTimes;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

/**
 * Largest time of the packets of each flow shard of a subtask so far: keyed state {@code
 * largest-time}, and the same in memory. Used by the mailbox thread.
 */
final class ShardTimes {
    private static final ValueStateDescriptor<Long> LARGEST =
            new ValueStateDescriptor<>("largest-time", Types.LONG);

    private final ValueState<Long> state;
    private final Map<Integer, Long> byShard = new HashMap<>();

    /**
     * Restores the times of a checkpoint, if there is one.
     *
     * @throws Exception if the state cannot be read
     */
    ShardTimes(KeyedStateStore store, KeyedStateBackend<Integer> backend) throws Exception {
        state = store.getState(LARGEST);
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                LARGEST,
                (key, largest) -> byShard.put(ShardKey.shard(key), largest.value()));
    }

    /** The largest time of a shard, or {@link PacketTimes#NONE}. */
    long largestNs(int shard) {
        return byShard.getOrDefault(shard, PacketTimes.NONE);
    }

    /** Notes the largest time of the shard whose key is that of the state. */
    void update(int shard, long largestNs) throws Exception {
        byShard.put(shard, largestNs);
        state.update(largestNs);
    }

    /** The smallest of the shards' times; the largest number if there is none. */
    long oldestNs() {
        return byShard.values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
    }
}
