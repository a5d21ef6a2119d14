package dev.sluice.schemas.codec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Avro single-object encoding (Avro 1.12 specification, "Single-object encoding"): {@code C3 01},
 * the 8-byte little-endian fingerprint of the writer's schema, the body. Thread-safe.
 */
public final class MessageCodec {
    static final int MARKER = 0x01c3;
    static final int HEADER_BYTES = 10;

    /**
     * By writer's schema, which is one object each. A reader resolves the two schemas when it reads
     * its first message, which takes longer than many small messages, and is one thread's.
     */
    private static final ThreadLocal<Map<Schema, GenericDatumReader<GenericRecord>>> READERS =
            ThreadLocal.withInitial(IdentityHashMap::new);

    private MessageCodec() {}

    /** Returns whether {@code length} bytes among others begin as single-object encoding does. */
    static boolean isSingleObject(byte[] among, int from, int length) {
        return length >= HEADER_BYTES
                && ((among[from] & 0xff) | (among[from + 1] & 0xff) << 8) == MARKER;
    }

    /** Writes the head of a message, of {@link #HEADER_BYTES}. */
    static void head(byte[] message, long fingerprint) {
        message[0] = (byte) MARKER;
        message[1] = (byte) (MARKER >>> 8);
        LittleEndian.LONGS.set(message, 2, fingerprint);
    }

    /** The fingerprint of the writer's schema of a message that {@link #isSingleObject}. */
    static long fingerprint(byte[] among, int from) {
        return (long) LittleEndian.LONGS.get(among, from + 2);
    }

    /** The bytes that are left in a buffer, which stays where it is. */
    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    /** The bytes of a record under its own schema, which must be a current one. */
    public static byte[] encode(GenericRecord message) {
        String name = message.getSchema().getName();
        return encode(message, MessageSchemas.currentFingerprint(name));
    }

    /** The bytes of a record under its own schema, a released one of this fingerprint. */
    static byte[] encode(GenericRecord message, long fingerprint) {
        Schema schema = message.getSchema();
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        byte[] head = new byte[HEADER_BYTES];
        head(head, fingerprint);
        out.write(head, 0, HEADER_BYTES);
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        try {
            new GenericDatumWriter<GenericRecord>(schema).write(message, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }

    /**
     * The record in a message, in the current form of its schema. Allocates no more than a small
     * multiple of the message's size, whatever the message claims.
     *
     * @throws MalformedMessageException if it is not single-object Avro, its schema was never
     *     released, or its body is truncated or corrupt
     */
    public static GenericRecord decode(byte[] message) throws MalformedMessageException {
        return decode(message, MessageSchemas::byFingerprint);
    }

    /**
     * As {@link #decode(byte[])}, with other writers' schemas than the released ones.
     *
     * @param released the schema with a fingerprint, or null where there is none
     */
    static GenericRecord decode(byte[] message, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        if (!isSingleObject(message, 0, message.length)) {
            throw new MalformedMessageException(
                    DeadLetterReason.NOT_AVRO,
                    "no single-object marker C3 01 at the start of " + message.length + " bytes");
        }
        long fingerprint = fingerprint(message, 0);
        Schema writer = released.apply(fingerprint);
        if (writer == null) {
            throw new MalformedMessageException(
                    DeadLetterReason.UNKNOWN_SCHEMA,
                    "no released schema has the fingerprint %016x".formatted(fingerprint));
        }
        WireCheck.check(writer, message, HEADER_BYTES);
        Schema reader = MessageSchemas.current(writer.getName());
        try {
            int length = message.length - HEADER_BYTES;
            return READERS.get()
                    .computeIfAbsent(writer, schema -> new GenericDatumReader<>(schema, reader))
                    .read(
                            null,
                            DecoderFactory.get()
                                    .binaryDecoder(message, HEADER_BYTES, length, null));
        } catch (IOException | AvroRuntimeException e) {
            throw new MalformedMessageException(
                    DeadLetterReason.CORRUPT, String.valueOf(e.getMessage()));
        }
    }

    /** As {@link #decode(byte[])}, for a topic that holds one kind of message. */
    public static GenericRecord decode(byte[] message, String name)
            throws MalformedMessageException {
        return decode(message, name, MessageSchemas::byFingerprint);
    }

    static GenericRecord decode(
            byte[] message, String name, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        GenericRecord record = decode(message, released);
        if (!record.getSchema().getName().equals(name)) {
            throw new MalformedMessageException(
                    DeadLetterReason.WRONG_SCHEMA,
                    "a " + record.getSchema().getName() + " where a " + name + " belongs");
        }
        return record;
    }
}
