package dev.sluice.schemas.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The framing that deserializers of schema registries expect (Confluent's wire format): a byte 0,
 * the registry's 4-byte big-endian id of the writer's schema, the Avro body. It differs from
 * single-object encoding in what stands before the body alone, so that a message goes from one to
 * the other without being decoded.
 */
public final class RegistryFraming {
    private static final byte MAGIC = 0;
    private static final int BYTES = 5;

    private RegistryFraming() {}

    /**
     * A message of single-object encoding in a registry's framing, whose body has the current form:
     * an id stands for one schema.
     *
     * @param schemaId the registry's id of the message's schema
     */
    public static byte[] frame(byte[] message, int schemaId) {
        int body = message.length - MessageCodec.HEADER_BYTES;
        // A byte 0 for each field that the message lacks: no list, no text, the first outcome.
        int lacking = VerdictBlock.isPlain(message) ? 2 : Verdict.lacking(message);
        return ByteBuffer.allocate(BYTES + body + lacking)
                .put(MAGIC)
                .putInt(schemaId)
                .put(message, MessageCodec.HEADER_BYTES, body)
                .array();
    }

    /** Returns whether a message has a registry's framing. */
    public static boolean isFramed(byte[] message) {
        return message.length >= BYTES && message[0] == MAGIC;
    }

    /** The registry's id of the schema of a framed message. */
    public static int schemaId(byte[] message) {
        return ByteBuffer.wrap(message).getInt(1);
    }

    /**
     * A framed message in single-object encoding.
     *
     * @param fingerprint of its writer's schema: {@link MessageSchemas#fingerprint}
     */
    public static byte[] unframe(byte[] message, long fingerprint) {
        int body = message.length - BYTES;
        return ByteBuffer.allocate(MessageCodec.HEADER_BYTES + body)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) MessageCodec.MARKER)
                .putLong(fingerprint)
                .put(message, BYTES, body)
                .array();
    }
}
