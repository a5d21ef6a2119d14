package dev.sluice.operators.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class RuleHitTableTest {
    private static final RuleHitTableSerializer SERIALIZER = RuleHitTableSerializer.INSTANCE;

    private static void addSome(RuleHitTable table, PlainCount expected, Random random) {
        for (int i = random.nextInt(300); i > 0; i--) {
            boolean matched = random.nextInt(5) > 0;
            Long rule = matched ? random.nextLong() >> random.nextInt(64) : null;
            long time = random.nextInt(4) > 0 ? random.nextLong(1_000) - 500 : Column.NO_TIME;
            long packets = 1 + random.nextInt(9);
            RuleStatistics hits =
                    new RuleStatistics(
                            "h", rule, 0, Column.NO_TIME, 0, packets, 60, time, time, 3, 4);
            PlainCount.add(hits, table);
            expected.add(hits);
        }
    }

    private static PlainCount counted(RuleHitTable table) {
        PlainCount counted = new PlainCount();
        counted.add(table.rows("h", 0));
        return counted;
    }

    @Test
    void aCopyAndWhatWasWrittenDownStayAsTheyWere() throws IOException {
        Random random = TestSeed.random(1);
        RuleHitTable table = new RuleHitTable();
        PlainCount expected = new PlainCount();
        for (int round = 0; round < 30; round++) {
            addSome(table, expected, random);
            assertEquals(expected.sums, counted(table).sums);
            PlainCount before = counted(table);
            RuleHitTable copy = SERIALIZER.copy(table);
            DataOutputSerializer out = new DataOutputSerializer(16);
            SERIALIZER.serialize(table, out);
            addSome(table, expected, random);
            RuleHitTable read =
                    SERIALIZER.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
            assertEquals(before.sums, counted(copy).sums);
            assertEquals(before.sums, counted(read).sums);
            addSome(copy, before, random);
            assertEquals(before.sums, counted(copy).sums);
        }
    }

    @Test
    void rulesOfAGroupAreInTheKeyGroupOfItsKey() throws Exception {
        Random random = TestSeed.random(2);
        for (int count : new int[] {1, 7, 128}) {
            HitGroups groups = new HitGroups(count);
            for (String history : List.of("", "one", "other")) {
                RuleHitTable table = new RuleHitTable();
                PlainCount expected = new PlainCount();
                addSome(table, expected, random);
                List<GroupedHits> split = new ArrayList<>();
                groups.split(table.rows("h" + history, 0), split::add);
                Set<Integer> seen = new HashSet<>();
                int rows = 0;
                for (GroupedHits hits : split) {
                    int group =
                            KeyGroupRangeAssignment.assignToKeyGroup(
                                    StatisticsOperator.KEY.getKey(hits), count);
                    assertTrue(seen.add(group), "a group came twice");
                    HitRows of = hits.unpack();
                    rows += of.size();
                    for (int row = 0; row < of.size(); row++) {
                        Tuple3<String, Boolean, Long> key =
                                Tuple3.of(of.history(), of.matched(row), of.ruleId(row));
                        assertEquals(group, KeyGroupRangeAssignment.assignToKeyGroup(key, count));
                        assertEquals(hits.group(), groups.nameOf(key.f0, key.f1, key.f2));
                    }
                }
                assertEquals(table.size(), rows);
            }
        }
    }
}
