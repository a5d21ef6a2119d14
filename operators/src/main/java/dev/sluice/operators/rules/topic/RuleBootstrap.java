package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.DeadLetter;
import java.io.Serializable;

/**
 * Reads the rule history where the job itself may not: a task in which too many packets wait for
 * the first rules takes no input, the broadcast of the rules included. So one thread of the process
 * reads the history beside the job until there are rules to judge packets by. The broadcast brings
 * the same messages again later; they are known then and passed over.
 */
public interface RuleBootstrap extends Serializable {
    /** Where the messages go; used by the thread that reads. */
    interface Target {
        /**
         * Takes a message of the rules topic, in the topic's order. Waits while it has many.
         *
         * @param timeNs time of its record, ns since 1970 UTC, or {@link
         *     dev.sluice.operators.rules.topic.RuleTransaction#NO_TIME}
         */
        void message(byte[] message, long timeNs) throws InterruptedException;

        /**
         * Takes a record that is no message of rules, and that the broadcast does not bring again:
         * the job's dead letters will have it.
         */
        void unreadable(DeadLetter letter);

        /** Says that the broadcast begins at an earlier point of the topic than these messages. */
        void broadcastBeginsEarlier();

        /**
         * Says that everything was read that the job is to begin with. Rules come into force from
         * now on and not before, so that all tasks of the job begin with the same ones.
         */
        void startReached();

        /** Whether messages are still wanted: false once rules are in force. */
        boolean wanted();
    }

    /**
     * Id of the topic that stands now, which no other has, be it of the same name; empty: it is not
     * known, or cannot be asked for.
     */
    default String topic() {
        return "";
    }

    /**
     * The same for a job that was at work on another topic of this name: the broadcast goes on at
     * the position that it had in that one, wherever this is now. So the messages are read up to
     * the end that they have when reading begins.
     */
    default RuleBootstrap ofTopicMadeAnew() {
        return this;
    }

    /**
     * Feeds messages, from the newest snapshot or earlier on, says when the job's start is reached,
     * and goes on with what comes after it for as long as the target wants it.
     *
     * @throws InterruptedException if the job ends meanwhile
     * @throws Exception if the rules cannot be read; the task then fails and is started again
     */
    void read(Target target) throws Exception;
}
