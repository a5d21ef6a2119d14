package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.statistics.PlainCount;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Blocks of random packets, in the order in which they come, and what judges each by its time. */
final class EventTraffic {
    static final int SHARDS = 8;
    static final long LATENESS = 25;

    /** What the reference says of a packet. */
    record Judged(long rule, long version, String history, VerdictStatus status) {}

    final List<PacketBlock> blocks = new ArrayList<>();
    final Map<Long, Judged> expected = new HashMap<>();
    final PlainCount counted = new PlainCount();
    private final Map<Integer, Long> largest = new HashMap<>();
    private final Versions versions;
    private final boolean truncated;

    EventTraffic(Versions versions, boolean truncated, Random random, int count) {
        this.versions = versions;
        this.truncated = truncated;
        long span = Versions.STEP_NS * versions.contents.size();
        long number = 0;
        for (int b = 0; b < count; b++) {
            int shard = random.nextInt(SHARDS);
            int packets = 1 + random.nextInt(30);
            long now = -40 + (span + 60) * b / count;
            long[] numbers = new long[packets];
            long[] times = new long[packets];
            List<int[]> headers = new ArrayList<>();
            for (int i = 0; i < packets; i++) {
                numbers[i] = ++number;
                times[i] =
                        switch (random.nextInt(12)) {
                            case 0 -> Column.NO_TIME;
                            case 1 -> now - random.nextInt(200);
                            default -> now + random.nextInt(30);
                        };
                headers.add(versions.header(random.nextInt(versions.contents.size())));
                judge(numbers[i], shard, times[i], headers.get(i));
            }
            Column at = Column.ofLongs(Column.TIME_NS, times, 0, packets);
            blocks.add(Packets.block(shard, SHARDS, numbers, headers, at));
        }
    }

    private void judge(long number, int shard, long time, int[] header) {
        long before = largest.getOrDefault(shard, Column.NO_TIME);
        long at = time == Column.NO_TIME ? before : time;
        boolean late = before != Column.NO_TIME && at < before - LATENESS;
        if (late) {
            at = before - LATENESS;
        } else if (at > before) {
            largest.put(shard, at);
        }
        int index = -1;
        for (int v = 0; v < versions.contents.size(); v++) {
            if (Versions.STEP_NS * v <= at) {
                index = v;
            }
        }
        Judged judged =
                index < 0
                        ? new Judged(
                                -1,
                                0,
                                versions.histories.get(0),
                                truncated ? VerdictStatus.HISTORY_DELETED : VerdictStatus.NO_RULES)
                        : new Judged(
                                versions.judge(index, header),
                                versions.contents.get(index).version(),
                                versions.histories.get(index),
                                late ? VerdictStatus.LATE : VerdictStatus.OK);
        expected.put(number, judged);
        counted.packet(
                judged.history,
                judged.rule < 0 ? null : Long.valueOf(judged.rule),
                time,
                0,
                judged.version,
                0);
    }
}
