/**
 * Captures to verdicts in this process, without Kafka and Flink: one thread reads and parses
 * ({@link dev.sluice.job.classify.CaptureFeed}), the caller's classifies, and one writes the
 * verdict file that {@code replay} would write ({@link dev.sluice.job.classify.VerdictWriter}).
 * Memory is constant: some batches.
 */
@NullMarked
package dev.sluice.job.classify;

import org.jspecify.annotations.NullMarked;
