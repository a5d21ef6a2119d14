package dev.sluice.schemas.codec;

import static dev.sluice.schemas.codec.EvolvedRecords.column;
import static dev.sluice.schemas.codec.EvolvedRecords.element;
import static dev.sluice.schemas.codec.EvolvedRecords.packets;
import static dev.sluice.schemas.codec.EvolvedRecords.read;
import static dev.sluice.schemas.codec.EvolvedRecords.record;
import static dev.sluice.schemas.codec.EvolvedRecords.schema;
import static dev.sluice.schemas.codec.EvolvedRecords.symbol;
import static dev.sluice.schemas.codec.EvolvedRecords.verdicts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.Verdicts;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Messages of writers that know fewer fields and narrower numbers, kind by kind. */
class OlderMessagesTest {
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
}
