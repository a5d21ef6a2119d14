package dev.sluice.operators.timeline;

import java.io.Serializable;

/** Reads the whole rule history that a job judges packets by. */
public interface HistorySource extends Serializable {
    /** Takes the messages of the rules topic, in the topic's order. */
    interface Taker {
        /**
         * Takes a message.
         *
         * @param timeNs time of its record, ns since 1970 UTC, or {@link
         *     dev.sluice.operators.rules.RuleTransaction#NO_TIME}
         */
        void message(byte[] message, long timeNs);
    }

    /**
     * Where the history ends for a job without state: the position behind its last message, fixed
     * when the job is submitted. A restored job keeps the end that it began with.
     */
    long end();

    /**
     * Reads all messages in front of an end.
     *
     * @param end what {@link #end} said when the job began
     * @return whether messages before the first that is there were deleted
     * @throws InterruptedException if the task is cancelled meanwhile
     * @throws Exception if the history cannot be read
     */
    boolean read(long end, Taker taker) throws Exception;
}
