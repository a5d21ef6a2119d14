package dev.sluice.job.packets;

import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reader of messages of one {@link PacketFormat}. Not thread-safe. */
interface PacketReading {
    /** Receiver of a message's content. */
    interface Target {
        /**
         * Takes a single header.
         *
         * @param words may change when this has returned
         */
        void header(String capture, int captureIndex, int[] words, long packet, long timeNs);

        /**
         * Takes a valid PacketBlock.
         *
         * @param parts of its message in order, each in an array that does not change
         */
        void block(int shard, List<ByteBuffer> parts);

        /** Takes a message that cannot be read, or whose packet cannot be classified. */
        void dead(DeadLetter letter);
    }

    /** Reads a message; no content of it makes this method throw. */
    void read(ConsumerRecord<byte[], ByteBuffer> message, Target target);

    /**
     * Takes a message that lies before the first one that is read. It is not passed on; what it
     * says about later messages counts.
     */
    default void before(ConsumerRecord<byte[], ByteBuffer> message) {}

    /** Copies the value of a message; a message without a value has no bytes. */
    static byte[] value(ConsumerRecord<byte[], ByteBuffer> message) {
        ByteBuffer value = message.value();
        byte[] copy = new byte[value == null ? 0 : value.remaining()];
        if (value != null) {
            value.get(value.position(), copy);
        }
        return copy;
    }

    /** Returns the value of a message in place, or a copy if it is in no array. */
    static ByteBuffer inArray(ConsumerRecord<byte[], ByteBuffer> message) {
        ByteBuffer value = message.value();
        return value != null && value.hasArray() ? value : ByteBuffer.wrap(value(message));
    }
}
