/**
 * Captures of any file system that Flink has, judged by a job without Kafka: {@link
 * dev.sluice.job.archive.ArchiveJob} is its graph. Flink's file source hands captures out, one a
 * split, and {@link dev.sluice.job.archive.CaptureFormat} reads them into {@link
 * dev.sluice.job.archive.CapturePiece}s, each of which is judged, written and counted whole. The
 * verdicts are {@code classify}'s, once each, through failures too: a piece is behind a checkpoint
 * with all that was written of it, or not at all.
 */
@NullMarked
package dev.sluice.job.archive;

import org.jspecify.annotations.NullMarked;
