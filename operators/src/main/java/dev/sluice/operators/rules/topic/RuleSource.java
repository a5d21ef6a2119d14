package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.DeadLetter;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules topic beside the job: a range of it, then the messages that come. A task in which
 * too many packets wait for rules takes no input, the broadcast of the rules included.
 */
public interface RuleSource extends Serializable {
    /** End of a range that takes in all messages that are there when it is read. */
    long ALL = Long.MAX_VALUE;

    /** Start of a range. */
    enum From {
        /** The first message that is kept. */
        FIRST,

        /** The newest snapshot; the first message where it is not known. */
        NEWEST_SNAPSHOT
    }

    /**
     * A range that was read.
     *
     * @param start where it began; above 0 at the first message if earlier ones were deleted
     * @param end position behind it, from which to follow
     */
    record Range(long start, long end) {}

    /** Takes the messages of a range, in the topic's order. */
    interface Taker {
        /**
         * Takes a message; empty: a record without a value.
         *
         * @param timeNs time of its record, ns since 1970 UTC, or {@link RuleTransaction#NO_TIME}
         * @param position behind the message: a reader that has taken it begins there
         */
        void message(byte[] message, long timeNs, long position) throws InterruptedException;
    }

    /** Takes the messages of a topic that goes on. */
    interface Follower extends Taker {
        /**
         * There is no message for now. Called again and again.
         *
         * @param nanos for how long it was known that there is none, since the last message came or
         *     following began
         */
        void quiet(long nanos);

        /** The topic was made anew, or truncated: its messages begin again at the first. */
        void rewound();
    }

    /** Id of the topic that stands now, unlike that of any other; empty: unknown. */
    default String topic() {
        return "";
    }

    /** Tells whether a topic is another one than before; no where one of the ids is unknown. */
    static boolean isAnother(String before, String now) {
        return !before.isEmpty() && !now.isEmpty() && !before.equals(now);
    }

    /** Position of a message, for a dead letter about it; null: unknown. */
    default DeadLetter.@Nullable Message where(byte[] message, long position) {
        return null;
    }

    /**
     * End of what a job without state begins with, fixed when the job is submitted; {@link #ALL}:
     * not fixed. A restored job in event time keeps the end that it began with.
     */
    long end();

    /**
     * Reads the messages in front of an end.
     *
     * @throws InterruptedException if the job ends meanwhile
     * @throws Exception if the rules cannot be read; the task then fails and is started again
     */
    Range read(From from, long end, Taker taker) throws Exception;

    /**
     * Takes the messages from a position on as they come, until the thread is interrupted.
     *
     * @throws InterruptedException when it is
     * @throws Exception if the rules cannot be read any more
     */
    void follow(long position, Follower follower) throws Exception;
}
