package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireCheckTest {
    /** Every type that the check knows. */
    private static final Schema ALL =
            new Schema.Parser()
                    .parse(
                            """
                            {"type": "record", "name": "All", "fields": [
                              {"name": "nothing", "type": "null"},
                              {"name": "yes", "type": "boolean"},
                              {"name": "int", "type": "int"},
                              {"name": "long", "type": "long"},
                              {"name": "float", "type": "float"},
                              {"name": "double", "type": "double"},
                              {"name": "bytes", "type": "bytes"},
                              {"name": "string", "type": "string"},
                              {"name": "fixed", "type":
                                {"type": "fixed", "name": "Five", "size": 5}},
                              {"name": "enum", "type":
                                {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}},
                              {"name": "union", "type": ["null", "string", "long"]},
                              {"name": "array", "type": {"type": "array", "items":
                                {"type": "record", "name": "Item", "fields": [
                                  {"name": "name", "type": "string"},
                                  {"name": "numbers", "type":
                                    {"type": "array", "items": "int"}}]}}}
                            ]}
                            """);

    static final List<String> NAMES = MessageSchemas.NAMES;

    private static Schema type(String json) {
        return new Schema.Parser().parse(json);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static void check(Schema schema, int... body) throws MalformedMessageException {
        WireCheck.check(schema, bytes(body), 0);
    }

    private static String refusal(Schema schema, int... body) {
        MalformedMessageException e =
                assertThrows(MalformedMessageException.class, () -> check(schema, body));
        assertEquals("message: truncated or corrupt", e.reason());
        return e.detail();
    }

    private static byte[] encode(Schema schema, Object datum, boolean blocks) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EncoderFactory factory = EncoderFactory.get();
        BinaryEncoder encoder =
                blocks
                        ? factory.blockingBinaryEncoder(out, null)
                        : factory.binaryEncoder(out, null);
        new GenericDatumWriter<Object>(schema).write(datum, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    /** Both of Avro's forms of arrays: counts alone, and counts with sizes in bytes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverAvroWritesPassesAndNoPartOfItDoes(boolean blocks) throws Exception {
        int longest = 0;
        for (Object datum : new RandomData(ALL, 100, 4)) {
            byte[] body = encode(ALL, datum, blocks);
            longest = Math.max(longest, body.length);
            WireCheck.check(ALL, body, 0);
            for (int length = 0; length < body.length; length++) {
                byte[] cut = Arrays.copyOf(body, length);
                assertThrows(MalformedMessageException.class, () -> WireCheck.check(ALL, cut, 0));
            }
            byte[] more = Arrays.copyOf(body, body.length + 1);
            assertEquals(
                    "1 bytes follow the end of the record",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> WireCheck.check(ALL, more, 0))
                            .detail());
        }
        assertTrue(longest > 200, "the longest body has " + longest + " bytes");
    }

    @Test
    void bytesBeforeTheBodyAreNotLookedAt() throws Exception {
        WireCheck.check(type("\"long\""), bytes(0xff, 0xff, 0xff, 0x02), 3);
    }

    @Test
    void aLengthBeyondTheEndIsRefused() throws Exception {
        Schema text = type("\"string\"");
        check(text, 4, 'a', 'b');
        assertEquals("a length of 3 with 2 bytes left", refusal(text, 6, 'a', 'b'));
        assertEquals("a length of -1 with 2 bytes left", refusal(text, 1, 'a', 'b'));
        // Just below 2^31 and 2^63: no sum of position and length may overflow.
        assertEquals(
                "a length of 2147483647 with 0 bytes left",
                refusal(text, 0xfe, 0xff, 0xff, 0xff, 0x0f));
        assertEquals(
                "a length of " + Long.MAX_VALUE + " with 0 bytes left",
                refusal(text, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01));
    }

    @Test
    void anArrayOfMoreItemsThanBytesIsRefused() throws Exception {
        Schema numbers = type("{\"type\": \"array\", \"items\": \"int\"}");
        check(numbers, 4, 1, 1, 0);
        check(numbers, 3, 4, 1, 1, 0); // -2 items in 2 bytes: the form with sizes
        assertEquals(
                "an array states 1000000 items in 3 bytes",
                refusal(numbers, 0x80, 0x89, 0x7a, 1, 1, 0));
        // -2^63 items have no positive counterpart.
        refusal(numbers, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 2, 1, 0);
    }

    @Test
    void aChoiceThatIsNotThereIsRefused() throws Exception {
        Schema union = type("[\"null\", \"boolean\"]");
        check(union, 0);
        check(union, 2, 1);
        assertEquals("choice 2 of 2", refusal(union, 4, 1));
        assertEquals("choice -1 of 2", refusal(union, 1));
        Schema symbols = type("{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\"]}");
        check(symbols, 0);
        assertEquals("choice 1 of 1", refusal(symbols, 2));
    }

    @Test
    void aNumberEndsWithinTenBytes() throws Exception {
        Schema number = type("\"long\"");
        int[] ten = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
        assertDoesNotThrow(() -> check(number, ten));
        int[] eleven = Arrays.copyOf(ten, 11);
        eleven[9] = 0x81;
        assertEquals("a number has more than 10 bytes", refusal(number, eleven));
        assertEquals("it ends within a number", refusal(number, 0xff));
        assertEquals("it ends within a number", refusal(number));
    }

    /** What the check takes for granted of the schemas. */
    @ParameterizedTest
    @FieldSource("NAMES")
    void messageSchemasHaveNoMapsNoRecursionAndNoItemsOfNoBytes(String name) {
        List<Schema> schemas = new ArrayList<>(MessageSchemas.history(name));
        schemas.add(MessageSchemas.current(name));
        for (Schema schema : schemas) {
            suits(schema, List.of());
        }
    }

    private static void suits(Schema schema, List<String> within) {
        switch (schema.getType()) {
            case MAP -> throw new AssertionError(within + " holds a map");
            case UNION -> schema.getTypes().forEach(choice -> suits(choice, within));
            case ARRAY -> {
                assertTrue(takesBytes(schema.getElementType()), within + ": items of no bytes");
                suits(schema.getElementType(), within);
            }
            case RECORD -> {
                assertFalse(within.contains(schema.getFullName()), within + " is recursive");
                List<String> inside = new ArrayList<>(within);
                inside.add(schema.getFullName());
                schema.getFields().forEach(field -> suits(field.schema(), inside));
            }
            default -> {}
        }
    }

    private static boolean takesBytes(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> false;
            case RECORD -> schema.getFields().stream().anyMatch(f -> takesBytes(f.schema()));
            case FIXED -> schema.getFixedSize() > 0;
            default -> true;
        };
    }
}
