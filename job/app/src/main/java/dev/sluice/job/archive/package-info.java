/**
 * Classification of captures in any file system of Flink's, by a job without Kafka.
 *
 * <p>{@link dev.sluice.job.archive.ArchiveJob} is the graph. Flink's file source assigns each
 * capture as a split, and {@link dev.sluice.job.archive.CaptureFormat} reads it as {@link
 * dev.sluice.job.archive.CapturePiece}s. Each piece is classified, written and counted as a whole:
 * a checkpoint contains all its output or none. So each verdict is written exactly once, also after
 * failures. The verdicts equal those of {@code classify}.
 */
@NullMarked
package dev.sluice.job.archive;

import org.jspecify.annotations.NullMarked;
