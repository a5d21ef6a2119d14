/**
 * The packets topic as a source of the job: whatever form packets have there, they leave it as
 * messages of blocks under their flow shard, or as dead letters.
 *
 * <p>The connector reads a topic record by record: an element of the source, an output and a
 * network record for each. That is nothing beside a block of thousands of headers, and most of the
 * cost of a single one. So {@link dev.sluice.job.packets.PacketSplitReader} turns what a poll
 * brought of a partition into few elements before the connector sees them: {@link
 * dev.sluice.job.packets.PacketBatch}es, each with the blocks of up to {@link
 * dev.sluice.job.packets.PacketBatcher#CAPACITY} packets. All of a batch is emitted in one step and
 * the offset behind it set in the same, so that a checkpoint never falls within a batch.
 *
 * <p>Of the connector, splits and their serializers are used as they are, and enumerator and reader
 * are wrapped: state of jobs from before is read, and offsets are committed as ever. The {@link
 * dev.sluice.job.packets.WatchingEnumerator} looks after all topics of the job, the {@link
 * dev.sluice.job.packets.PacketSourceReader} notes beside each offset where the checkpoint before
 * was, and messages that were deleted unread end the job with a sentence.
 */
@NullMarked
package dev.sluice.job.packets;

import org.jspecify.annotations.NullMarked;
