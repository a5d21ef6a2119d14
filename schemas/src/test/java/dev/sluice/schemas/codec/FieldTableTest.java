package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldLayer;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** Codecs and schemas have the fields of the table, and a new one by its row and its Avro field. */
class FieldTableTest {
    private static final Schema HEADER = MessageSchemas.current("PacketHeader");
    private static final Schema VERDICT = MessageSchemas.current("Verdict");
    private static final String NULLABLE = "[\"null\",\"%s\"]";

    /** The IPv6 flow label under a name that the table never has, in free bits. */
    private static final Field FLOW_LABEL_PRESENT =
            new Field(
                    "toy_label_present",
                    1,
                    HeaderWord.TTL,
                    29,
                    FieldLayer.ANY,
                    null,
                    "",
                    FieldText.NUMBER,
                    FieldSource.ALWAYS,
                    Set.of());

    private static final Field FLOW_LABEL =
            new Field(
                    "toy_label",
                    20,
                    HeaderWord.TTL,
                    9,
                    FieldLayer.IPV6,
                    FLOW_LABEL_PRESENT,
                    "toyLabel",
                    FieldText.NUMBER,
                    FieldSource.ASKED,
                    Set.of());

    private static List<Field> withFlowLabel() {
        List<Field> table = new ArrayList<>(List.of(Field.values()));
        table.add(FLOW_LABEL_PRESENT);
        table.add(FLOW_LABEL);
        return table;
    }

    /** A message's schema with the new field. */
    private static Schema withFlowLabel(Schema schema) {
        String json = schema.toString();
        int end = json.lastIndexOf("]");
        return new Schema.Parser()
                .parse(
                        json.substring(0, end)
                                + ",{\"name\":\"toyLabel\",\"type\":[\"null\",\"int\"],\"default\":null}"
                                + json.substring(end));
    }

    /** Sentences on the fields of a table that the schemas lack. */
    private static List<String> defects(List<Field> table, List<Schema> schemas) {
        List<String> defects = new ArrayList<>();
        for (PacketField field : PacketField.of(table)) {
            String wanted = NULLABLE.formatted(PacketHeaderReader.type(field).getName());
            for (Schema schema : schemas) {
                Schema.Field there = schema.getField(field.key());
                if (there == null || !there.schema().toString().equals(wanted)) {
                    defects.add(
                            "field %s: add '%s' of type %s to %s.avsc"
                                    .formatted(
                                            field.rows().get(0).label(),
                                            field.key(),
                                            wanted,
                                            schema.getName()));
                }
            }
        }
        return defects;
    }

    @Test
    void theSchemasHaveEveryFieldOfTheTable() {
        assertEquals(List.of(), defects(List.of(Field.values()), List.of(HEADER, VERDICT)));
    }

    /**
     * Each field of a header message beside its place needs a row, or it reaches no header word.
     */
    @Test
    void theTableHasEveryFieldOfAHeaderMessage() {
        List<String> names =
                new ArrayList<>(HEADER.getFields().stream().map(Schema.Field::name).toList());
        names.removeAll(List.of("capture", "captureIndex", "packet", "timeNs"));
        names.removeAll(PacketField.values().stream().map(PacketField::key).toList());
        assertEquals(List.of(), names, "add a row for each to Field");
    }

    @Test
    void aForgottenAvroFieldIsNamed() {
        assertEquals(
                List.of(
                        "field toy_label: add 'toyLabel' of type [\"null\",\"int\"] to PacketHeader.avsc"),
                defects(withFlowLabel(), List.of(HEADER, withFlowLabel(VERDICT))));
        assertEquals(
                List.of(),
                defects(withFlowLabel(), List.of(withFlowLabel(HEADER), withFlowLabel(VERDICT))));
    }

    @Test
    void aNewFieldIsWrittenAndReadByItsRowAndItsAvroField() throws Exception {
        List<PacketField> fields = PacketField.of(withFlowLabel());
        PacketField label = fields.get(fields.size() - 1);
        Schema schema = withFlowLabel(HEADER);
        int[] words = new int[HeaderWord.COUNT];
        words[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x86dd);
        words[HeaderWord.IP] = Field.IP_VERSION.place(Field.VERSION_6);
        FieldBits.orIpv6(
                words,
                Field.IPV6_SRC,
                new byte[] {32, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        Field.TTL.put(words, 64);
        assertEquals(null, label.value(words));
        FLOW_LABEL.put(words, 0xabcde);
        byte[] message = PacketMessages.encodeHeader(schema, fields, "c", 0, 1, 2, words);
        PacketHeaderReader reader = new PacketHeaderReader(schema, fields);
        reader.readPresent(message);
        assertArrayEquals(words, reader.words());
        assertEquals(0xabcde, label.value(reader.words()));
        assertEquals(64, PacketField.of(Field.TTL).value(reader.words()));
        assertEquals("toy-label", label.label());
    }
}
