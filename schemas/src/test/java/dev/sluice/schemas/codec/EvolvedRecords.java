package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;

/** Records by schemas that are not the present ones, and what a reader makes of them. */
final class EvolvedRecords {
    private EvolvedRecords() {}

    static Schema schema(String age, String name) throws IOException {
        String resource = "/evolution/" + age + "/" + name + ".avsc";
        try (InputStream in = EvolvedRecords.class.getResourceAsStream(resource)) {
            return new Schema.Parser().parse(in);
        }
    }

    /** Reads a record whose writer's schema is a released one. */
    static GenericRecord read(GenericRecord written) throws Exception {
        Schema writer = written.getSchema();
        assertNotEquals(
                MessageSchemas.fingerprint(MessageSchemas.current(writer.getName())),
                MessageSchemas.fingerprint(writer),
                writer.getName() + " is the present one: nothing would be shown");
        byte[] message = SingleObject.encode(written);
        return MessageCodec.decode(message, released(writer));
    }

    /** The released schemas as if one more were among them. */
    static LongFunction<Schema> released(Schema writer) {
        return fingerprint -> fingerprint == MessageSchemas.fingerprint(writer) ? writer : null;
    }

    static PacketBlock packets(GenericRecord written) throws Exception {
        return PacketMessages.decode(
                SingleObject.encode(written), 4, released(written.getSchema()));
    }

    static VerdictBlock verdicts(GenericRecord written) throws Exception {
        return VerdictBlock.decode(SingleObject.encode(written), released(written.getSchema()));
    }

    /** A record with some fields given, the others as the schema says, or absent. */
    static GenericRecord record(Schema schema, Map<String, ?> values) {
        GenericRecord record = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            if (values.containsKey(field.name())) {
                record.put(field.name(), values.get(field.name()));
            } else if (field.hasDefaultValue()) {
                record.put(field.name(), GenericData.get().getDefaultValue(field));
            } else {
                record.put(field.name(), new RandomData(field.schema(), 1, 5).iterator().next());
            }
        }
        values.keySet().forEach(key -> assertNotEquals(null, schema.getField(key), key));
        return record;
    }

    static Schema element(Schema schema, String arrayField) {
        return schema.getField(arrayField).schema().getElementType();
    }

    static Object symbol(Schema schema, String field, String symbol) {
        return new GenericData.EnumSymbol(schema.getField(field).schema(), symbol);
    }

    static Object column(Schema block, int id, Number base, int... bytes) {
        byte[] data = new byte[bytes.length];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) bytes[i];
        }
        return record(
                element(block, "columns"),
                Map.of(
                        "id",
                        id,
                        "base",
                        base,
                        "width",
                        data.length == 0 ? 0 : 1,
                        "data",
                        ByteBuffer.wrap(data)));
    }
}
