package dev.sluice.job.lab.corridor;

import dev.sluice.job.lab.backend.Classified;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What reads packets from one topic and leaves verdicts, exactly once, in another. */
interface Contender {
    /** How long a transaction may stay open. */
    Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(10);

    /**
     * Where a contender runs.
     *
     * @param bootstrap Kafka broker
     * @param packets topic to read from its start
     * @param verdicts topic to write
     * @param checkpoints time between two commits
     * @param directory for its files
     */
    record Track(
            String bootstrap,
            String packets,
            String verdicts,
            int parallelism,
            Duration checkpoints,
            Path directory) {}

    /** A contender on its way. */
    interface Running extends AutoCloseable {
        /** Fails with the contender's failure if it has ended. */
        void requireRunning() throws InterruptedException;

        /**
         * Who classified its packets.
         *
         * @param headers that it has judged by now
         * @return null where nobody counts that
         */
        default @Nullable Classified classified(long headers) throws InterruptedException {
            return null;
        }

        @Override
        void close();
    }

    /** One word for tables. */
    String name();

    /** Starts; what {@link Track#verdicts} receives from now on is the contender's. */
    Running start(Track track) throws Exception;

    /** Packets that a message of the verdicts topic judges. */
    int headers(byte[] message) throws MalformedMessageException;
}
