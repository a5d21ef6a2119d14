package dev.sluice.schemas.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.avro.Schema;

/**
 * Walks an Avro body without building anything and checks that every length and count that it
 * states fits into the bytes that are there. A hostile message can then not make a decoder allocate
 * more than a small multiple of the message's own size.
 *
 * <p>Avro 1.12 specification, "Binary Encoding". Schemas with recursion or maps are not used here.
 */
final class WireCheck {
    private final ByteBuffer in;

    private WireCheck(ByteBuffer in) {
        this.in = in;
    }

    /**
     * Checks a whole body.
     *
     * @throws MalformedMessageException if it ends too early, states a length beyond its end, or
     *     goes on behind its end
     */
    static void check(Schema schema, byte[] message, int from) throws MalformedMessageException {
        ByteBuffer body = ByteBuffer.wrap(message, from, message.length - from);
        WireCheck walk = new WireCheck(body.order(ByteOrder.LITTLE_ENDIAN));
        walk.walk(schema);
        if (walk.in.hasRemaining()) {
            throw malformed(walk.in.remaining() + " bytes follow the end of the record");
        }
    }

    private void walk(Schema schema) throws MalformedMessageException {
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> skip(1);
            case INT, LONG -> number();
            case FLOAT -> skip(4);
            case DOUBLE -> skip(8);
            case BYTES, STRING -> skip(number());
            case FIXED -> skip(schema.getFixedSize());
            case ENUM -> index(schema.getEnumSymbols().size());
            case UNION -> walk(schema.getTypes().get(index(schema.getTypes().size())));
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    walk(field.schema());
                }
            }
            case ARRAY -> items(schema.getElementType());
            case MAP -> throw new IllegalStateException("no message schema has maps");
        }
    }

    private void items(Schema element) throws MalformedMessageException {
        for (long count = number(); count != 0; count = number()) {
            if (count < 0) {
                number(); // the block's size in bytes, which we do not need
                count = -count;
            }
            // Every element of our schemas takes at least one byte.
            if (count < 0 || count > in.remaining()) {
                throw malformed(
                        "an array states " + count + " items in " + in.remaining() + " bytes");
            }
            for (long i = 0; i < count; i++) {
                walk(element);
            }
        }
    }

    private int index(int size) throws MalformedMessageException {
        long index = number();
        if (index < 0 || index >= size) {
            throw malformed("choice " + index + " of " + size);
        }
        return (int) index;
    }

    private void skip(long length) throws MalformedMessageException {
        if (length < 0 || length > in.remaining()) {
            throw malformed("a length of " + length + " with " + in.remaining() + " bytes left");
        }
        in.position(in.position() + (int) length);
    }

    private long number() throws MalformedMessageException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (!in.hasRemaining()) {
                throw malformed("it ends within a number");
            }
            byte next = in.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value >>> 1 ^ -(value & 1);
            }
        }
        throw malformed("a number has more than 10 bytes");
    }

    private static MalformedMessageException malformed(String detail) {
        return new MalformedMessageException("message: truncated or corrupt", detail);
    }
}
