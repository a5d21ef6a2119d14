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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of each flow shard of a subtask, and their keyed state:
 *
 * <table>
 * <caption>State by flow shard</caption>
 * <tr><td>{@code connection-pages}</td><td>pages by {@link PageImage#key}</td></tr>
 * <tr><td>{@code connection-clock}</td><td>number of shards, latest time, both places of the
 * clean-up, the hash's seed, and the model if it is not Linux's, as big-endian i64</td></tr>
 * <tr><td>{@code connection-datagrams}</td><td>states of datagrams, if there were fragments</td></tr>
 * <tr><td>{@code connection-openings}</td><td>where connections have rows: {@link Openings}</td></tr>
 * </table>
 *
 * <p>Before a checkpoint {@link #write} puts the pages that changed since the last one, as images
 * that nobody changes; Flink writes their bytes beside the task. So neither the rules nor the
 * parallelism are in the state, and a shard's verdicts depend on its packets alone.
 *
 * <p>Where connections have rows, these are in the pages. A job that begins to keep rows keeps none
 * of connections that are open then; one that ends to keep them drops them from the state.
 *
 * <p>Threads: {@link #of} and {@link #judged} are the worker's. {@link #write} is the mailbox
 * thread's, while no batch is in flight. The counts may be read by any thread.
 */
final class ShardConnections {
    private static final Logger LOG = LoggerFactory.getLogger(ShardConnections.class);

    private static final MapStateDescriptor<Long, PageImage> PAGES =
            new MapStateDescriptor<>(
                    "connection-pages", LongSerializer.INSTANCE, PageSerializer.INSTANCE);

    private static final ValueStateDescriptor<byte[]> CLOCK =
            new ValueStateDescriptor<>("connection-clock", SharedBytesSerializer.INSTANCE);

    private static final ValueStateDescriptor<byte[]> DATAGRAMS =
            new ValueStateDescriptor<>("connection-datagrams", SharedBytesSerializer.INSTANCE);

    private static final MapStateDescriptor<Integer, byte[]> OPENINGS =
            new MapStateDescriptor<>(
                    "connection-openings", IntSerializer.INSTANCE, SharedBytesSerializer.INSTANCE);

    private final TrackerOptions options;
    private final MapState<Long, PageImage> pages;
    private final ValueState<byte[]> clock;
    private final ValueState<byte[]> datagrams;

    /** Null where connections have no rows. */
    private final @Nullable MapState<Integer, byte[]> openings;

    /** Null where connections have no rows. */
    private final @Nullable BatchFacts facts;

    private final Map<Integer, Shard> shards = new HashMap<>();

    /** Shards whose packets were judged since the last checkpoint. */
    private final Set<Shard> changed = new LinkedHashSet<>();

    /** The shard that {@link #of} was asked for last. */
    private @Nullable Shard last;

    private volatile TrackerCounts counts = TrackerCounts.NONE;

    /** Connections that had not ended at the last checkpoint, where they are counted. */
    private volatile long live;

    private final boolean countsLive;

    /** The connections of a shard, one of so many. */
    private static final class Shard {
        private final int number;
        private final int of;
        private final long seed;
        private final Connections connections;
        private final @Nullable ShardRows rows;
        private TrackerCounts counted = TrackerCounts.NONE;

        /** Connections that had not ended at the last checkpoint, where they are counted. */
        private long live;

        Shard(int number, int of, long seed, Connections connections, @Nullable ShardRows rows) {
            this.number = number;
            this.of = of;
            this.seed = seed;
            this.connections = connections;
            this.rows = rows;
        }
    }

    /**
     * Restores the connections of a checkpoint, if there is one.
     *
     * @param countsLive whether {@link #live} counts
     * @param rows of connections; null: there are none
     * @throws Exception if the state cannot be read
     */
    ShardConnections(
            TrackerOptions options,
            boolean countsLive,
            @Nullable ConnectionOutput rows,
            KeyedStateBackend<Integer> backend)
            throws Exception {
        this.options = options;
        this.countsLive = countsLive;
        facts = rows == null ? null : new BatchFacts(rows);
        openings = rows == null ? null : state(backend, OPENINGS);
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
        if (at.model() != options.model()) {
            throw new IllegalStateException(
                    "the state's connections were tracked with --conntrack %s; go on with that, or start without the state"
                            .formatted(at.model().name().toLowerCase(Locale.ROOT)));
        }
        List<PageImage> all = new ArrayList<>();
        pages.values().forEach(all::add);
        TrackerOptions own = share(at.shards()).withSeed(at.seed());
        ShardRows rows = facts == null ? null : new ShardRows(facts);
        if (rows != null) {
            rows.openings.restore(Objects.requireNonNull(openings));
        }
        Connections restored = new Connections(own, at.image(all), datagrams.value(), rows, rows);
        Shard shard = new Shard(number, at.shards(), at.seed(), restored, rows);
        shards.put(number, shard);
        count(shard);
        countLive(shard);
        for (PageImage page : all) {
            if (page.layout().rows() == (rows != null)) {
                continue;
            }
            changed.add(shard);
            if (page.refused()) {
                pages.remove(page.key());
            }
        }
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
            ShardRows rows = facts == null ? null : new ShardRows(facts);
            Connections none =
                    rows == null ? new Connections(own) : new Connections(own, rows, rows);
            shard = new Shard(number, block.shards(), own.seed(), none, rows);
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
            if (facts != null) {
                shard.connections.handDue(facts.intervalNanos());
            }
            count(shard);
        }
    }

    /** Returns the facts that rows tell of packets; null: connections have no rows. */
    @Nullable BatchFacts facts() {
        return facts;
    }

    /** Returns the rows of all connections, whose packets have ended; those that ended go. */
    List<Tuple2<byte[], byte[]>> lastRows() {
        if (facts == null) {
            return List.of();
        }
        for (Shard shard : shards.values()) {
            shard.connections.handDue(0);
            changed.add(shard);
        }
        return facts.take();
    }

    private ShardClock clock(Shard shard, TrackerImage image) {
        return ShardClock.of(shard.of, image, shard.seed, options.model());
    }

    private void count(Shard shard) {
        TrackerCounts before = shard.counted;
        TrackerCounts after = shard.connections.counts();
        shard.counted = after;
        if (counts.untold() == 0 && after.untold() > 0) {
            LOG.warn(
                    "packets of shard {} come without what their connections need, whose states are unknown; export TCP with --tcp-windows where the job has it, and SCTP with --header-fields ip-id,flow-ports and --format blocks",
                    shard.number);
        }
        counts = counts.plus(after).minus(before);
    }

    /** Counts of all shards since the task began, and the connections that are live now. */
    TrackerCounts counts() {
        return counts;
    }

    /** Connections that had not ended at the last checkpoint, by the clock of their shard. */
    long live() {
        return live;
    }

    /**
     * Has the next checkpoint hold all connections.
     *
     * @param keys sets the key of the state to that of a flow shard
     */
    void write(IntConsumer keys) throws Exception {
        for (Shard shard : changed) {
            countLive(shard);
            keys.accept(shard.number);
            TrackerImage image = shard.connections.imageOfChanges();
            for (PageImage page : image.pages()) {
                pages.put(page.key(), page);
            }
            clock.update(clock(shard, image).toBytes());
            byte[] told = shard.connections.datagramsIfChanged();
            if (told != null) {
                datagrams.update(told);
            }
            if (shard.rows != null) {
                shard.rows.openings.write(Objects.requireNonNull(openings));
            }
        }
        changed.clear();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the mailbox thread alone writes
    private void countLive(Shard shard) {
        if (countsLive) {
            long before = shard.live;
            shard.live = shard.connections.live();
            live += shard.live - before;
        }
    }
}
