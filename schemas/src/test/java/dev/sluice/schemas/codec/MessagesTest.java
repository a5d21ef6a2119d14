package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.VerdictBlocks;
import dev.sluice.schemas.testing.Verdicts;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessagesTest {
    static Stream<String> names() {
        return MessageSchemas.NAMES.stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theCurrentSchemaReadsEveryReleasedOne(String name) throws Exception {
        Schema current = MessageSchemas.current(name);
        List<Schema> history = MessageSchemas.history(name);
        assertEquals(
                MessageSchemas.fingerprint(current),
                MessageSchemas.fingerprint(history.get(history.size() - 1)),
                name
                        + " was changed: add the new schema to history as "
                        + name
                        + "."
                        + (history.size() + 1));
        for (Schema released : history) {
            assertEquals(
                    SchemaCompatibility.SchemaCompatibilityType.COMPATIBLE,
                    SchemaCompatibility.checkReaderWriterCompatibility(current, released)
                            .getType());
            for (Object record : new RandomData(released, 20, 7)) {
                GenericRecord read =
                        MessageCodec.decode(SingleObject.encode((GenericRecord) record), name);
                assertKept(record, read);
            }
        }
    }

    /** Whatever of a value the current schema still has is as it was written. */
    private static void assertKept(Object written, Object read) {
        if (written instanceof GenericRecord was) {
            for (Schema.Field field : was.getSchema().getFields()) {
                if (((GenericRecord) read).getSchema().getField(field.name()) != null) {
                    assertKept(was.get(field.name()), ((GenericRecord) read).get(field.name()));
                }
            }
        } else if (written instanceof List<?> was) {
            assertEquals(was.size(), ((List<?>) read).size());
            for (int i = 0; i < was.size(); i++) {
                assertKept(was.get(i), ((List<?>) read).get(i));
            }
        } else {
            assertEquals(String.valueOf(written), String.valueOf(read));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyFieldIsDocumented(String name) {
        assertTrue(MessageSchemas.current(name).getDoc() != null, name + " has no doc");
        for (Schema.Field field : MessageSchemas.current(name).getFields()) {
            assertTrue(
                    field.doc() != null && !field.doc().isBlank(),
                    name + "." + field.name() + " has no doc");
        }
    }

    private static int[] header(Random random) {
        int[] h = new int[HeaderWord.COUNT];
        int version = random.nextInt(3);
        h[HeaderWord.IP] = Field.IP_VERSION.place(version);
        if (version == Field.VERSION_4) {
            h[HeaderWord.IPV4_SRC] = random.nextInt();
            h[HeaderWord.IPV4_DST] = random.nextInt();
        } else if (version == Field.VERSION_6) {
            for (int w = HeaderWord.IPV6_SRC; HeaderWord.isIpv6(w); w++) {
                h[w] = random.nextInt();
            }
        }
        if (version != 0) {
            int proto = random.nextBoolean() ? 6 : 17;
            int fragment = new int[] {0, 1, 3}[random.nextInt(3)];
            h[HeaderWord.IP] |=
                    Field.IP_PROTO.place(proto)
                            | Field.TOS.place(random.nextInt())
                            | Field.FRAGMENT.place(fragment);
            if (fragment != Field.FRAGMENT_LATER) {
                h[HeaderWord.IP] |= Field.PORTS_PRESENT.place(1);
                h[HeaderWord.PORTS] = random.nextInt();
                h[HeaderWord.TCP_FLAGS] = proto == 6 ? random.nextInt(0x1000) : 0;
            }
        }
        if (random.nextBoolean()) {
            FieldBits.orMac(h, Field.ETH_SRC, random.nextLong() >>> 16);
            h[HeaderWord.IP] |= Field.ETH_SRC_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.IN_PORT] = random.nextInt();
            h[HeaderWord.IP] |= Field.IN_PORT_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.SPI] = random.nextInt();
            h[HeaderWord.IP] |= Field.SPI_PRESENT.place(1);
        }
        if (random.nextBoolean()) {
            h[HeaderWord.TUNNEL_ID] = random.nextInt(3) - 1;
            h[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.place(1);
        }
        h[HeaderWord.ETHER] = Field.ETH_TYPE.place(random.nextInt());
        if (random.nextBoolean()) {
            h[HeaderWord.ETHER] |=
                    Field.VLAN_PRESENT.place(1)
                            | Field.VLAN_ID.place(random.nextInt(3))
                            | Field.VLAN_PRIORITY.place(5);
        }
        for (Field field : Field.values()) {
            boolean told = field.source() != FieldSource.ALWAYS;
            if (told && FieldBits.fitsAddresses(h, field) && random.nextBoolean()) {
                field.put(h, random.nextInt());
            }
        }
        return h;
    }

    @Test
    void aSingleHeaderKeepsEveryWord() throws Exception {
        Random random = TestSeed.random(3);
        for (int i = 0; i < 500; i++) {
            int[] h = header(random);
            byte[] message = PacketMessages.encodeHeader("c", 2, i + 1, i * 7L, 60, h);
            PacketBlock block = PacketMessages.decode(message, 16);
            HeaderBatch batch = new HeaderBatch(HeaderLayout.complete(), 1);
            block.appendTo(batch, 0, 1);
            int[] read = new int[HeaderWord.COUNT];
            for (int w = 0; w < read.length; w++) {
                read[w] = batch.word(w, 0);
            }
            assertArrayEquals(h, read);
            assertEquals(2, block.captureIndex());
            assertEquals(i * 7L, block.column(Column.TIME_NS).get(0));
        }
    }

    @Test
    void untaggedVlanZeroAndTaggedDiffer() throws Exception {
        int[] untagged = new int[HeaderWord.COUNT];
        int[] zero = untagged.clone();
        zero[HeaderWord.ETHER] = Field.VLAN_PRESENT.place(1);
        PacketBlock a =
                PacketMessages.decode(PacketMessages.encodeHeader("c", 0, 1, 0, 0, untagged), 1);
        PacketBlock b =
                PacketMessages.decode(PacketMessages.encodeHeader("c", 0, 1, 0, 0, zero), 1);
        long etherA = a.column(HeaderWord.ETHER) == null ? 0 : a.column(HeaderWord.ETHER).get(0);
        assertEquals(
                Field.VLAN_PRESENT.place(1), (int) (etherA ^ b.column(HeaderWord.ETHER).get(0)));
    }

    private static PacketBlock block(int count, long seed) {
        Random random = TestSeed.random(seed);
        int[][] words = new int[HeaderWord.COUNT][count];
        long[] packets = new long[count];
        for (int i = 0; i < count; i++) {
            int[] h = header(random);
            for (int w = 0; w < h.length; w++) {
                words[w][i] = h[w];
            }
            packets[i] = i + 1;
        }
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < words.length; w++) {
            columns.add(Column.ofWords(w, words[w], 0, count));
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        return new PacketBlock("capture", 1, 3, 8, count, columns);
    }

    @Test
    void aBlockKeepsItsColumns() throws Exception {
        PacketBlock block = block(257, 9);
        PacketBlock read = PacketMessages.decode(block.encode(), 99);
        assertEquals(257, read.count());
        assertEquals(8, read.shards());
        HeaderBatch expected = new HeaderBatch(HeaderLayout.complete(), 257);
        HeaderBatch actual = new HeaderBatch(HeaderLayout.complete(), 257);
        block.appendTo(expected, 0, 257);
        read.appendTo(actual, 0, 100);
        read.appendTo(actual, 100, 157);
        java.nio.IntBuffer outside =
                java.nio.ByteBuffer.allocateDirect(4 * 300 * expected.layout().size())
                        .asIntBuffer();
        read.writeTo(outside, expected.layout(), 300, 0, 0, 100);
        read.writeTo(outside, expected.layout(), 300, 100, 100, 157);
        for (int i = 0; i < 257; i++) {
            for (int w = 0; w < expected.layout().size(); w++) {
                assertEquals(expected.word(w, i), outside.get(300 * w + i));
            }
        }
        assertArrayEquals(expected.words(), actual.words());
    }

    @Test
    void changesOfRulesComeOutAsTheyWentIn() throws Exception {
        RuleChange begin =
                RuleChange.begin("t", "h", 3, 2L, 5L, RuleChange.Kind.DELTA, "set", "drop");
        assertEquals(begin, RuleChange.decode(begin.encode()));
        assertEquals(9L, begin.effectiveFrom(9).effectiveTimeNs());
        RuleChange commit = RuleChange.commit(begin, 4);
        assertEquals(commit, RuleChange.decode(commit.encode()));
        RuleChange heartbeat = RuleChange.heartbeat("h", 3, 77);
        assertEquals(heartbeat, RuleChange.decode(heartbeat.encode()));
        byte[] place = {0, (byte) 0xff, 1};
        RuleChange.RuleRecord rule =
                new RuleChange.RuleRecord(
                        7, 1, 2, "drop", new int[] {0, 1, 1}, 5, null, place, "a rule \u00e4");
        List<RuleChange.ShiftRecord> shifts =
                List.of(new RuleChange.ShiftRecord(1, 2), new RuleChange.ShiftRecord(9, -1));
        RuleChange read =
                RuleChange.decode(
                        RuleChange.changes(begin, 1, List.of(rule), List.of(4L), shifts).encode());
        assertEquals(shifts, read.shifts());
        assertEquals(List.of(4L), read.removes());
        assertEquals("t", read.transaction());
        RuleChange.RuleRecord put = read.puts().get(0);
        assertArrayEquals(place, put.place());
        assertEquals("a rule \u00e4", put.text());
        assertArrayEquals(rule.words(), put.words());
        assertEquals(rule.srcPorts(), put.srcPorts());
        assertEquals(rule.dstPorts(), put.dstPorts());
    }

    @Test
    void everyCutOfEveryMessageIsRefusedWithAReason() throws Exception {
        RuleChange begin = RuleChange.begin("t", 3, 5L, RuleChange.Kind.SNAPSHOT, "set", "drop");
        RuleChange.RuleRecord rule =
                new RuleChange.RuleRecord(
                        7, 1, 2, "drop", new int[] {0, 1, 1}, 5, null, new byte[] {1, 2}, "text");
        List<byte[]> messages =
                List.of(
                        block(5, 1).encode(),
                        PacketMessages.encodeHeader("c", 0, 1, 2, 3, header(TestSeed.random(1))),
                        RuleChange.changes(begin, 0, List.of(rule), List.of(9L)).encode(),
                        new DeadLetter("r", "d", new DeadLetter.Packet("c", 0, 1, 2), null)
                                .encode());
        for (byte[] message : messages) {
            MessageCodec.decode(message);
            for (int length = 0; length < message.length; length++) {
                byte[] cut = java.util.Arrays.copyOf(message, length);
                String reason =
                        assertThrows(
                                        MalformedMessageException.class,
                                        () -> MessageCodec.decode(cut))
                                .reason();
                assertTrue(reason.startsWith("message: "), reason);
            }
        }
    }

    @Test
    void damagedMessagesAreReadOrRefusedAndNothingElse() {
        Random random = TestSeed.random(11);
        byte[] good = block(9, 2).encode();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                PacketBlock block = PacketMessages.decode(bad, 8);
                block.appendTo(
                        new HeaderBatch(HeaderLayout.complete(), block.count()), 0, block.count());
            } catch (MalformedMessageException e) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, refused + " of 20,000 damaged messages were refused");
    }

    @Test
    void aMessageThatClaimsGigabytesAllocatesNone() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(block(1, 1).encode(), 0, 10);
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        encoder.writeLong(Integer.MAX_VALUE - 8); // length of the capture's name
        encoder.flush();
        byte[] hostile = out.toByteArray();
        assertEquals(
                "message: truncated or corrupt",
                assertThrows(MalformedMessageException.class, () -> MessageCodec.decode(hostile))
                        .reason());
    }

    @Test
    void otherBytesAndOtherSchemasAreToldApart() {
        assertEquals(
                "message: not Avro",
                assertThrows(
                                MalformedMessageException.class,
                                () ->
                                        MessageCodec.decode(
                                                "{\"a\":1}abcdef"
                                                        .getBytes(
                                                                java.nio.charset.StandardCharsets
                                                                        .UTF_8)))
                        .reason());
        byte[] unknown = block(1, 1).encode();
        unknown[3] ^= 1;
        assertEquals(
                "message: unknown schema",
                assertThrows(MalformedMessageException.class, () -> MessageCodec.decode(unknown))
                        .reason());
        byte[] verdict = Verdicts.of("c", 0, 1, 2, null, null, null, "drop", 1).encode();
        MalformedMessageException wrong =
                assertThrows(
                        MalformedMessageException.class, () -> PacketMessages.decode(verdict, 4));
        assertEquals("message: wrong schema", wrong.reason());
    }

    @Test
    void verdictsKeepTheirFields() throws Exception {
        Verdict verdict = Verdicts.of("c", 1, 2, Column.NO_TIME, 4L, 5, 6, "allow", 7);
        assertEquals(verdict, Verdict.decode(verdict.encode()));
        VerdictBlock block =
                VerdictBlocks.of(
                        "c",
                        1,
                        2,
                        9,
                        3,
                        new long[] {44, 55},
                        Column.ofLongs(Column.PACKET, new long[] {7, 8, 9}, 0, 3),
                        null,
                        Column.ofWords(Column.RULE, new int[] {0, 2, 1}, 0, 3));
        VerdictBlock read = VerdictBlock.decode(block.encode());
        assertArrayEquals(new long[] {44, 55}, read.rules());
        assertEquals(2, read.ruleIndexes().get(1));
        assertEquals(9, read.version());
        assertEquals(GenericData.get().toString(8L), String.valueOf(read.packets().get(1)));
    }

    @Test
    void aVerdictKeepsTheFieldsOfItsPacketItsHistoryAndItsStatus() throws Exception {
        Random random = TestSeed.random(17);
        for (int i = 0; i < 200; i++) {
            int[] words = header(random);
            Map<PacketField, Object> fields = new LinkedHashMap<>();
            for (PacketField field : PacketField.values()) {
                if (random.nextInt(4) > 0) {
                    fields.computeIfAbsent(field, some -> some.value(words));
                }
            }
            Verdict verdict =
                    new Verdict(
                            "c",
                            1,
                            2,
                            3,
                            null,
                            null,
                            null,
                            "drop",
                            7,
                            i % 2 == 0 ? "" : "history " + i,
                            VerdictStatus.values()[i % VerdictStatus.values().length],
                            fields,
                            List.of());
            assertEquals(verdict, Verdict.decode(verdict.encode()));
        }
    }

    /** The fields of a verdict are those of the header's own message. */
    @Test
    void aPacketFieldIsWhatTheSchemaOfHeadersMakesOfTheWords() throws Exception {
        Random random = TestSeed.random(18);
        for (int i = 0; i < 500; i++) {
            int[] words = header(random);
            GenericRecord record =
                    MessageCodec.decode(PacketMessages.encodeHeader("c", 0, 1, 2, 60, words));
            for (PacketField field : PacketField.values()) {
                Object expected = record.get(field.key());
                assertEquals(expected, field.value(words), field.label());
                // Words that a field does not ask for do not matter to it.
                int[] needed = new int[HeaderWord.COUNT];
                for (int w = 0; w < needed.length; w++) {
                    needed[w] = (field.wordBits() >>> w & 1) == 1 ? words[w] : random.nextInt();
                }
                assertEquals(field.value(words), field.value(needed), field.label());
            }
        }
    }

    private static VerdictBlock fullBlock(int actions) {
        return VerdictBlocks.of(
                "c",
                1,
                2,
                9,
                "9f2c",
                3,
                new long[] {44, 55},
                List.of("drop", "allow", "deny").subList(0, actions),
                Column.ofLongs(Column.PACKET, new long[] {7, 8, 9}, 0, 3),
                null,
                Column.ofWords(Column.RULE, new int[] {0, 2, 1}, 0, 3),
                Column.ofLongs(Column.VERSION, new long[] {9, 3, 8}, 0, 3),
                Column.ofWords(Column.STATUS, new int[] {0, 3, 77}, 0, 3),
                List.of(
                        Column.ofWords(HeaderWord.IP, new int[] {5, 6, 7}, 0, 3),
                        Column.ofWords(HeaderWord.PORTS, new int[] {-1, 0, 1 << 16}, 0, 3),
                        Column.ofWords(Column.FRAME_LENGTH, new int[] {60, 1500, 64}, 0, 3)));
    }

    @Test
    void aVerdictBlockKeepsHistoryVersionsStatusesActionsAndFields() throws Exception {
        VerdictBlock read = VerdictBlock.decode(fullBlock(3).encode());
        assertEquals("9f2c", read.history());
        assertEquals(
                List.of(9L, 3L, 8L),
                List.of(read.versionOf(0), read.versionOf(1), read.versionOf(2)));
        assertEquals(
                List.of(VerdictStatus.OK, VerdictStatus.LATE, VerdictStatus.UNKNOWN),
                List.of(read.status(0), read.status(1), read.status(2)));
        assertEquals(
                List.of("drop", "deny", "allow"),
                List.of(read.action(0), read.action(1), read.action(2)));
        assertEquals(null, read.ruleId(0));
        assertEquals(55, read.ruleId(1));
        assertEquals(1500, read.field(Column.FRAME_LENGTH).get(1));
        assertEquals(null, read.field(HeaderWord.SPI));
        assertEquals(
                List.of(
                        PacketField.IP_PROTO,
                        PacketField.of(Field.TOS),
                        PacketField.of(Field.FRAGMENT),
                        PacketField.SRC_PORT,
                        PacketField.DST_PORT,
                        PacketField.of(Field.FRAME_LENGTH)),
                read.packetFields());
        int[] words = new int[HeaderWord.COUNT];
        read.header(2, words);
        assertEquals(7, words[HeaderWord.IP]);
        assertEquals(1 << 16, words[HeaderWord.PORTS]);
        assertEquals(
                "block: actions",
                assertThrows(
                                MalformedMessageException.class,
                                () -> VerdictBlock.decode(fullBlock(2).encode()))
                        .reason());
    }

    @Test
    void aBlockOfOneVersionSaysItForEachVerdictAndAllAreOk() {
        VerdictBlock block =
                VerdictBlocks.of(
                        "c",
                        0,
                        0,
                        12,
                        2,
                        new long[0],
                        Column.ofLongs(Column.PACKET, new long[] {1, 2}, 0, 2),
                        null,
                        new Column(Column.RULE, 0, 0, new byte[0]));
        assertEquals(12, block.versionOf(1));
        assertEquals(VerdictStatus.OK, block.status(1));
        assertEquals(null, block.action(1));
        assertEquals(List.of(), block.packetFields());
    }

    @Test
    void aRuleIndexBeyondTheBlocksRulesIsRefusedAtEveryWidth() {
        Column packets = Column.ofLongs(Column.PACKET, new long[] {1, 2}, 0, 2);
        byte[] ones = {-1, -1, -1, -1, 0, 0, 0, 0};
        for (Column bad :
                List.of(
                        new Column(Column.RULE, 3, 0, new byte[0]),
                        new Column(Column.RULE, -1, 0, new byte[0]),
                        new Column(Column.RULE, 1L << 32, 0, new byte[0]),
                        new Column(Column.RULE, 1, 4, ones))) {
            byte[] message =
                    VerdictBlocks.of("c", 0, 0, 1, 2, new long[] {7, 8}, packets, null, bad)
                            .encode();
            assertEquals(
                    "block: rule index",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> VerdictBlock.decode(message))
                            .reason());
        }
    }
}
