package dev.sluice.operators.connections;

import dev.sluice.schemas.codec.VerdictOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The connections of packets that come in order, and the states of their datagrams: what {@link
 * StatefulJudge} knows of the packets before. Not thread-safe.
 */
public final class Connections {
    final ConnectionTracker tracker;
    final FragmentStates fragments = new FragmentStates();
    private long doubtful;
    private long answering;

    /** No connections so far. */
    public Connections(TrackerOptions options) {
        tracker = new ConnectionTracker(options);
    }

    /**
     * The connections of an image.
     *
     * @param options with the seed of those that made the image
     * @param image with all pages
     * @param datagrams what {@link #datagramsIfChanged} told last; null: it never told any
     * @throws IllegalArgumentException if pages are missing or do not fit together
     */
    public Connections(TrackerOptions options, TrackerImage image, byte @Nullable [] datagrams) {
        tracker = ConnectionTracker.restore(options, image);
        if (datagrams != null) {
            fragments.restore(datagrams);
        }
    }

    /** The pages that changed since the last call; they are copied when they next change. */
    public TrackerImage imageOfChanges() {
        return tracker.image(false);
    }

    /** The states of datagrams, if there are others than at the last call; else null. */
    public byte @Nullable [] datagramsIfChanged() {
        return fragments.isChanged() ? fragments.toBytes() : null;
    }

    /**
     * Takes the fate of the last packet.
     *
     * @param state of the packet
     */
    public void decided(int state, VerdictOutcome outcome) {
        if (state == ConnectionTracker.UNKNOWN) {
            return;
        }
        if ((state & ConnectionTracker.REPLY) != 0) {
            answering++;
        } else if ((state & ConnectionTracker.NEW) != 0) {
            if (outcome != VerdictOutcome.DEPENDS) {
                tracker.decided(outcome != VerdictOutcome.DENY);
            } else {
                long before = tracker.counts().created();
                tracker.decided(true);
                doubtful += tracker.counts().created() - before;
            }
        }
    }

    public TrackerCounts counts() {
        return tracker.counts();
    }

    /** Packets so far that begin a connection and depend, so that they count as let through. */
    public long doubtful() {
        return doubtful;
    }

    /** Packets so far that answer others. */
    public long answering() {
        return answering;
    }
}
