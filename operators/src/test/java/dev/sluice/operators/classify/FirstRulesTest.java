package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In processing time, packets that come before the first rules wait as keyed state. */
@Timeout(60)
class FirstRulesTest {
    private static final int SHARDS = 8;

    private final Versions versions = new Versions(TestSeed.of(1)).replace(Shape.FIREWALL, 10);
    private final CountDownLatch published = new CountDownLatch(1);

    private static ClassifyOptions options() {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("tuple"))
                        .withBudget(1 << 28)
                        .withGpu(GpuPool.Selection.OFF),
                10,
                60_000_000,
                2,
                SHARDS,
                VerdictFormat.BLOCKS,
                VerdictFields.NONE);
    }

    /** Brings the rules once they are published. */
    private RuleSource rules() {
        return new GivenTopic("", 0, published::await).give(versions.messages.get(0)).start();
    }

    /** First packets of the blocks that came out, by shard in the order of the blocks. */
    private static List<List<Long>> emitted(OperatorHarness task) throws Exception {
        List<List<Long>> byShard = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            byShard.add(new ArrayList<>());
        }
        for (Object element : task.getOutput()) {
            Tuple2<?, ?> pair = (Tuple2<?, ?>) ((StreamRecord<?>) element).getValue();
            VerdictBlock block = VerdictBlock.decode((byte[]) pair.f1);
            assertEquals(1, block.version());
            byShard.get((Integer) pair.f0).add(block.packets().get(0));
        }
        return byShard;
    }

    @Test
    void checkpointsPassWhilePacketsWaitAndTheirOrderStays() throws Exception {
        OperatorSubtaskState state;
        try (var task = OperatorHarness.create(options(), rules(), null, 1, 0)) {
            for (int block = 0; block < 3 * SHARDS; block++) {
                task.offer(OperatorHarness.block(block % SHARDS, 1 + 10L * block, 7));
            }
            task.drain(1);
            state = task.snapshot(1, 1);
            assertTrue(task.getOutput().isEmpty(), "packets were judged without rules");
            assertEquals(3 * SHARDS, task.waiting());
        }
        int waiting = 0;
        List<List<Long>> all = new ArrayList<>();
        published.countDown();
        for (int subtask = 0; subtask < 2; subtask++) {
            OperatorSubtaskState part = OperatorHarness.repartition(state, 1, 2, subtask);
            try (var task = OperatorHarness.create(options(), rules(), part, 2, subtask)) {
                waiting += task.waiting();
                int shard = OperatorHarness.shardOf(2, subtask);
                task.offer(OperatorHarness.block(shard, 1000, 1));
                task.awaitRules();
                task.drain(2);
                emitted(task).stream().filter(one -> !one.isEmpty()).forEach(all::add);
            }
        }
        assertEquals(3 * SHARDS, waiting);
        assertEquals(SHARDS, all.size());
        for (List<Long> shard : all) {
            assertEquals(shard.stream().sorted().toList(), shard);
        }
        assertEquals(3 * SHARDS + 2, all.stream().mapToInt(List::size).sum());
    }

    @Test
    void tooManyBytesHoldTheInputBackUntilTheRulesCome() throws Exception {
        var block = OperatorHarness.block(0, 1, 7);
        ClassifyOptions bounded = options().with(RulesTime.PROCESSING, block.getValue().f1.length);
        try (var task = OperatorHarness.create(bounded, rules(), null, 1, 0)) {
            task.offer(block);
            assertEquals(1, task.waiting());
            task.mail(published::countDown); // runs when the input is held back, and not before
            task.offer(OperatorHarness.block(0, 8, 7));
            assertEquals(0, published.getCount());
            assertEquals(0, task.waiting());
            task.drain(1);
            assertEquals(List.of(1L, 8L), emitted(task).get(0));
        }
    }
}
