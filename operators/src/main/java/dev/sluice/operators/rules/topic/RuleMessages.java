package dev.sluice.operators.rules.topic;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * Messages of the rules topic that travel to the tasks as one element: for each its length as an
 * int, the time of its record as a long, and its bytes.
 *
 * <p>A task with two inputs takes an element of one after an element of the other while both have
 * some. One message an element would have a task follow one message for each block of packets that
 * it judges, however long that takes.
 */
public final class RuleMessages {
    private static final int HEAD_BYTES = Integer.BYTES + Long.BYTES;

    private RuleMessages() {}

    /** Takes each message of an element. */
    public interface Taker {
        /** Takes a message. */
        void take(TimedMessage message) throws Exception;
    }

    /** Writer of elements, which gathers messages. Not thread-safe. */
    static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        void add(byte[] message, long timeNs) {
            bytes.writeBytes(
                    ByteBuffer.allocate(HEAD_BYTES).putInt(message.length).putLong(timeNs).array());
            bytes.writeBytes(message);
        }

        /** Bytes of the element. */
        int size() {
            return bytes.size();
        }

        /** The element; the next one is empty then. */
        byte[] take() {
            byte[] element = bytes.toByteArray();
            bytes.reset();
            return element;
        }
    }

    /** An element of one message. */
    public static byte[] of(TimedMessage message) {
        Writer one = new Writer();
        one.add(message.message(), message.timeNs());
        return one.take();
    }

    /** Hands over the messages of an element, in their order. */
    public static void forEach(byte[] element, Taker taker) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(element);
        while (in.hasRemaining()) {
            byte[] message = new byte[in.getInt()];
            long timeNs = in.getLong();
            in.get(message);
            taker.take(new TimedMessage(timeNs, message));
        }
    }
}
