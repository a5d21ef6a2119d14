package dev.sluice.engine.versions;

import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.memory.GrowingWords;
import dev.sluice.engine.merged.MergedTupleStructure;
import org.jspecify.annotations.Nullable;

/** Changes of {@link VersionedRules}, noted for a copy elsewhere. */
final class NotedChanges implements ChangeSource {
    private final Base base;
    private final VersionedTuples tuples;
    private final int[] removedAt;
    private final GrowingWords inserted;
    private final GrowingWords removed;
    private volatile int tick;

    /** Notes what changes from now on. */
    NotedChanges(Base base, VersionedTuples tuples, int[] removedAt, int tick) {
        this.base = base;
        this.tuples = tuples;
        this.removedAt = removedAt;
        this.inserted = new GrowingWords(tuples.words(), tuples.spentWords());
        this.removed = new GrowingWords(removedAt, removedAt.length);
        this.tick = tick;
        tuples.record(inserted);
    }

    /** Makes known what was written up to a tick; to be called by the writer. */
    void publish(int newTick) {
        inserted.publish(tuples.words(), tuples.spentWords());
        removed.publish(removedAt, removedAt.length);
        tick = newTick;
    }

    @Override
    public GrowingWords inserted() {
        return inserted;
    }

    @Override
    public GrowingWords removed() {
        return removed;
    }

    @Override
    public int @Nullable [] all() {
        MergedTupleStructure built = base.all();
        return built == null ? null : built.arena().words();
    }

    @Override
    public int tick() {
        return tick;
    }
}
