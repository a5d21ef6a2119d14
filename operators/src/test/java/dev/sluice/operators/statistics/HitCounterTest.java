package dev.sluice.operators.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.CountedRules;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HitCounterTest {
    /**
     * Rules whose verdict v names rule {@code ids[v]}.
     *
     * @param numbering the same for rules that number alike
     */
    private record Rules(String history, long version, long[] ids, Object numbering)
            implements CountedRules {
        @Override
        public int slots() {
            return ids.length;
        }

        @Override
        public long ruleId(int verdict) {
            return ids[verdict];
        }

        @Override
        public boolean numbersAlike(CountedRules other) {
            return other instanceof Rules rules && numbering.equals(rules.numbering);
        }

        /** A version with rules behind these, or the same ones. */
        Rules changed(Random random, long newVersion) {
            long[] more = Arrays.copyOf(ids, ids.length + random.nextInt(3) * random.nextInt(60));
            for (int v = ids.length; v < more.length; v++) {
                more[v] = random.nextInt(200) * 0x9e3779b97f4a7c15L;
            }
            return new Rules(history, newVersion, more, numbering);
        }
    }

    private static Rules rules(Random random, String history, long version) {
        long[] ids = new long[1 + random.nextInt(200)];
        int first = random.nextInt(50);
        for (int v = 0; v < ids.length; v++) {
            ids[v] = (first + v) * 0x9e3779b97f4a7c15L; // ids of several versions overlap
        }
        return new Rules(history, version, ids, new Object());
    }

    /** A block with or without times and lengths; some packets of a block with times have none. */
    private static PacketBlock block(Random random, int count, long start, long span) {
        long[] packets = new long[count];
        long[] times = new long[count];
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            packets[i] = i + 1;
            times[i] = start + random.nextLong(span);
            lengths[i] = random.nextInt(10) == 0 ? -1 - random.nextInt(9) : random.nextInt(1500);
        }
        if (random.nextInt(4) == 0) {
            times[random.nextInt(count)] = Column.NO_TIME;
        }
        List<Column> columns = new ArrayList<>();
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        if (random.nextInt(5) > 0) {
            columns.add(Column.ofLongs(Column.TIME_NS, times, 0, count));
        }
        if (random.nextInt(5) > 0) {
            columns.add(Column.ofWords(Column.FRAME_LENGTH, lengths, 0, count));
        }
        return new PacketBlock("c", 0, 0, 1, count, columns);
    }

    @Test
    void packetsThatCameToNoEarlierStageAreNotCounted() {
        PacketBlock block = block(new Random(1), 2500, 0, 100);
        HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
        Rules rules = new Rules("h", 1, new long[] {7, 8}, new Object());
        int[] verdicts = new int[block.count()];
        Arrays.setAll(verdicts, i -> i % 3 - 1);
        counter.count(block, verdicts, 4, 2490, rules, true);
        List<RuleStatistics> hits = new ArrayList<>();
        counter.drain(rows -> rows.forEach(hits::add));
        hits.sort(Comparator.comparing(RuleStatistics::ruleId));
        assertEquals(List.of(7L, 8L), hits.stream().map(RuleStatistics::ruleId).toList());
        assertEquals(List.of(830L, 830L), hits.stream().map(RuleStatistics::packets).toList());
    }

    @ParameterizedTest
    @CsvSource({"0, 65536", "1000, 65536", "0, 7", "1000, 7", "1, 50"})
    void hitsAreThoseOfAPlainCountOverChangesOfRulesAndHistories(long windowNs, int most) {
        Random random = TestSeed.random(windowNs + most);
        HitCounter counter = new HitCounter(new StatisticsOptions(true, windowNs), most);
        PlainCount expected = new PlainCount();
        PlainCount counted = new PlainCount();
        Rules rules = rules(random, "a", 1);
        for (int round = 0; round < 300; round++) {
            if (random.nextInt(3) == 0) {
                if (random.nextInt(3) == 0) {
                    String history = random.nextInt(5) == 0 ? "b" : rules.history;
                    rules = rules(random, history, random.nextInt(100));
                } else { // forwards but for a few
                    rules = rules.changed(random, rules.version + random.nextInt(9) - 1);
                }
            }
            PacketBlock block =
                    block(random, 1 + random.nextInt(3000), round * 700L - 50_000, 2500);
            int[] verdicts = new int[block.count()];
            int from = random.nextInt(block.count());
            int count = random.nextInt(block.count() - from + 1);
            for (int i = 0; i < verdicts.length; i++) {
                verdicts[i] = random.nextInt(rules.ids.length + 1) - 1;
                if (i >= from && i < from + count) {
                    expect(expected, rules, block, i, verdicts[i], windowNs);
                }
            }
            counter.count(block, verdicts, from, count, rules, false);
            if (random.nextInt(4) == 0) {
                counter.takeFull(counted::add);
            }
            if (random.nextInt(10) == 0) {
                counter.drain(counted::add);
                assertEquals(expected.sums, counted.sums);
            }
        }
        counter.drain(counted::add);
        assertEquals(expected.sums, counted.sums);
        counter.drain(
                hits -> {
                    throw new AssertionError("handed out twice: " + hits.size());
                });
    }

    private static void expect(
            PlainCount expected,
            Rules rules,
            PacketBlock block,
            int i,
            int verdict,
            long windowNs) {
        Column times = block.column(Column.TIME_NS);
        Column lengths = block.column(Column.FRAME_LENGTH);
        expected.packet(
                rules.history,
                verdict < 0 ? null : Long.valueOf(rules.ids[verdict]),
                times == null ? Column.NO_TIME : times.get(i),
                lengths == null ? 0 : lengths.get(i),
                rules.version,
                windowNs);
    }

    @Test
    void manyRulesAreHandedOutBeforeAnyoneAsks() {
        HitCounter counter = new HitCounter(StatisticsOptions.TOTALS, 100);
        long[] ids = new long[1000];
        for (int v = 0; v < ids.length; v++) {
            ids[v] = v;
        }
        Rules rules = new Rules("", 1, ids, "");
        int[] verdicts = new int[100];
        List<RuleStatistics> early = new ArrayList<>();
        for (int part = 0; part < 10; part++) {
            for (int i = 0; i < 100; i++) {
                verdicts[i] = part * 100 + i;
            }
            counter.count(verdicts, 0, 100, new long[100], new int[100], rules);
            counter.takeFull(rows -> rows.forEach(early::add));
            assertEquals(100 * (part + 1), early.size());
        }
        counter.drain(rows -> rows.forEach(early::add));
        assertEquals(1000, early.size());
    }

    @Test
    void windowsReachFromTheLeastTimeToTheGreatest() {
        long century = 36_500L * 86_400 * 1_000_000_000;
        HitCounter counter = new HitCounter(new StatisticsOptions(true, century));
        Rules rules = new Rules("", 1, new long[] {5}, "");
        long[] times = {
            Long.MIN_VALUE + 1, Long.MAX_VALUE, -century - 1, -century, -1, 0, century - 1, century
        };
        counter.count(new int[8], 0, 8, times, new int[8], rules);
        List<Long> starts = new ArrayList<>();
        List<RuleStatistics> hits = new ArrayList<>();
        counter.drain(rows -> rows.forEach(hits::add));
        for (RuleStatistics window : hits) {
            starts.add(window.windowStartNs());
            assertTrue(window.windowStartNs() <= window.firstNs(), window.toString());
        }
        starts.sort(null);
        assertEquals(
                List.of(Long.MIN_VALUE + 1, -2 * century, -century, 0L, century, 2 * century),
                starts);
        assertEquals(8, hits.stream().mapToLong(RuleStatistics::packets).sum());
    }
}
