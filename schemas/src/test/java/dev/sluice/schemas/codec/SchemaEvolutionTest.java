package dev.sluice.schemas.codec;

import static dev.sluice.schemas.codec.EvolvedRecords.column;
import static dev.sluice.schemas.codec.EvolvedRecords.element;
import static dev.sluice.schemas.codec.EvolvedRecords.packets;
import static dev.sluice.schemas.codec.EvolvedRecords.read;
import static dev.sluice.schemas.codec.EvolvedRecords.record;
import static dev.sluice.schemas.codec.EvolvedRecords.schema;
import static dev.sluice.schemas.codec.EvolvedRecords.symbol;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemas.codec.RuleChange.Phase;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Messages of writers whose schema is not the present one: {@code evolution/older} has fewer fields
 * and narrower numbers, {@code evolution/newer} has fields, record types and enum symbols more.
 */
class SchemaEvolutionTest {
    static final List<String> NAMES = MessageSchemas.NAMES;

    @ParameterizedTest
    @FieldSource("NAMES")
    void whatBothKnowComesOutAsItWentIn(String name) throws Exception {
        Schema current = MessageSchemas.current(name);
        for (String age : List.of("older", "newer")) {
            Schema writer = schema(age, name);
            assertEquals(
                    SchemaCompatibilityType.COMPATIBLE,
                    SchemaCompatibility.checkReaderWriterCompatibility(current, writer).getType());
            int compared = 0;
            for (Object random : new RandomData(writer, 50, 7)) {
                GenericRecord written = (GenericRecord) random;
                GenericRecord read = read(written);
                assertEquals(current, read.getSchema());
                for (Schema.Field field : current.getFields()) {
                    if (writer.getField(field.name()) == null) {
                        assertEquals(
                                GenericData.get().getDefaultValue(field), read.get(field.pos()));
                    } else if (isPlain(field.schema())) {
                        assertEquals(
                                String.valueOf(written.get(field.name())),
                                String.valueOf(read.get(field.name())),
                                age + " " + field.name());
                        compared++;
                    }
                }
            }
            assertNotEquals(0, compared, "no field was compared");
        }
    }

    private static boolean isPlain(Schema schema) {
        return switch (schema.getType()) {
            case RECORD, ARRAY, ENUM -> false;
            case UNION -> schema.getTypes().stream().allMatch(SchemaEvolutionTest::isPlain);
            default -> true;
        };
    }

    @Test
    void aStatusOfANewerWriterIsNotTakenForAnother() throws Exception {
        Schema newer = schema("newer", "Verdict");
        for (String symbol : List.of("LATE", "SAMPLED")) {
            GenericRecord written =
                    record(
                            newer,
                            Map.of(
                                    "status", symbol(newer, "status", symbol),
                                    "dstPort", 53,
                                    "ipSrc", ByteBuffer.wrap(new byte[] {10, 0, 0, 1})));
            Verdict verdict = Verdict.of(read(written));
            assertEquals(
                    symbol.equals("LATE") ? VerdictStatus.LATE : VerdictStatus.UNKNOWN,
                    verdict.status());
            assertEquals(
                    Map.of(
                            PacketField.DST_PORT,
                            53,
                            PacketField.IP_SRC,
                            ByteBuffer.wrap(new byte[] {10, 0, 0, 1})),
                    verdict.fields());
        }
    }

    @Test
    void whatANewerWriterAddedIsSkipped() throws Exception {
        Schema newer = schema("newer", "PacketBlock");
        GenericRecord block =
                record(
                        newer,
                        Map.of(
                                "shard", 1,
                                "shards", 4,
                                "count", 2,
                                "columns", List.of(column(newer, Column.PACKET, 1L, 0, 1)),
                                "note", "what the reader does not know"));
        assertEquals(2, packets(block).column(Column.PACKET).get(1));
        assertEquals(AvroBlocks.packets(read(block)), packets(block));

        newer = schema("newer", "RuleChange");
        GenericRecord rule =
                record(
                        element(newer, "puts"),
                        Map.of("id", 8L, "tags", List.of("a", "b"), "words", List.of()));
        RuleChange change =
                RuleChange.of(
                        read(
                                record(
                                        newer,
                                        Map.of(
                                                "phase", symbol(newer, "phase", "CHANGES"),
                                                "kind", symbol(newer, "kind", "DELTA"),
                                                "puts", List.of(rule),
                                                "removes", List.of(5L)))));
        assertEquals(Phase.CHANGES, change.phase());
        assertEquals(8, change.puts().get(0).id());
        assertEquals(List.of(5L), change.removes());

        newer = schema("newer", "DeadLetter");
        assertEquals(
                "r",
                DeadLetter.of(read(record(newer, Map.of("reason", "r", "flags", 9L)))).reason());
    }

    @Test
    void aPhaseOrKindOfANewerWriterIsRefusedAndNotTakenForAnother() throws Exception {
        Schema newer = schema("newer", "RuleChange");
        for (Map<String, Object> unknown :
                List.of(
                        Map.of("phase", symbol(newer, "phase", "PREPARE")),
                        Map.of(
                                "phase", symbol(newer, "phase", "BEGIN"),
                                "kind", symbol(newer, "kind", "RENAME")))) {
            GenericRecord read = read(record(newer, unknown));
            assertEquals(
                    "rules: unknown kind of change",
                    assertThrows(MalformedMessageException.class, () -> RuleChange.of(read))
                            .reason());
        }
    }

    @Test
    void aSchemaThatWasNeverReleasedIsRefusedByItsFingerprint() throws Exception {
        Schema newer = schema("newer", "Verdict");
        byte[] message = SingleObject.encode(record(newer, Map.of()));
        MalformedMessageException e =
                assertThrows(MalformedMessageException.class, () -> Verdict.decode(message));
        assertEquals("message: unknown schema", e.reason());
        assertEquals(
                "no released schema has the fingerprint %016x"
                        .formatted(MessageSchemas.fingerprint(newer)),
                e.detail());
    }

    /** Lengths and counts are checked by the writer's schema, before anything is built. */
    @ParameterizedTest
    @FieldSource("NAMES")
    void everyCutOfAnOlderMessageIsRefused(String name) throws Exception {
        Schema older = schema("older", name);
        byte[] message = SingleObject.encode(record(older, Map.of()));
        for (int length = 10; length < message.length; length++) {
            byte[] cut = Arrays.copyOf(message, length);
            assertEquals(
                    "message: truncated or corrupt",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> MessageCodec.decode(cut, fingerprint -> older))
                            .reason());
        }
    }

    /** The comparison that guards the history can fail: a field without a default needs one. */
    @Test
    void aFieldWithoutADefaultThatOlderMessagesLackIsSeen() throws Exception {
        Schema newer = schema("newer", "Verdict"); // its 'flags' has no default
        assertEquals(
                SchemaCompatibilityType.INCOMPATIBLE,
                SchemaCompatibility.checkReaderWriterCompatibility(
                                newer, MessageSchemas.current("Verdict"))
                        .getType());
    }
}
