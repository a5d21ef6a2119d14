package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.Verdict.EarlierRule;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.Verdicts;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictEncoderTest {
    private static final int MISS = VerdictBatch.MISS;

    /** Rules of which the one at position p has id 1000 + p and line p (so the first has none). */
    private static RuleSet rules(int count, long version) {
        List<Rule> rules = new ArrayList<>();
        for (int p = 0; p < count; p++) {
            Match match = new Match.Builder().field(Field.DST_PORT, p % 65_536).build();
            rules.add(new Rule(1000L + p, count - p, match, "act " + p, p));
        }
        return RuleSet.of("set", version, "none", rules);
    }

    private static PendingBlock pending(Column times, int... verdicts) {
        long[] packets = new long[verdicts.length];
        for (int i = 0; i < packets.length; i++) {
            packets[i] = 50 + 2L * i;
        }
        List<Column> columns = new ArrayList<>();
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, packets.length));
        if (times != null) {
            columns.add(times);
        }
        PacketBlock block = new PacketBlock("cap", 4, 3, 8, verdicts.length, columns);
        PendingBlock pending = new PendingBlock(block);
        System.arraycopy(verdicts, 0, pending.verdicts, 0, verdicts.length);
        return pending;
    }

    private static VerdictBlock encodeBlock(
            VerdictEncoder encoder, RuleSet rules, PendingBlock pending) throws Exception {
        List<byte[]> out = new ArrayList<>();
        encoder.encode(pending, new FakeLookup(rules), 0, pending.verdicts.length, out);
        assertEquals(1, out.size());
        return VerdictBlock.decode(out.get(0));
    }

    private static List<Long> indexes(VerdictBlock block) {
        List<Long> indexes = new ArrayList<>();
        for (int i = 0; i < block.count(); i++) {
            indexes.add(block.ruleIndexes().get(i));
        }
        return indexes;
    }

    @Test
    void aBlockNamesEachRuleOnceInTheOrderInWhichItsPacketsMeetThem() throws Exception {
        VerdictBlock block =
                encodeBlock(
                        new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE),
                        rules(9, 12),
                        pending(null, 7, MISS, 2, 7, 0, 2));
        assertArrayEquals(new long[] {1007, 1002, 1000}, block.rules());
        assertEquals(List.of(1L, 0L, 2L, 1L, 3L, 2L), indexes(block));
        assertEquals(12, block.version());
        assertEquals("cap", block.capture());
        assertEquals(4, block.captureIndex());
        assertEquals(3, block.shard());
    }

    @Test
    void rulesOfEarlierStagesAreNamedInBlocksAndRecords() throws Exception {
        PendingBlock pending = pending(null, 7, MISS, 2, 7);
        pending.earlier =
                new int[][] {{1, MISS, 2, 1}, {3, MISS, MISS, MISS}, {MISS, MISS, MISS, MISS}};
        List<byte[]> records = new ArrayList<>();
        new VerdictEncoder(VerdictFormat.RECORDS, VerdictFields.FIVE_TUPLE)
                .encode(pending, new FakeLookup(rules(9, 12)), 0, 4, records);
        assertEquals(
                List.of(new EarlierRule(1001, 1, "act 1"), new EarlierRule(1003, 3, "act 3")),
                Verdict.decode(records.get(0)).earlier());
        assertEquals(List.of(), Verdict.decode(records.get(1)).earlier());

        VerdictEncoder encoder =
                new VerdictEncoder(
                        VerdictFormat.BLOCKS, new VerdictFields(0, true, PassedColumns.COPIED));
        VerdictBlock block = encodeBlock(encoder, rules(9, 12), pending);
        assertArrayEquals(new long[] {1007, 1002, 1001, 1003}, block.rules());
        assertEquals(List.of("none", "act 7", "act 2", "act 1", "act 3"), block.actions());
        assertEquals(List.of(1L, 0L, 2L, 1L), indexes(block));
        List<List<Long>> earlier = List.of(block.earlier(0), block.earlier(1), block.earlier(2));
        assertEquals(List.of(List.of(1001L, 1003L), List.of(), List.of(1002L)), earlier);
        assertNull(block.field(Column.EARLIER + 2), "no packet passed a third stage");
    }

    @Test
    void aBlockOfMissesNamesNoRule() throws Exception {
        VerdictBlock block =
                encodeBlock(
                        new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE),
                        rules(3, 1),
                        pending(null, MISS, MISS));
        assertEquals(0, block.rules().length);
        assertEquals(List.of(0L, 0L), indexes(block));
    }

    @Test
    void anEmptyRuleSetMissesEveryPacket() throws Exception {
        VerdictBlock block =
                encodeBlock(
                        new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE),
                        rules(0, 1),
                        pending(null, MISS));
        assertEquals(List.of(0L), indexes(block));
    }

    @Test
    void packetNumbersAndTimesPassThroughAsTheyCame() throws Exception {
        Column times = Column.ofLongs(Column.TIME_NS, new long[] {5, 900, Long.MIN_VALUE}, 0, 3);
        PendingBlock pending = pending(times, 0, MISS, 1);
        VerdictBlock block =
                encodeBlock(
                        new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE),
                        rules(2, 1),
                        pending);
        Column packets = pending.block.column(Column.PACKET);
        assertEquals(packets.width(), block.packets().width());
        assertArrayEquals(packets.data(), block.packets().data());
        assertEquals(times.base(), block.times().base());
        assertArrayEquals(times.data(), block.times().data());
        assertEquals(
                null,
                encodeBlock(
                                new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE),
                                rules(2, 1),
                                pending(null, 0))
                        .times());
    }

    /** What is known of one block says nothing of the next, whose rules may be others. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void blocksUnderRuleSetsOfAnySizeFollowEachOther(long seed) throws Exception {
        Random random = TestSeed.random(seed);
        VerdictEncoder encoder = new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE);
        int[] sizes = {3, 1, 500, 40, 2000, 3};
        RandomRules drawn = new RandomRules(TestSeed.of(seed));
        RuleSet rules = drawn.ruleSet(Shape.MIXED, sizes[0]);
        for (int b = 0; b < 300; b++) {
            rules = b % 50 == 0 ? drawn.ruleSet(Shape.MIXED, sizes[b / 50]) : rules;
            int[] verdicts = new int[1 + random.nextInt(100)];
            for (int i = 0; i < verdicts.length; i++) {
                verdicts[i] = random.nextInt(rules.size() + 1) - 1;
            }
            VerdictBlock block = encodeBlock(encoder, rules, pending(null, verdicts));
            for (int i = 0; i < verdicts.length; i++) {
                int index = (int) block.ruleIndexes().get(i);
                assertEquals(
                        verdicts[i] == MISS ? -1 : rules.rules().get(verdicts[i]).id(),
                        index == 0 ? -1 : block.rules()[index - 1],
                        "verdict " + i + " of block " + b + ", seed " + seed);
            }
            assertEquals(
                    block.rules().length,
                    java.util.Arrays.stream(block.rules()).distinct().count(),
                    "a rule is named twice");
        }
    }

    /** Blocks are numbered by an int, which is used up after half a day at full rate. */
    @Test
    void theNumbersOfBlocksBeginAgainWhenTheyAreUsedUp() throws Exception {
        VerdictEncoder encoder = new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE);
        // The first blocks after the turn have the numbers of the first ones before it.
        for (int position : new int[] {2, 3}) {
            encodeBlock(encoder, rules(5, 1), pending(null, position));
        }
        encoder.runNumber = Integer.MAX_VALUE - 2;
        for (int position : new int[] {0, 1, 2, 3, 4, 2}) {
            VerdictBlock block =
                    encodeBlock(encoder, rules(5, 1), pending(null, position, MISS, position));
            assertArrayEquals(new long[] {1000 + position}, block.rules());
            assertEquals(List.of(1L, 0L, 1L), indexes(block));
        }
    }

    @Test
    void aBlockWithoutPacketNumbersIsAnErrorAndNotAMessage() {
        PacketBlock block = new PacketBlock("cap", 0, 0, 8, 1, List.of());
        for (VerdictFormat format : VerdictFormat.values()) {
            List<byte[]> out = new ArrayList<>();
            assertThrows(
                    IllegalStateException.class,
                    () ->
                            new VerdictEncoder(format, format.defaults())
                                    .encode(
                                            new PendingBlock(block),
                                            new FakeLookup(rules(1, 1)),
                                            0,
                                            block.count(),
                                            out));
            assertTrue(out.isEmpty());
        }
    }

    @Test
    void aRecordSaysAllOfItsRuleOrTheDefaultAction() throws Exception {
        Column times = Column.ofLongs(Column.TIME_NS, new long[] {5, Column.NO_TIME, 7}, 0, 3);
        List<byte[]> out = new ArrayList<>();
        new VerdictEncoder(VerdictFormat.RECORDS, VerdictFields.FIVE_TUPLE)
                .encode(pending(times, 2, MISS, 0), new FakeLookup(rules(4, 6)), 0, 3, out);
        List<Verdict> verdicts = new ArrayList<>();
        for (byte[] message : out) {
            verdicts.add(Verdict.decode(message));
        }
        assertEquals(
                List.of(
                        Verdicts.of("cap", 4, 50, 5, 1002L, 2, 2, "act 2", 6),
                        Verdicts.of("cap", 4, 52, Column.NO_TIME, null, null, null, "none", 6),
                        Verdicts.of("cap", 4, 54, 7, 1000L, null, 4, "act 0", 6)),
                verdicts);
    }

    /** A block of packets whose every verdict is another rule, with actions of some length. */
    private static List<byte[]> ofManyRules(VerdictFields fields, int count, int actionLength) {
        List<Rule> rules = new ArrayList<>();
        int[] verdicts = new int[count];
        for (int p = 0; p < count; p++) {
            Match match = new Match.Builder().field(Field.DST_PORT, p).build();
            rules.add(new Rule(1L + p, count - p, match, p + "a".repeat(actionLength), p));
            verdicts[p] = p % 7 == 3 ? MISS : count - 1 - p;
        }
        List<byte[]> out = new ArrayList<>();
        PendingBlock pending = pending(null, verdicts);
        RuleSet set = RuleSet.of("set", 5, "none", rules);
        new VerdictEncoder(VerdictFormat.BLOCKS, fields)
                .encode(pending, new FakeLookup(set), 0, count, out);
        return out;
    }

    @Test
    void aMessageThatKafkaWouldNotTakeIsSplitAndNothingIsLost() throws Exception {
        int count = 3000;
        List<byte[]> out = ofManyRules(VerdictFields.parse("action"), count, 4000);
        assertTrue(out.size() >= 12, out.size() + " messages");
        int packet = 0;
        for (byte[] message : out) {
            assertTrue(message.length <= VerdictEncoder.MOST_BYTES, message.length + " bytes");
            VerdictBlock part = VerdictBlock.decode(message);
            assertEquals(5, part.version());
            assertEquals("cap", part.capture());
            for (int i = 0; i < part.count(); i++, packet++) {
                assertEquals(50 + 2L * packet, part.packets().get(i));
                long rule = count - packet;
                assertEquals(packet % 7 == 3 ? null : Long.valueOf(rule), part.ruleId(i));
                assertEquals(
                        packet % 7 == 3 ? "none" : (rule - 1) + "a".repeat(4000), part.action(i));
            }
        }
        assertEquals(count, packet);
    }

    /** The block of {@link #pending}, which says where it lies. */
    private static PendingBlock placed(int... verdicts) {
        PacketBlock block = pending(null, verdicts).block;
        PendingBlock pending =
                new PendingBlock(
                        new PacketBlock(
                                block.capture(),
                                block.captureIndex(),
                                block.shard(),
                                block.shards(),
                                block.count(),
                                block.columns(),
                                new PacketPlace("packets", 2, 77)));
        System.arraycopy(verdicts, 0, pending.verdicts, 0, verdicts.length);
        return pending;
    }

    private static VerdictEncoder encoder(PassedColumns columns) {
        return new VerdictEncoder(
                VerdictFormat.BLOCKS, VerdictFields.parse("5-tuple").with(columns));
    }

    @Test
    void aBlockThatNamesItsPacketsHasNoneOfTheirColumns() throws Exception {
        VerdictBlock block =
                encodeBlock(encoder(PassedColumns.NAMED), rules(2, 1), placed(1, MISS, 1));
        assertEquals(new PacketPlace("packets", 2, 77), block.place());
        assertTrue(block.lacksPackets());
        assertEquals(null, block.times());
        assertEquals(List.of(), block.fields());
        assertEquals(List.of(1L, 0L, 1L), indexes(block));
    }

    @Test
    void packetsThatLieInNoBlockAreCopiedWhereOthersAreNamed() throws Exception {
        VerdictBlock block =
                encodeBlock(encoder(PassedColumns.NAMED), rules(2, 1), pending(null, 1, 0));
        assertEquals(null, block.place());
        assertEquals(52, block.packets().get(1));
        assertEquals(PacketField.wordBits(VerdictFields.FIVE_TUPLE.fields()), words(block));
    }

    private static long words(VerdictBlock block) {
        long bits = 0;
        for (Column field : block.fields()) {
            bits |= 1L << field.id();
        }
        return bits;
    }

    @Test
    void packetNumbersThatGrowEvenlyTakeNoBytesAsDifferences() throws Exception {
        int[] verdicts = new int[300];
        List<byte[]> copied = new ArrayList<>();
        List<byte[]> deltas = new ArrayList<>();
        FakeLookup rules = new FakeLookup(rules(2, 1));
        encoder(PassedColumns.COPIED).encode(placed(verdicts), rules, 0, 300, copied);
        encoder(PassedColumns.DELTAS).encode(placed(verdicts), rules, 0, 300, deltas);
        int saved = copied.get(0).length - deltas.get(0).length;
        assertTrue(saved >= 595, saved + " bytes less for 300 numbers of two bytes");
        VerdictBlock block = VerdictBlock.decode(deltas.get(0));
        assertEquals(50 + 2 * 299, block.packets().get(299));
    }

    /** Parts of a message that is too large name the packets that they judge. */
    @Test
    void partsOfASplitMessageNameTheirOwnPackets() throws Exception {
        int count = 600;
        List<Rule> many = new ArrayList<>();
        int[] verdicts = new int[count];
        for (int p = 0; p < count; p++) {
            Match match = new Match.Builder().field(Field.DST_PORT, p).build();
            many.add(new Rule(1L + p, count - p, match, p + "a".repeat(4000), p));
            verdicts[p] = p;
        }
        List<byte[]> out = new ArrayList<>();
        new VerdictEncoder(
                        VerdictFormat.BLOCKS,
                        VerdictFields.parse("action").with(PassedColumns.NAMED))
                .encode(
                        placed(verdicts),
                        new FakeLookup(RuleSet.of("set", 5, "none", many)),
                        0,
                        count,
                        out);
        assertTrue(out.size() > 1, out.size() + " messages");
        int packet = 0;
        for (byte[] message : out) {
            VerdictBlock part = VerdictBlock.decode(message);
            assertEquals(new PacketPlace("packets", 2, 77, packet), part.place());
            packet += part.count();
        }
        assertEquals(count, packet);
    }

    @Test
    void aMessageOfOneSizeLessIsNotSplit() {
        assertEquals(1, ofManyRules(VerdictFields.parse("action"), 3000, 300).size());
    }

    @Test
    void singleVerdictsLeaveWithTheirBatch() throws Exception {
        VerdictEncoder encoder =
                new VerdictEncoder(VerdictFormat.RECORDS, VerdictFields.FIVE_TUPLE);
        PendingBlock pending = pending(null, 2, MISS, 0, 1, 3);
        RuleSet rules = rules(4, 6);
        pending.runs =
                List.of(
                        new PendingBlock.Run(2, new FakeLookup(rules)),
                        new PendingBlock.Run(5, new FakeLookup(rules)));
        List<Long> packets = new ArrayList<>();
        for (int[] part : new int[][] {{0, 1}, {1, 4}, {4, 5}}) {
            List<byte[]> out = new ArrayList<>();
            encoder.encode(pending, new FakeLookup(rules), part[0], part[1], out);
            assertEquals(part[1] - part[0], out.size());
            for (byte[] message : out) {
                packets.add(Verdict.decode(message).packet());
            }
        }
        assertEquals(List.of(50L, 52L, 54L, 56L, 58L), packets);
    }
}
