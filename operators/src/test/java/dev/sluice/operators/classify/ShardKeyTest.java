package dev.sluice.operators.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class ShardKeyTest {
    @Test
    void everyNumberIsTheKeyOfOneShard() {
        IntStream edges =
                IntStream.of(0, 1, 127, 128, -1, -128, Integer.MIN_VALUE, Integer.MAX_VALUE);
        IntStream.concat(edges, TestSeed.random(5).ints(10_000))
                .forEach(
                        number -> {
                            assertThat(ShardKey.shard(ShardKey.of(number))).isEqualTo(number);
                            assertThat(ShardKey.of(ShardKey.shard(number))).isEqualTo(number);
                        });
    }

    /** Of Flink's own assignment: should its hash change, shards were where they fall. */
    @Test
    void subtasksHaveAboutAsManyShardsAsOthers() {
        for (int parallelism : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64}) {
            int groups = KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
            for (int shards = parallelism; shards <= 1024; shards++) {
                int[] counts = counts(shards, groups, parallelism);
                double even = (double) shards / parallelism;
                // A range has a group more than another, and at its ends others' shards.
                double most = even * (1 + (double) parallelism / groups) + 2;
                assertThat(Arrays.stream(counts).max().orElseThrow())
                        .as("%d shards, %d subtasks", shards, parallelism)
                        .isLessThanOrEqualTo((int) most);
            }
        }
    }

    @Test
    void powersOfTwoAreDividedEquallyWhateverTheNumberOfGroups() {
        for (int groups = 1;
                groups <= KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM;
                groups *= 2) {
            for (int parallelism = 1; parallelism <= Math.min(groups, 256); parallelism *= 2) {
                for (int shards = parallelism; shards <= 1024; shards *= 2) {
                    assertThat(counts(shards, groups, parallelism))
                            .as("%d shards, %d groups, %d subtasks", shards, groups, parallelism)
                            .containsOnly(shards / parallelism);
                }
            }
        }
    }

    private static int[] counts(int shards, int groups, int parallelism) {
        int[] counts = new int[parallelism];
        for (int shard = 0; shard < shards; shard++) {
            counts[
                    KeyGroupRangeAssignment.assignKeyToParallelOperator(
                            ShardKey.of(shard), groups, parallelism)]++;
        }
        return counts;
    }
}
