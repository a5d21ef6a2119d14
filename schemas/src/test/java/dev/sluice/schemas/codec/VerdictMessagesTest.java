package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.VerdictBlocks;
import dev.sluice.schemas.testing.Verdicts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;

/** Verdicts as messages, one by one and in blocks. */
class VerdictMessagesTest {
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
            int[] words = RandomPackets.header(random);
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
                            List.of(),
                            VerdictOutcome.at(i % VerdictOutcome.count()),
                            i % 3 == 0 ? "" : "--assume new");
            assertEquals(verdict, Verdict.decode(verdict.encode()));
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
