package dev.sluice.job.packets;

import dev.sluice.schemas.codec.DeadLetter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads messages of one {@link PacketFormat}. Not thread-safe. */
interface PacketReading {
    /** Takes what a message holds. */
    interface Target {
        /**
         * A single header.
         *
         * @param words may change when this has returned
         */
        void header(
                String capture,
                int captureIndex,
                int[] words,
                long packet,
                long timeNs,
                int frameLength);

        /** A PacketBlock that can be read. */
        void block(int shard, byte[] message);

        /** A message that cannot be read, or whose packet cannot be classified. */
        void dead(DeadLetter letter);
    }

    /** Reads a message; nothing in its bytes makes this throw. */
    void read(ConsumerRecord<byte[], byte[]> message, Target target);

    /** The value of a message; one without has no bytes. */
    static byte[] value(ConsumerRecord<byte[], byte[]> message) {
        return message.value() == null ? new byte[0] : message.value();
    }
}
