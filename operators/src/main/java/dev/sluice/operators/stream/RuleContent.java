package dev.sluice.operators.stream;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.LogCompaction;
import dev.sluice.operators.rules.RuleLog;
import dev.sluice.operators.rules.RuleLogState;
import dev.sluice.operators.rules.Version;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the history says the rules are, step by step, and the messages that say it, for checkpoints.
 * Not thread-safe.
 */
final class RuleContent {
    /**
     * A log that is longer is made shorter at once, and not only when nothing else is to be done.
     */
    private static final long LONG_LOG_BYTES = 64L << 20;

    /** A log that is shorter is short enough. */
    private static final long SHORT_LOG_BYTES = 8L << 20;

    /** A log that could not be made shorter is looked at again when so many bytes have come. */
    private static final long NEXT_LOOK_BYTES = 4L << 20;

    private RuleLog log = new RuleLog();
    private boolean compacting;
    private long lookFromBytes;
    private long serial;
    private int newHistories;

    /**
     * Goes on where a checkpoint was.
     *
     * @return the versions to try, oldest first, of which no more is known than that they may
     *     change everything
     * @throws MalformedMessageException if it is not what a checkpoint holds
     */
    List<ContentStep> restore(List<byte[]> state) throws MalformedMessageException {
        log = RuleLog.restored(state);
        List<ContentStep> steps = new ArrayList<>();
        for (RuleLog.Held version : log.toTry(RuleServing.MOST_WAITING)) {
            steps.add(new ContentStep(++serial, 0, version.history(), version.number(), null));
        }
        return steps;
    }

    /**
     * Takes a message of the rules topic.
     *
     * @param timeNs time of its record
     * @param index number of the message in the broadcast; 0 if it did not come by it
     * @return the step that it committed; null if it committed none
     * @throws MalformedMessageException with the reason why a transaction or message is dropped;
     *     the content stays as it was
     */
    @Nullable ContentStep accept(byte[] message, long timeNs, long index)
            throws MalformedMessageException {
        Version version = log.accept(message, timeNs);
        if (version == null) {
            return null;
        }
        if (version.newHistory()) {
            newHistories++;
        }
        return new ContentStep(
                ++serial, index, version.history(), version.number(), version.delta());
    }

    /** Says that the messages to come begin before all that was read. */
    void rewound() {
        log.rewound();
    }

    /** Whether the history has said nothing complete so far. */
    boolean isEmpty() {
        return log.book().isEmpty();
    }

    /** Number of the newest version; -1 before the first. */
    long version() {
        return log.book().version();
    }

    /** Histories that took the place of another. */
    int newHistories() {
        return newHistories;
    }

    /** The newest version. It must not be empty. */
    RuleSet ruleSet() {
        return log.book().newest();
    }

    /** An older version; null if the log reaches back no further. O(rules and changes). */
    @Nullable RuleSet ruleSet(ContentStep step) {
        return log.at(step.history(), step.version());
    }

    /** A version was built: checkpoints may begin with it. */
    void built(ContentStep step) {
        log.servable(step.history(), step.version());
    }

    /** Nothing can serve a version; whether no checkpoint before has said so. */
    boolean refused(ContentStep step) {
        return log.unservable(step.history(), step.version());
    }

    /**
     * What makes a long log shorter: another thread runs it, then {@link #compacted} takes it.
     *
     * @param inForce the version that is served; null if there is none
     * @param idle whether there is time for it
     * @return null if the log is short, cannot be made shorter, or is being made shorter
     */
    @Nullable LogCompaction compaction(@Nullable ContentStep inForce, boolean idle) {
        long bytes = log.bytes();
        if (compacting
                || bytes < SHORT_LOG_BYTES
                || !idle && (bytes < LONG_LOG_BYTES || bytes < lookFromBytes)) {
            return null;
        }
        if (inForce != null) {
            // It was not built, but made of one that was by small changes, which the engine builds
            // into its base by and by.
            log.servable(inForce.history(), inForce.version());
        }
        lookFromBytes = bytes + NEXT_LOOK_BYTES;
        if (!log.wantsCompaction()) {
            return null;
        }
        compacting = true;
        return log.compaction();
    }

    /** What {@link #compaction} returned was run. */
    void compacted(LogCompaction done) {
        compacting = false;
        lookFromBytes = 0;
        log.compacted(done);
    }

    /** What brings another instance to where this one is. */
    RuleLogState state() {
        return log.state();
    }
}
