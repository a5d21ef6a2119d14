package dev.sluice.operators.rules.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Times of packets, versions in force at them, and the runs that blocks are cut into. */
final class TimelineTest {
    private static final long NONE = Column.NO_TIME;

    private static PacketBlock block(long... times) {
        long[] numbers = new long[times.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i + 1;
        }
        return new PacketBlock(
                "c",
                0,
                0,
                1,
                times.length,
                List.of(
                        Column.ofLongs(Column.PACKET, numbers, 0, times.length),
                        Column.ofLongs(Column.TIME_NS, times, 0, times.length)));
    }

    @Test
    void ofEqualTimesTheLastVersionCounts() {
        Timeline timeline = Timeline.of(new long[] {10, 20, 20, 20, 30}, false);
        assertEquals(Timeline.NO_RULES, timeline.placeAt(9));
        assertEquals(Timeline.NO_RULES, timeline.placeAt(Long.MIN_VALUE));
        assertEquals(0, timeline.placeAt(10));
        assertEquals(0, timeline.placeAt(19));
        assertEquals(3, timeline.placeAt(20));
        assertEquals(3, timeline.placeAt(29));
        assertEquals(4, timeline.placeAt(Long.MAX_VALUE));
        assertEquals(Timeline.HISTORY_DELETED, Timeline.of(new long[] {10}, true).placeAt(9));
        assertEquals(Timeline.NO_RULES, Timeline.of(new long[0], false).placeAt(5));
    }

    @Test
    void timesThatDecreaseAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Timeline.of(new long[] {10, 9}, false));
    }

    @Test
    void packetsWithoutTimeTakeTheLargestSoFarAndLateOnesTheBound() {
        PacketTimes times = new PacketTimes(5);
        long largest = times.take(block(NONE, 100, NONE, 95, 94, 50, 120, 114, 115), NONE);
        assertEquals(120, largest);
        long[] judged = {NONE, 100, 100, 95, 95, 95, 120, 115, 115};
        boolean[] late = {false, false, false, false, true, true, false, true, false};
        for (int i = 0; i < judged.length; i++) {
            assertEquals(judged[i], times.judgedNs(i), "packet " + i);
            assertEquals(late[i], times.isLate(i), "packet " + i);
        }
        assertEquals(3, times.lateCount());
        assertEquals(120, times.take(block(1, NONE), largest));
        assertEquals(115, times.judgedNs(0));
        assertEquals(120, times.judgedNs(1));
    }

    @Test
    void boundsDoNotOverflow() {
        PacketTimes times = new PacketTimes(Long.MAX_VALUE);
        times.take(block(-5, Long.MIN_VALUE + 1, Long.MAX_VALUE, 7), NONE);
        assertEquals(0, times.lateCount());
        assertEquals(7, times.judgedNs(3));
        assertEquals(Long.MIN_VALUE + 1, times.judgedNs(1));
        assertThrows(IllegalArgumentException.class, () -> new PacketTimes(-1));
    }

    static LongStream numbers() {
        return LongStream.range(0, 200);
    }

    /** However a shard's packets are cut into blocks, each is judged alike. */
    @ParameterizedTest
    @MethodSource("numbers")
    void runsAreThoseOfTheDefinition(long seed) {
        Random random = TestSeed.random(seed);
        long[] effective = new long[random.nextInt(6)];
        long at = random.nextInt(20);
        for (int i = 0; i < effective.length; i++) {
            effective[i] = at;
            at += random.nextInt(4) * 5;
        }
        Timeline timeline = Timeline.of(effective, random.nextBoolean());
        long lateness = random.nextInt(4) * 4;
        long[] all = new long[1 + random.nextInt(60)];
        for (int i = 0; i < all.length; i++) {
            all[i] = random.nextInt(8) == 0 ? NONE : i / 2 + random.nextInt(12);
        }
        PacketTimes times = new PacketTimes(lateness);
        long largest = NONE;
        long expectedLargest = NONE;
        for (int from = 0; from < all.length; ) {
            int to = Math.min(all.length, from + 1 + random.nextInt(20));
            long[] part = Arrays.copyOfRange(all, from, to);
            largest = times.take(block(part), largest);
            List<VersionRun> runs = VersionRun.cut(times, part.length, timeline);
            int run = 0;
            for (int i = 0; i < part.length; i++) {
                while (i >= runs.get(run).end()) {
                    run++;
                }
                boolean late = false;
                long judged = part[i];
                if (judged == NONE) {
                    judged = expectedLargest;
                } else if (expectedLargest != NONE && judged < expectedLargest - lateness) {
                    judged = expectedLargest - lateness;
                    late = true;
                } else {
                    expectedLargest = Math.max(expectedLargest, judged);
                }
                int version = timeline.placeAt(judged);
                VerdictStatus status =
                        version == Timeline.NO_RULES
                                ? VerdictStatus.NO_RULES
                                : version == Timeline.HISTORY_DELETED
                                        ? VerdictStatus.HISTORY_DELETED
                                        : late ? VerdictStatus.LATE : VerdictStatus.OK;
                int index = runs.get(run).index();
                assertEquals(version, index, "seed " + seed + ", packet " + (from + i));
                assertEquals(
                        status,
                        VersionRun.status(index, times.isLate(i)),
                        "seed " + seed + ", packet " + (from + i));
            }
            assertEquals(runs.size() - 1, run, "seed " + seed + ": runs without packets");
            for (int r = 1; r < runs.size(); r++) {
                assertEquals(false, runs.get(r).index() == runs.get(r - 1).index(), "seed " + seed);
            }
            from = to;
        }
        assertEquals(expectedLargest, largest, "seed " + seed);
    }
}
