package dev.sluice.job.ruletopic;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much of the history of rules is kept: everything, or what is needed for the newest so many
 * snapshots, or for the rules as they were a time ago. What goes, goes up to a snapshot.
 *
 * @param snapshots number of snapshots; 0: not counted
 * @param age how far back; zero: no matter how old
 */
public record RuleKeep(int snapshots, Duration age) {
    /** Keeps everything. */
    public static final RuleKeep ALL = new RuleKeep(0, Duration.ZERO);

    /** A snapshot: its version, where it begins and when it was committed. */
    public record Snapshot(long version, long offset, long commitTimeNs) {}

    /** Tells whether everything is kept. */
    boolean isAll() {
        return snapshots == 0 && age.isZero();
    }

    /**
     * The snapshot that is the first to keep.
     *
     * @param there the snapshots, the oldest first
     * @return null if all that is there is kept
     */
    @Nullable Snapshot first(List<Snapshot> there, long nowNs) {
        if (isAll() || there.isEmpty()) {
            return null;
        }
        if (snapshots > 0) {
            return there.get(Math.max(0, there.size() - snapshots));
        }
        @Nullable Snapshot first = null;
        for (Snapshot snapshot : there) {
            if (snapshot.commitTimeNs() <= nowNs - age.toNanos()) {
                first = snapshot;
            }
        }
        return first;
    }
}
