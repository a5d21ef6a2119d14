package dev.sluice.job.packets;

import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.List;
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

        /**
         * A PacketBlock that can be read.
         *
         * @param parts of its message, one behind the other, each in an array, which does not
         *     change
         */
        void block(int shard, List<ByteBuffer> parts);

        /** A message that cannot be read, or whose packet cannot be classified. */
        void dead(DeadLetter letter);
    }

    /** Reads a message; nothing in its bytes makes this throw. */
    void read(ConsumerRecord<byte[], ByteBuffer> message, Target target);

    /** A copy of the value of a message; one without has no bytes. */
    static byte[] value(ConsumerRecord<byte[], ByteBuffer> message) {
        ByteBuffer value = message.value();
        byte[] copy = new byte[value == null ? 0 : value.remaining()];
        if (value != null) {
            value.get(value.position(), copy);
        }
        return copy;
    }

    /** The value of a message where it lies, or, if that is in no array, a copy. */
    static ByteBuffer inArray(ConsumerRecord<byte[], ByteBuffer> message) {
        ByteBuffer value = message.value();
        return value != null && value.hasArray() ? value : ByteBuffer.wrap(value(message));
    }
}
