package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages under every released schema, and packets and rules that come out as they went in. */
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

    @Test
    void aSingleHeaderKeepsEveryWord() throws Exception {
        Random random = TestSeed.random(3);
        for (int i = 0; i < 500; i++) {
            int[] h = RandomPackets.header(random);
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

    @Test
    void aBlockKeepsItsColumns() throws Exception {
        PacketBlock block = RandomPackets.block(257, 9);
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

    /** The fields of a verdict are those of the header's own message. */
    @Test
    void aPacketFieldIsWhatTheSchemaOfHeadersMakesOfTheWords() throws Exception {
        Random random = TestSeed.random(18);
        for (int i = 0; i < 500; i++) {
            int[] words = RandomPackets.header(random);
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
}
