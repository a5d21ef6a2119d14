package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.Verdicts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
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

    private static Schema schema(String age, String name) throws IOException {
        String resource = "/evolution/" + age + "/" + name + ".avsc";
        try (InputStream in = SchemaEvolutionTest.class.getResourceAsStream(resource)) {
            return new Schema.Parser().parse(in);
        }
    }

    /** What a reader makes of a record whose writer's schema is a released one. */
    private static GenericRecord read(GenericRecord written) throws Exception {
        Schema writer = written.getSchema();
        assertNotEquals(
                MessageSchemas.fingerprint(MessageSchemas.current(writer.getName())),
                MessageSchemas.fingerprint(writer),
                writer.getName() + " is the present one: nothing would be shown");
        byte[] message = SingleObject.encode(written);
        return MessageCodec.decode(message, released(writer));
    }

    /** The released schemas as if one more were among them. */
    private static LongFunction<Schema> released(Schema writer) {
        return fingerprint -> fingerprint == MessageSchemas.fingerprint(writer) ? writer : null;
    }

    private static PacketBlock packets(GenericRecord written) throws Exception {
        return PacketMessages.decode(
                SingleObject.encode(written), 4, released(written.getSchema()));
    }

    private static VerdictBlock verdicts(GenericRecord written) throws Exception {
        return VerdictBlock.decode(SingleObject.encode(written), released(written.getSchema()));
    }

    /** A record with some fields given, the others as the schema says, or absent. */
    private static GenericRecord record(Schema schema, Map<String, ?> values) {
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

    private static Schema element(Schema schema, String arrayField) {
        return schema.getField(arrayField).schema().getElementType();
    }

    private static Object symbol(Schema schema, String field, String symbol) {
        return new GenericData.EnumSymbol(schema.getField(field).schema(), symbol);
    }

    private static Object column(Schema block, int id, Number base, int... bytes) {
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
    void anOlderDeadLetterHasNoDetailAndNoPayload() throws Exception {
        GenericRecord written =
                record(
                        schema("older", "DeadLetter"),
                        Map.of("reason", "truncated", "topic", "t", "partition", 3, "offset", 9L));
        DeadLetter letter = DeadLetter.of(read(written));
        assertEquals("truncated", letter.reason());
        assertEquals("", letter.detail());
        assertEquals(null, letter.packet());
        assertEquals(9L, letter.message().offset());
        assertEquals(0, letter.message().payload().length);
    }

    @Test
    void anOlderVerdictHasNoLineAndNoPriority() throws Exception {
        GenericRecord written =
                record(
                        schema("older", "Verdict"),
                        Map.of(
                                "capture", "c", "packet", 7L, "ruleId", 44L, "action", "allow",
                                "version", 12));
        assertEquals(
                Verdicts.of("c", 0, 7, Column.NO_TIME, 44L, null, null, "allow", 12),
                Verdict.of(read(written)));
    }

    @Test
    void anOlderHeaderLacksWhatItsWriterDidNotKnow() throws Exception {
        GenericRecord written =
                record(
                        schema("older", "PacketHeader"),
                        Map.of(
                                "capture", "c",
                                "packet", 5,
                                "ethType", 0x0800,
                                "ipSrc", ByteBuffer.wrap(new byte[] {10, 0, 0, 1}),
                                "ipDst", ByteBuffer.wrap(new byte[] {10, 0, 0, 2}),
                                "ipProto", 17,
                                "srcPort", 53,
                                "dstPort", 1024));
        PacketBlock block = packets(written);
        assertEquals(AvroHeaders.block(read(written), 4), block);
        assertEquals(5, block.column(Column.PACKET).get(0));
        HeaderBatch batch = new HeaderBatch(HeaderLayout.complete(), 1);
        block.appendTo(batch, 0, 1);
        assertEquals(0x0a000001, batch.word(HeaderWord.IPV4_SRC, 0));
        assertEquals(53 << 16 | 1024, batch.word(HeaderWord.PORTS, 0));
        int ip = batch.word(HeaderWord.IP, 0);
        assertEquals(Field.VERSION_4, Field.IP_VERSION.extract(ip));
        assertEquals(0, Field.IN_PORT_PRESENT.extract(ip));
        assertEquals(0, Field.SPI_PRESENT.extract(ip));
        assertEquals(0, Field.VLAN_PRESENT.extract(batch.word(HeaderWord.ETHER, 0)));
    }

    @Test
    void anOlderBlockOfPacketsKeepsItsColumns() throws Exception {
        Schema older = schema("older", "PacketBlock");
        GenericRecord written =
                record(
                        older,
                        Map.of(
                                "capture", "c",
                                "captureIndex", 2,
                                "shard", 3,
                                "shards", 8,
                                "count", 3,
                                "columns",
                                        List.of(
                                                column(older, HeaderWord.IPV4_SRC, -1),
                                                column(older, Column.PACKET, 100, 0, 1, 255))));
        PacketBlock block = packets(written);
        assertEquals(AvroBlocks.packets(read(written)), block);
        assertEquals(2, block.captureIndex());
        assertEquals(3, block.shard());
        assertEquals(8, block.shards());
        assertEquals(355, block.column(Column.PACKET).get(2));
        assertEquals(-1, (int) block.column(HeaderWord.IPV4_SRC).get(1));
    }

    @Test
    void anOlderBlockOfVerdictsKeepsItsRulesAndColumns() throws Exception {
        Schema older = schema("older", "VerdictBlock");
        GenericRecord written =
                record(
                        older,
                        Map.of(
                                "version",
                                6,
                                "count",
                                2,
                                "rules",
                                List.of(44, 55),
                                "columns",
                                List.of(
                                        column(older, Column.PACKET, 9, 0, 1),
                                        column(older, Column.RULE, 0, 2, 0))));
        VerdictBlock block = verdicts(written);
        assertEquals(AvroBlocks.verdicts(read(written)).ruleIndexes(), block.ruleIndexes());
        assertEquals(6, block.version());
        assertArrayEquals(new long[] {44, 55}, block.rules());
        assertEquals(10, block.packets().get(1));
        assertEquals(2, block.ruleIndexes().get(0));
        assertEquals(null, block.times());
        assertSaysNothingMore(block);
    }

    private static void assertSaysNothingMore(VerdictBlock block) {
        for (int i = 0; i < block.count(); i++) {
            assertEquals(block.version(), block.versionOf(i));
            assertEquals(VerdictStatus.OK, block.status(i));
            assertEquals(null, block.action(i));
        }
        assertEquals("", block.history());
        assertEquals(List.of(), block.packetFields());
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
    void anOlderRuleChangeIsASnapshotThatTakesEffectAtItsCommit() throws Exception {
        Schema older = schema("older", "RuleChange");
        GenericRecord rule =
                record(
                        element(older, "puts"),
                        Map.of(
                                "id",
                                7L,
                                "priority",
                                3,
                                "action",
                                "allow",
                                "words",
                                List.of(HeaderWord.PORTS, 80, 0xffff)));
        RuleChange change =
                RuleChange.of(
                        read(
                                record(
                                        older,
                                        Map.of(
                                                "phase",
                                                symbol(older, "phase", "CHANGES"),
                                                "transaction",
                                                "t",
                                                "version",
                                                2L,
                                                "puts",
                                                List.of(rule)))));
        assertEquals(Phase.CHANGES, change.phase());
        assertEquals(Kind.SNAPSHOT, change.kind());
        assertEquals(null, change.effectiveTimeNs());
        assertEquals("drop", change.defaultAction());
        assertEquals(List.of(), change.removes());
        RuleChange.RuleRecord put = change.puts().get(0);
        assertEquals("allow", put.action());
        assertEquals(0, put.line());
        assertEquals(null, put.srcPorts());
        assertArrayEquals(new int[] {HeaderWord.PORTS, 80, 0xffff}, put.words());
    }

    @Test
    void aRuleChangeOfVersion1HasNoHistoryNoBaseAndNoPlaces() throws Exception {
        Schema first = MessageSchemas.history("RuleChange").get(0);
        GenericRecord rule =
                record(
                        element(first, "puts"),
                        Map.of("id", 7L, "line", 3, "action", "a", "words", List.of()));
        Map<String, Object> fields =
                Map.of(
                        "phase",
                        symbol(first, "phase", "CHANGES"),
                        "kind",
                        symbol(first, "kind", "DELTA"),
                        "transaction",
                        "t",
                        "version",
                        2L,
                        "puts",
                        List.of(rule),
                        "removes",
                        List.of(9L));
        RuleChange change = RuleChange.decode(SingleObject.encode(record(first, fields)));
        assertEquals("", change.history());
        assertEquals(null, change.base());
        assertEquals(List.of(), change.shifts());
        assertEquals(List.of(9L), change.removes());
        RuleChange.RuleRecord put = change.puts().get(0);
        assertEquals(3, put.line());
        assertEquals(0, put.place().length);
        assertEquals("", put.text());
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
