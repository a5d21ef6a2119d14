package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What travels with verdicts beside rule and version. */
class VerdictFieldsTest {
    private static final int[] IP = {
        Field.IP_VERSION.place(Field.VERSION_4)
                | Field.IP_PROTO.place(6)
                | Field.PORTS_PRESENT.place(1),
        Field.IP_VERSION.place(Field.VERSION_4) | Field.IP_PROTO.place(47),
        0
    };

    private static final RuleSet RULES =
            RuleSet.of(
                    "set",
                    12,
                    "none",
                    List.of(
                            new Rule(70, 2, new Match.Builder().build(), "allow", 1),
                            new Rule(71, 1, new Match.Builder().build(), "deny", 2)));

    /** Three packets: TCP over IPv4, GRE over IPv4, no IP. */
    private static PendingBlock pending() {
        PacketBlock block =
                new PacketBlock(
                        "cap",
                        0,
                        3,
                        8,
                        3,
                        List.of(
                                Column.ofLongs(Column.PACKET, new long[] {1, 2, 3}, 0, 3),
                                Column.ofWords(HeaderWord.IPV4_SRC, new int[] {10, 11, 0}, 0, 3),
                                Column.ofWords(HeaderWord.IP, IP, 0, 3),
                                Column.ofWords(
                                        HeaderWord.PORTS, new int[] {5 << 16 | 9, 0, 0}, 0, 3),
                                Column.ofWords(
                                        Column.FRAME_LENGTH, new int[] {60, 99, 1500}, 0, 3)));
        PendingBlock pending = new PendingBlock(block);
        pending.verdicts[0] = 1;
        pending.verdicts[1] = VerdictBatch.MISS;
        pending.verdicts[2] = 0;
        return pending;
    }

    private static List<byte[]> encode(VerdictFormat format, String fields, PendingBlock pending) {
        List<byte[]> out = new ArrayList<>();
        new VerdictEncoder(format, VerdictFields.parse(fields))
                .encode(pending, new FakeLookup(RULES), 0, pending.verdicts.length, out);
        return out;
    }

    private static VerdictBlock block(String fields, PendingBlock pending) throws Exception {
        return VerdictBlock.decode(encode(VerdictFormat.BLOCKS, fields, pending).get(0));
    }

    private static List<Verdict> records(String fields, PendingBlock pending) throws Exception {
        List<Verdict> verdicts = new ArrayList<>();
        for (byte[] message : encode(VerdictFormat.RECORDS, fields, pending)) {
            verdicts.add(Verdict.decode(message));
        }
        return verdicts;
    }

    @Test
    void aBlockHasTheColumnsOfThePacketsAsTheyAre() throws Exception {
        PendingBlock pending = pending();
        VerdictBlock block = block("ip-src,src-port,frame-length", pending);
        for (int word :
                new int[] {
                    HeaderWord.IPV4_SRC, HeaderWord.IP, HeaderWord.PORTS, Column.FRAME_LENGTH
                }) {
            Column was = pending.block.column(word);
            Column is = block.field(word);
            assertNotNull(is, "word " + word);
            assertEquals(was.base(), is.base());
            assertArrayEquals(was.data(), is.data());
        }
        // Words that the packets lack are 0, which tells them from words that were not asked for.
        assertEquals(0, block.field(HeaderWord.IPV6_SRC).get(1));
        assertNull(block.field(HeaderWord.IPV4_DST));
        assertEquals(
                List.of(
                        PacketField.IP_SRC,
                        PacketField.IP_PROTO,
                        PacketField.of(Field.TOS),
                        PacketField.of(Field.FRAGMENT),
                        PacketField.SRC_PORT,
                        PacketField.DST_PORT,
                        PacketField.of(Field.FRAME_LENGTH)),
                block.packetFields());
    }

    @Test
    void byDefaultABlockHasNothingOfItsPackets() throws Exception {
        List<byte[]> out = new ArrayList<>();
        PendingBlock pending = pending();
        new VerdictEncoder(VerdictFormat.BLOCKS, VerdictFields.NONE)
                .encode(pending, new FakeLookup(RULES), 0, pending.verdicts.length, out);
        VerdictBlock block = VerdictBlock.decode(out.get(0));
        assertEquals(List.of(), block.fields());
        assertEquals(List.of(), block.actions());
        assertNull(block.versions());
        assertNull(block.statuses());
    }

    @Test
    void byDefaultASingleVerdictHasTheFiveTuple() throws Exception {
        List<byte[]> out = new ArrayList<>();
        PendingBlock pending = pending();
        new VerdictEncoder(VerdictFormat.RECORDS, VerdictFields.FIVE_TUPLE)
                .encode(pending, new FakeLookup(RULES), 0, pending.verdicts.length, out);
        assertEquals(
                Map.of(
                        PacketField.IP_SRC, ByteBuffer.wrap(new byte[] {0, 0, 0, 10}),
                        PacketField.IP_DST, ByteBuffer.wrap(new byte[4]),
                        PacketField.IP_PROTO, 6,
                        PacketField.SRC_PORT, 5,
                        PacketField.DST_PORT, 9),
                Verdict.decode(out.get(0)).fields());
        assertEquals(Map.of(), Verdict.decode(out.get(2)).fields(), "a packet without IP");
    }

    @Test
    void aSingleVerdictHasWhatWasAskedForAlone() throws Exception {
        List<Verdict> verdicts = records("src-port,frame-length", pending());
        assertEquals(
                Map.of(PacketField.SRC_PORT, 5, PacketField.of(Field.FRAME_LENGTH), 60),
                verdicts.get(0).fields());
        assertEquals(Map.of(PacketField.of(Field.FRAME_LENGTH), 99), verdicts.get(1).fields());
        assertEquals(Map.of(), records("none", pending()).get(0).fields());
    }

    @Test
    void actionsOfABlockAreTheDefaultAndThoseOfItsRules() throws Exception {
        VerdictBlock block = block("action", pending());
        assertEquals(List.of("none", "deny", "allow"), block.actions());
        assertEquals("deny", block.action(0));
        assertEquals("none", block.action(1));
        assertEquals(71L, block.ruleId(0));
        assertEquals(List.of(), block.fields());
    }

    /** The rules in another version: the other way round, and rule 70 with another action. */
    private static PendingBlock.Run run(int end, long version, String defaultAction) {
        List<Rule> rules =
                List.of(
                        new Rule(71, 2, new Match.Builder().build(), "deny", 1),
                        new Rule(70, 1, new Match.Builder().build(), "act " + version, 2));
        return new PendingBlock.Run(
                end, new FakeLookup(RuleSet.of("set", version, defaultAction, rules)));
    }

    private static PendingBlock.Run firstRun(int end) {
        return new PendingBlock.Run(end, new FakeLookup(RULES));
    }

    @Test
    void versionsAndStatusesAreColumnsWhereTheyDiffer() throws Exception {
        PendingBlock pending = pending();
        pending.runs = List.of(firstRun(1), run(2, 14, "none"), run(3, 13, "none"));
        pending.statuses = new byte[] {0, (byte) VerdictStatus.LATE.code(), 0};
        VerdictBlock block = block("none", pending);
        assertEquals(14, block.version());
        assertEquals(
                List.of(12L, 14L, 13L),
                List.of(block.versionOf(0), block.versionOf(1), block.versionOf(2)));
        assertEquals(VerdictStatus.LATE, block.status(1));
        assertEquals(VerdictStatus.OK, block.status(2));

        PendingBlock same = pending();
        same.runs = List.of(run(2, 9, "none"), run(3, 9, "none"));
        same.statuses = new byte[3];
        VerdictBlock plain = block("none", same);
        assertEquals(9, plain.version());
        assertNull(plain.versions());
        assertNull(plain.statuses());

        PendingBlock early = pending();
        Arrays.fill(early.verdicts, VerdictBatch.MISS);
        early.runs = List.of(run(3, 0, "none"));
        early.statuses = new byte[3];
        Arrays.fill(early.statuses, (byte) VerdictStatus.NO_RULES.code());
        VerdictBlock without = block("none", early);
        assertEquals(0, without.version());
        assertEquals(VerdictStatus.NO_RULES, without.status(2));
    }

    private static PendingBlock.Run of(String history, PendingBlock.Run run) {
        ((FakeLookup) run.rules()).history = history;
        return run;
    }

    /** Versions are numbers of a history: 12 of one is not 12 of the other. */
    @Test
    void aBlockThatSeveralHistoriesJudgeHasAMessageForEachRunOfOne() throws Exception {
        PendingBlock pending = pending();
        pending.verdicts[2] = 1;
        pending.runs = List.of(of("old", firstRun(1)), of("old", run(2, 13, "none")));
        assertEquals("old", block("none", pending).history());
        assertEquals(13, block("none", pending).version());

        PendingBlock two = pending();
        two.verdicts[2] = 1;
        two.runs =
                List.of(
                        of("old", firstRun(1)),
                        of("old", run(2, 13, "other")),
                        of("new", run(3, 12, "third")));
        two.statuses = new byte[] {0, (byte) VerdictStatus.LATE.code(), 0};
        List<VerdictBlock> blocks = new ArrayList<>();
        for (byte[] message : encode(VerdictFormat.BLOCKS, "src-port,frame-length,action", two)) {
            blocks.add(VerdictBlock.decode(message));
        }
        assertEquals(2, blocks.size());
        VerdictBlock old = blocks.get(0);
        assertEquals("old", old.history());
        assertEquals(2, old.count());
        assertEquals(13, old.version());
        assertEquals(List.of(12L, 13L), List.of(old.versionOf(0), old.versionOf(1)));
        assertEquals(List.of(1L, 2L), List.of(old.packets().get(0), old.packets().get(1)));
        assertEquals(VerdictStatus.LATE, old.status(1));
        assertArrayEquals(new long[] {71}, old.rules());
        assertEquals("deny", old.action(0));
        VerdictBlock fresh = blocks.get(1);
        assertEquals("new", fresh.history());
        assertEquals(1, fresh.count());
        assertEquals(12, fresh.version());
        assertNull(fresh.versions());
        assertNull(fresh.statuses());
        assertEquals(3, fresh.packets().get(0));
        assertArrayEquals(new long[] {70}, fresh.rules());
        assertEquals(List.of("third", "act 12"), fresh.actions());
        assertEquals(1500, fresh.field(Column.FRAME_LENGTH).get(0));
        assertEquals(0, fresh.field(HeaderWord.IP).get(0));
    }

    @Test
    void singleVerdictsNameTheHistoryOfTheirVersion() throws Exception {
        PendingBlock pending = pending();
        pending.runs = List.of(of("old", firstRun(1)), of("new", run(3, 12, "none")));
        assertEquals(
                List.of("old", "new", "new"),
                records("none", pending).stream().map(Verdict::history).toList());
    }

    /** A verdict is a number of its version: 1 is rule 71 in one, 70 in the other. */
    @Test
    void rulesOfSeveralVersionsAreNamedByTheirIds() throws Exception {
        PendingBlock pending = pending();
        pending.runs = List.of(firstRun(2), run(3, 13, "none"));
        VerdictBlock block = block("none", pending);
        assertEquals(71L, block.ruleId(0));
        assertNull(block.ruleId(1));
        assertEquals(71L, block.ruleId(2));
        assertArrayEquals(new long[] {71}, block.rules());
        assertEquals(List.of(), block.actions());
    }

    @Test
    void aRuleWithAnotherActionInAnotherVersionIsNamedAgain() throws Exception {
        PendingBlock pending = pending();
        pending.verdicts[0] = 0;
        pending.verdicts[2] = 1;
        pending.runs = List.of(firstRun(2), run(3, 13, "all"));
        VerdictBlock block = block("action", pending);
        assertArrayEquals(new long[] {70, 70}, block.rules());
        assertEquals("allow", block.action(0));
        assertEquals("act 13", block.action(2));
        assertEquals("", block.action(1), "the default action, which differs");
    }

    @Test
    void singleVerdictsHaveVersionsAndStatusesOfTheirOwn() throws Exception {
        PendingBlock pending = pending();
        pending.verdicts[2] = 1;
        pending.runs = List.of(firstRun(1), run(3, 14, "other"));
        pending.statuses = new byte[] {0, (byte) VerdictStatus.LATE.code(), 0};
        List<Verdict> verdicts = records("none", pending);
        assertEquals(12, verdicts.get(0).version());
        assertEquals(14, verdicts.get(1).version());
        assertEquals("other", verdicts.get(1).action());
        assertEquals(VerdictStatus.LATE, verdicts.get(1).status());
        assertEquals("act 14", verdicts.get(2).action());
        assertEquals(VerdictStatus.OK, verdicts.get(2).status());
    }

    @Test
    void namesAreReadInAnyOrderAndCase() {
        assertEquals(
                VerdictFields.of(List.of(PacketField.IP_SRC, PacketField.of(Field.VLAN_ID))),
                VerdictFields.parse(" VLAN-ID, ip-src"));
        assertEquals(VerdictFields.FIVE_TUPLE, VerdictFields.parse("5-tuple"));
        assertEquals(VerdictFields.NONE, VerdictFields.parse("none"));
        VerdictFields all = VerdictFields.parse("all");
        assertEquals(PacketField.values(), all.fields());
        assertTrue(all.actions());
        assertEquals(all, VerdictFields.parse("action,all,5-tuple"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ip_src", "5-tuple,", "payload"})
    void anUnknownNameIsRefusedWithThoseThatThereAre(String text) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> VerdictFields.parse(text))
                        .getMessage();
        assertTrue(message.contains("5-tuple, action, in-port"), message);
    }
}
