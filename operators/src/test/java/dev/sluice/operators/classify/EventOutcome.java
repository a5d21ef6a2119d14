package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.operators.statistics.GroupedHits;
import dev.sluice.operators.statistics.PlainCount;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** What came out of a run: verdict blocks by shard, dead letters, hits. */
final class EventOutcome {

    final Map<Integer, List<byte[]>> byShard = new HashMap<>();
    final List<DeadLetter> letters = new ArrayList<>();
    final PlainCount counted = new PlainCount();

    /** Verdicts by status, as the tasks of the last attempt count them. */
    final Map<String, Long> statuses = new TreeMap<>();

    void take(OperatorHarness task) throws Exception {
        for (Object element : task.getOutput()) {
            Tuple2<?, ?> pair = (Tuple2<?, ?>) ((StreamRecord<?>) element).getValue();
            byShard.computeIfAbsent((Integer) pair.f0, s -> new ArrayList<>())
                    .add((byte[]) pair.f1);
        }
        task.getOutput().clear();
        task.verdictCounts().forEach((status, count) -> statuses.merge(status, count, Long::sum));
        Queue<StreamRecord<byte[]>> dead = task.getSideOutput(ClassifyOperator.DEAD_LETTERS);
        if (dead != null) {
            for (StreamRecord<byte[]> letter : dead) {
                letters.add(DeadLetter.decode(letter.getValue()));
            }
            dead.clear();
        }
        Queue<StreamRecord<GroupedHits>> hits = task.getSideOutput(ClassifyOperator.HITS);
        if (hits != null) {
            hits.forEach(record -> counted.add(record.getValue()));
            hits.clear();
        }
    }

    void same(EventOutcome other) {
        assertEquals(byShard.keySet(), other.byShard.keySet());
        byShard.forEach(
                (shard, messages) -> {
                    List<byte[]> others = other.byShard.get(shard);
                    assertEquals(messages.size(), others.size());
                    for (int i = 0; i < messages.size(); i++) {
                        assertArrayEquals(messages.get(i), others.get(i), "shard " + shard);
                    }
                });
    }

    /** Compares with the reference: every packet once, and what was counted. */
    void check(EventTraffic traffic) throws Exception {
        Map<Long, EventTraffic.Judged> seen = new HashMap<>();
        for (List<byte[]> messages : byShard.values()) {
            for (byte[] message : messages) {
                VerdictBlock block = VerdictBlock.decode(message);
                for (int i = 0; i < block.count(); i++) {
                    Long rule = block.ruleId(i);
                    seen.put(
                            block.packets().get(i),
                            new EventTraffic.Judged(
                                    rule == null ? -1 : rule,
                                    block.versionOf(i),
                                    block.history(),
                                    block.status(i)));
                }
            }
        }
        assertEquals(traffic.expected.size(), seen.size());
        traffic.expected.forEach(
                (packet, judged) -> assertEquals(judged, seen.get(packet), "packet " + packet));
        assertEquals(traffic.counted.sums, counted.sums);
        Map<String, Long> expected = new TreeMap<>();
        traffic.expected
                .values()
                .forEach(judged -> expected.merge(judged.status().name(), 1L, Long::sum));
        assertEquals(expected, statuses);
    }
}
