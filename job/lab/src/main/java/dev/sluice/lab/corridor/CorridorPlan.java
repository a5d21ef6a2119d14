package dev.sluice.lab.corridor;

import dev.sluice.job.cluster.CoreList;
import dev.sluice.operators.classify.PassedColumns;
import java.time.Duration;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Plan of a measurement of the whole job.
 *
 * @param headers to classify, at least
 * @param partitions of the topics of packets and verdicts
 * @param blockSize headers of a block
 * @param checkpoints time between two commits
 * @param compare whether a trivial job and Kafka alone are measured, too
 * @param warmHeaders that the job classifies before, from a topic of their own, and once more where
 *     rules are to change; 0: none
 * @param changeRate rules that go or come back a second in some runs of the job; 0: in none
 * @param delaySeconds of each share of the highest rate at which delays are measured; 0: none
 * @param sustainSeconds for which packets are loaded while they are classified; 0: not at all
 * @param phaseSeconds of each kind of change of the rules under a load; 0: none
 * @param loadRate headers a second of the last two; 0: a share of the highest rate
 * @param loaderCores on which the loading process is kept; null: on any
 * @param compression of packets that are written before, and of verdicts
 * @param columns how verdicts have packet numbers and times
 */
record CorridorPlan(
        long headers,
        int parallelism,
        int partitions,
        int blockSize,
        Duration checkpoints,
        boolean compare,
        long warmHeaders,
        double changeRate,
        int delaySeconds,
        int sustainSeconds,
        int phaseSeconds,
        double loadRate,
        @Nullable CoreList loaderCores,
        CompressionType compression,
        PassedColumns columns) {}
