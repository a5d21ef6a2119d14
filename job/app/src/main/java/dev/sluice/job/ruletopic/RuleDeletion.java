package dev.sluice.job.ruletopic;

import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what a publisher does not keep of a rules topic: all in front of the first snapshot that
 * is kept. Not thread-safe.
 */
final class RuleDeletion {
    private final RuleTopic topic;
    private final RuleKeep keep;
    private final List<RuleKeep.Snapshot> snapshots = new ArrayList<>();
    private long deletedTo;

    /** Of a topic none of whose snapshots is known. */
    RuleDeletion(RuleTopic topic, RuleKeep keep) {
        this.topic = topic;
        this.keep = keep;
    }

    /** Reads which snapshots there are, unless all are kept. */
    void readSnapshots() {
        if (keep.isAll()) {
            return;
        }
        topic.log().stream()
                .filter(entry -> entry.kind() == Kind.SNAPSHOT && entry.refusal() == null)
                .forEach(
                        entry ->
                                snapshots.add(
                                        new RuleKeep.Snapshot(
                                                entry.version(),
                                                entry.offset(),
                                                entry.commitTimeNs())));
    }

    /** Adds snapshots that were published. */
    void add(List<RuleKeep.Snapshot> published) {
        snapshots.addAll(published);
    }

    /**
     * Deletes the records that are not kept.
     *
     * @param start the first offset that is there
     * @return the snapshot that is the first to be kept, or null if nothing was deleted
     */
    RuleKeep.@Nullable Snapshot deleteBefore(long start) {
        RuleKeep.Snapshot first = keep.first(snapshots, System.currentTimeMillis() * 1_000_000L);
        if (first == null || first.offset() <= Math.max(start, deletedTo)) {
            return null;
        }
        topic.deleteBefore(first.offset());
        deletedTo = first.offset();
        return first;
    }
}
