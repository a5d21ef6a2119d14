package dev.sluice.operators.rules.topic;

import java.io.Serializable;

/** Reads the rule history that a job judges packets by. */
public interface HistorySource extends Serializable {
    /** Takes the messages of the rules topic, in the topic's order. */
    interface Taker {
        /**
         * Takes a message.
         *
         * @param timeNs time of its record, ns since 1970 UTC, or {@link
         *     dev.sluice.operators.rules.topic.RuleTransaction#NO_TIME}
         * @param position behind the message: where one begins to read who has taken it
         */
        void message(byte[] message, long timeNs, long position);
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

    /**
     * Id of the topic that stands now, which no other has, be it of the same name; empty: it is not
     * known, or cannot be asked for.
     */
    default String topic() {
        return "";
    }

    /**
     * Where the history ends for a job without state: the position behind its last message, fixed
     * when the job is submitted. A restored job keeps the end that it began with.
     */
    long end();

    /**
     * Reads all messages in front of an end.
     *
     * @param end what {@link #end} said when the job began; the largest number: all that are there
     *     now
     * @return whether messages before the first that is there were deleted
     * @throws InterruptedException if the task is cancelled meanwhile
     * @throws Exception if the history cannot be read
     */
    boolean read(long end, Taker taker) throws Exception;

    /**
     * Takes the messages from a position on as they come, until the thread is interrupted.
     *
     * @throws InterruptedException when it is
     * @throws Exception if the history cannot be read any more
     */
    void follow(long position, Follower follower) throws Exception;
}
