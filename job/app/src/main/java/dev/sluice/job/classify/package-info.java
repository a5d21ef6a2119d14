/**
 * Classification of captures in this process, without Kafka and Flink.
 *
 * <p>One thread reads and parses ({@link dev.sluice.job.classify.CaptureFeed}), the caller's thread
 * classifies, and one thread writes the same verdict file as {@code replay} ({@link
 * dev.sluice.job.classify.VerdictWriter}). {@link dev.sluice.job.classify.PacketFilter} writes the
 * packets of selected verdicts as a capture instead. Memory is constant: some batches.
 */
@NullMarked
package dev.sluice.job.classify;

import org.jspecify.annotations.NullMarked;
