package dev.sluice.operators.classify;

import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.PageImage;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.operators.connections.TrackerImage;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Connections of each flow shard of a subtask, and their keyed state:
 *
 * <table>
 * <caption>State by flow shard</caption>
 * <tr><td>{@code connection-pages}</td><td>pages by IP version, in the upper half of the key, and
 * number</td></tr>
 * <tr><td>{@code connection-clock}</td><td>number of shards, latest time, both places of the
 * clean-up, and the hash's seed, as big-endian i64</td></tr>
 * <tr><td>{@code connection-datagrams}</td><td>states of datagrams, if there were fragments</td></tr>
 * </table>
 *
 * <p>Before a checkpoint {@link #write} puts the pages that changed since the last one, as images
 * that nobody changes; Flink writes their bytes beside the task. So neither the rules nor the
 * parallelism are in the state, and a shard's verdicts depend on its packets alone.
 *
 * <p>Threads: {@link #of} and {@link #judged} are the worker's. {@link #write} is the mailbox
 * thread's, while no batch is in flight. The counts may be read by any thread.
 */
final class ShardConnections {
    private static final MapStateDescriptor<Long, PageImage> PAGES =
            new MapStateDescriptor<>(
                    "connection-pages", LongSerializer.INSTANCE, PageSerializer.INSTANCE);

    private static final ValueStateDescriptor<byte[]> CLOCK =
            new ValueStateDescriptor<>("connection-clock", SharedBytesSerializer.INSTANCE);

    private static final ValueStateDescriptor<byte[]> DATAGRAMS =
            new ValueStateDescriptor<>("connection-datagrams", SharedBytesSerializer.INSTANCE);

    private final TrackerOptions options;
    private final MapState<Long, PageImage> pages;
    private final ValueState<byte[]> clock;
    private final ValueState<byte[]> datagrams;
    private final Map<Integer, Shard> shards = new HashMap<>();

    /** Shards whose packets were judged since the last checkpoint. */
    private final Set<Shard> changed = new LinkedHashSet<>();

    /** The shard that {@link #of} was asked for last. */
    private @Nullable Shard last;

    private volatile TrackerCounts counts = TrackerCounts.NONE;

    /** The connections of a shard, one of so many. */
    private static final class Shard {
        private final int number;
        private final int of;
        private final long seed;
        private final Connections connections;
        private TrackerCounts counted = TrackerCounts.NONE;

        Shard(int number, int of, long seed, Connections connections) {
            this.number = number;
            this.of = of;
            this.seed = seed;
            this.connections = connections;
        }
    }

    /**
     * Restores the connections of a checkpoint, if there is one.
     *
     * @throws Exception if the state cannot be read
     */
    ShardConnections(TrackerOptions options, KeyedStateBackend<Integer> backend) throws Exception {
        this.options = options;
        pages = state(backend, PAGES);
        clock = state(backend, CLOCK);
        datagrams = state(backend, DATAGRAMS);
        Map<Integer, byte[]> clocks = new HashMap<>();
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                CLOCK,
                (key, state) -> clocks.put(key, state.value()));
        for (Map.Entry<Integer, byte[]> entry : clocks.entrySet()) {
            backend.setCurrentKey(entry.getKey());
            restore(ShardKey.shard(entry.getKey()), ShardClock.of(entry.getValue()));
        }
    }

    private static <S extends State> S state(
            KeyedStateBackend<Integer> backend, StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private void restore(int number, ShardClock at) throws Exception {
        List<PageImage> all = new ArrayList<>();
        pages.values().forEach(all::add);
        TrackerOptions own = share(at.shards()).withSeed(at.seed());
        Connections restored = new Connections(own, at.image(all), datagrams.value());
        Shard shard = new Shard(number, at.shards(), at.seed(), restored);
        shards.put(number, shard);
        count(shard);
    }

    /** The tracker's options for one of so many shards: its share of the most connections. */
    private TrackerOptions share(int of) {
        return options.withConnectionsMax((int) ((options.connectionsMax() + of - 1L) / of));
    }

    /** The connections of a block's shard. */
    Connections of(PacketBlock block) {
        int number = block.shard();
        Shard shard = shards.get(number);
        if (shard == null) {
            TrackerOptions own = share(block.shards());
            shard = new Shard(number, block.shards(), own.seed(), new Connections(own));
            shards.put(number, shard);
        }
        last = shard;
        return shard.connections;
    }

    /** Hears that packets of the shard were judged that was asked for last. */
    void judged() {
        Shard shard = last;
        if (shard != null) {
            changed.add(shard);
            count(shard);
        }
    }

    private void count(Shard shard) {
        TrackerCounts before = shard.counted;
        TrackerCounts after = shard.connections.counts();
        shard.counted = after;
        counts = counts.plus(after).minus(before);
    }

    /** Counts of all shards since the task began, and the connections that are live now. */
    TrackerCounts counts() {
        return counts;
    }

    /**
     * Has the next checkpoint hold all connections.
     *
     * @param keys sets the key of the state to that of a flow shard
     */
    void write(IntConsumer keys) throws Exception {
        for (Shard shard : changed) {
            keys.accept(shard.number);
            TrackerImage image = shard.connections.imageOfChanges();
            for (PageImage page : image.pages()) {
                pages.put((long) page.version() << Integer.SIZE | page.id(), page);
            }
            clock.update(ShardClock.of(shard.of, image, shard.seed).toBytes());
            byte[] told = shard.connections.datagramsIfChanged();
            if (told != null) {
                datagrams.update(told);
            }
        }
        changed.clear();
    }
}
