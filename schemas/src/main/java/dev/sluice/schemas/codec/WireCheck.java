package dev.sluice.schemas.codec;

import org.apache.avro.Schema;

/**
 * Walks an Avro body without building anything and checks that every length and count that it
 * states fits into the bytes that are there. A hostile message can then not make a decoder allocate
 * more than a small multiple of the message's own size.
 *
 * <p>Avro 1.12 specification, "Binary Encoding". Schemas with recursion or maps are not used here.
 */
final class WireCheck {
    private WireCheck() {}

    /**
     * Checks a whole body.
     *
     * @throws MalformedMessageException if it ends too early, states a length beyond its end, or
     *     goes on behind its end
     */
    static void check(Schema schema, byte[] message, int from) throws MalformedMessageException {
        WireCursor in = new WireCursor();
        in.start(message, from, message.length);
        pass(schema, in);
        in.end();
    }

    /** Passes over a value. */
    static void pass(Schema schema, WireCursor in) throws MalformedMessageException {
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> in.skip(1);
            case INT, LONG -> in.number();
            case FLOAT -> in.skip(4);
            case DOUBLE -> in.skip(8);
            case BYTES, STRING -> in.skip(in.number());
            case FIXED -> in.skip(schema.getFixedSize());
            case ENUM -> index(schema.getEnumSymbols().size(), in);
            case UNION -> pass(schema.getTypes().get(index(schema.getTypes().size(), in)), in);
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    pass(field.schema(), in);
                }
            }
            case ARRAY -> {
                for (int count = in.items(); count != 0; count = in.items()) {
                    for (int i = 0; i < count; i++) {
                        pass(schema.getElementType(), in);
                    }
                }
            }
            case MAP -> throw new IllegalStateException("no message schema has maps");
        }
    }

    private static int index(int size, WireCursor in) throws MalformedMessageException {
        long index = in.number();
        if (index < 0 || index >= size) {
            throw WireCursor.malformed("choice " + index + " of " + size);
        }
        return (int) index;
    }
}
