package dev.sluice.lab.corridor;

import dev.sluice.lab.backend.Classified;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Program that reads packets from one topic and leaves verdicts, exactly once, in another. */
interface Contender {
    /** Longest time for which a transaction may stay open. */
    Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(10);

    /**
     * Place where a contender runs.
     *
     * @param packets topic to read from its start
     * @param verdicts topic to write
     * @param directory for its files
     */
    record Track(Site site, String packets, String verdicts, Path directory) {}

    /** Something to ask or to end a running contender by. */
    interface Step {
        /** Does it. */
        void run() throws InterruptedException;
    }

    /**
     * Contender on its way.
     *
     * @param check fails with the contender's failure if it has ended
     * @param end ends it
     * @param metrics figures of its job; null where it has none
     */
    record Running(Step check, Runnable end, @Nullable JobMetrics metrics)
            implements AutoCloseable {
        /**
         * Tells who classified its packets.
         *
         * @param headers that it has judged by now
         * @return null where nobody counts that
         */
        @Nullable Classified classified(long headers) throws InterruptedException {
            return metrics == null ? null : metrics.classified(headers);
        }

        @Override
        public void close() {
            end.run();
        }
    }

    /** Name in the results. */
    String name();

    /** Starts; what {@link Track#verdicts} receives from now on is the contender's. */
    Running start(Track track);

    /** Packets that a message of the verdicts topic judges; by default its first four bytes. */
    default int headers(byte[] message) throws MalformedMessageException {
        return ByteBuffer.wrap(message).getInt();
    }

    /** Makes a message of so many bytes, of which the first four tell the packets. */
    static byte[] message(int headers, int bytes) {
        byte[] message = new byte[Math.max(Integer.BYTES, bytes)];
        ByteBuffer.wrap(message).putInt(headers);
        return message;
    }
}
