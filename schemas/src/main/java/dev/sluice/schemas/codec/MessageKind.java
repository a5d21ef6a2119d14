package dev.sluice.schemas.codec;

import java.util.function.LongFunction;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Kind of message that is read without Avro: in the present form of its schema as it lies, in any
 * other released form after Avro has brought it into the present one.
 */
record MessageKind(String name, long fingerprint) {
    /** The kind of a name among {@link MessageSchemas#NAMES}. */
    static MessageKind of(String name) {
        return new MessageKind(name, MessageSchemas.currentFingerprint(name));
    }

    /** Returns whether a message says that it is of this kind, in a released form. */
    boolean isIn(byte[] message) {
        return isIn(message, 0, message.length, MessageSchemas::byFingerprint);
    }

    /**
     * The same of a message of {@code length} bytes that lies among others.
     *
     * @param released the schema with a fingerprint, or null where there is none
     */
    boolean isIn(byte[] among, int from, int length, LongFunction<@Nullable Schema> released) {
        if (!MessageCodec.isSingleObject(among, from, length)) {
            return false;
        }
        long form = MessageCodec.fingerprint(among, from);
        if (form == fingerprint) {
            return true;
        }
        Schema writer = released.apply(form);
        return writer != null && writer.getName().equals(name);
    }

    /**
     * Returns a message in the present form: itself where it has it.
     *
     * @throws MalformedMessageException if it has another form and cannot be read, or is of another
     *     kind
     */
    byte[] present(byte[] message, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        return isIn(message, 0, message.length, form -> null)
                ? message
                : MessageCodec.encode(MessageCodec.decode(message, name, released));
    }
}
