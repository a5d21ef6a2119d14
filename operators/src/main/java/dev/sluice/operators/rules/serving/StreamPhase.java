package dev.sluice.operators.rules.serving;

import java.util.EnumSet;
import java.util.Set;

/**
 * Phase of a {@link RuleStream}; the package text has the table of transitions.
 *
 * <p>Up to {@link #DECIDING} it is not decided which version the tasks begin with: versions are
 * held back, what the broadcast brings waits, and nothing waits after a refusal.
 */
enum StreamPhase {
    /** The state of a checkpoint is taken. */
    RESTORING,

    /** The bootstrap reads what the job begins with. Nothing is served. */
    READING,

    /** The newest version of what the job begins with is made ready, if one can be. */
    DECIDING,

    /** No version can be served: the bootstrap reads on, and what the broadcast brings waits. */
    SEARCHING,

    /** The broadcast is followed. */
    FOLLOWING,

    /** The rules cannot be followed any more: the tasks fail. */
    FAILED,

    /** Nobody uses the stream any more. */
    CLOSED;

    private Set<StreamPhase> next() {
        return switch (this) {
            case RESTORING -> EnumSet.of(READING, DECIDING, FAILED, CLOSED);
            case READING -> EnumSet.of(DECIDING, FAILED, CLOSED);
            case DECIDING -> EnumSet.of(SEARCHING, FOLLOWING, FAILED, CLOSED);
            case SEARCHING -> EnumSet.of(FOLLOWING, FAILED, CLOSED);
            case FOLLOWING -> EnumSet.of(READING, FAILED, CLOSED);
            case FAILED -> EnumSet.of(CLOSED);
            case CLOSED -> EnumSet.noneOf(StreamPhase.class);
        };
    }

    /**
     * The phase after a transition.
     *
     * @throws IllegalStateException if there is no such transition
     */
    StreamPhase to(StreamPhase then) {
        if (!next().contains(then)) {
            throw new IllegalStateException("a rule stream that is " + this + " is then " + then);
        }
        return then;
    }

    /** Tells whether it is decided what the tasks begin with. */
    boolean isDecided() {
        return this == SEARCHING || this == FOLLOWING;
    }

    /** Tells whether nothing is done any more. */
    boolean isOver() {
        return this == FAILED || this == CLOSED;
    }
}
