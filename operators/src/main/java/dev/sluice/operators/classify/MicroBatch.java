package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.jspecify.annotations.Nullable;

/** Headers of one or more blocks that go to the engine together, and room for their verdicts. */
final class MicroBatch {
    /** Headers {@code from} to {@code from + count - 1} of a block. */
    record Part(PendingBlock block, int from, int count) {
        /** Tells whether these are the last headers of their block. */
        boolean endsBlock() {
            return from + count == block.verdicts.length;
        }
    }

    /** The rules that the headers are looked up under; null while the batch is not in use. */
    private @Nullable ServedVersion rules;

    /** The headers, unless they lie in the device's memory. */
    final HeaderBatch headers;

    final VerdictBatch verdicts;
    final List<Part> parts = new ArrayList<>();

    /** The blocks that are complete with this batch, as encoded by the worker. */
    final List<byte[]> encoded = new ArrayList<>();

    final List<Integer> encodedShards = new ArrayList<>();

    /** Keys and messages of the rows of connections that the batch's packets made known. */
    List<Tuple2<byte[], byte[]>> connections = List.of();

    private @Nullable StagedHeaders staging;
    private boolean tracked;
    private int size;

    /** Null where no shadow judges the batch. */
    private @Nullable ShadowBatch shadow;

    /** The memory of the last shadow; null: there was none. */
    private @Nullable ShadowBatch idleShadow;

    /** When it was to go to the worker, not being full, {@link System#nanoTime}; else 0. */
    long dueNanos;

    MicroBatch(HeaderLayout layout, int capacity) {
        this.headers = new HeaderBatch(layout, capacity);
        this.verdicts = new VerdictBatch(capacity);
    }

    /**
     * Takes memory of the device, where there is some, for the headers to come.
     *
     * @param under rules of the layout that the batch was made for
     * @param tracks whether connections are tracked: then the headers stay here, since they are
     *     looked up more than once
     */
    void start(ServedVersion under, boolean tracks) {
        rules = under;
        tracked = tracks;
        staging = tracked ? null : under.stage(headers.capacity());
    }

    /** Has a version of the shadow judge the batch, too, once it has its verdicts. */
    void shadow(ServedVersion by) {
        shadow = ShadowBatch.of(by, headers, staging != null, idleShadow);
    }

    /** The batch as the shadow judges it; null: it does not. */
    @Nullable ShadowBatch shadow() {
        return shadow;
    }

    /** Gives the version of the shadow back, once. */
    void leaveShadow() {
        ShadowBatch over = shadow;
        if (over != null) {
            shadow = null;
            idleShadow = over;
            over.rules().close();
        }
    }

    /** Tells whether the states of connections decide about the packets. */
    boolean isTracked() {
        return tracked;
    }

    /** The rules that the batch was started with. */
    ServedVersion rules() {
        ServedVersion under = rules;
        if (under == null) {
            throw new IllegalStateException("a batch that was not started has no rules");
        }
        return under;
    }

    void clear() {
        headers.clear(headers.layout());
        size = 0;
        dueNanos = 0;
        rules = null;
        staging = null;
        parts.clear();
        encoded.clear();
        encodedShards.clear();
        connections = List.of();
    }

    int size() {
        return size;
    }

    boolean isFull() {
        return size == headers.capacity();
    }

    /** Takes as many headers of a block as fit, from one on up to another; returns how many. */
    int append(PendingBlock block, int from, int to) {
        int n = Math.min(to - from, headers.capacity() - size);
        StagedHeaders memory = staging;
        if (memory == null) {
            block.block.appendTo(headers, from, n);
        } else {
            block.block.writeTo(memory.words(), headers.layout(), memory.stride(), size, from, n);
        }
        if (shadow != null && shadow.headers() != headers) {
            block.block.appendTo(shadow.headers(), from, n);
        }
        size += n;
        parts.add(new Part(block, from, n));
        return n;
    }

    /** Tells whether a look-up started now would wait for another batch; in the worker. */
    boolean wouldWait() {
        return staging == null && rules().isDeviceFull();
    }

    /** Starts the look-up; in the worker. */
    PendingVerdicts submit() {
        StagedHeaders from = staging;
        return from == null
                ? rules().submit(headers, verdicts)
                : from.submit(size, headers, verdicts);
    }

    /** Gives the device's memory back, where the batch was never submitted. */
    void drop() {
        StagedHeaders to = staging;
        if (to != null) {
            to.drop();
        }
    }
}
