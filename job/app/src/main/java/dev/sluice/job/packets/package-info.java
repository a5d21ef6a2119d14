/**
 * Source of the packets topic. For all forms of packets it emits messages of blocks with their flow
 * shard, or dead letters.
 *
 * <p>The connector reads a topic record by record: each costs an element of the source, an output
 * and a network record. That is negligible for a block of thousands of headers, and most of the
 * cost of a single header. {@link dev.sluice.job.packets.PacketSplitReader} therefore converts a
 * poll's messages of a partition to few elements before the connector sees them. An element is a
 * {@link dev.sluice.job.packets.PacketBatch} with the blocks of up to {@link
 * dev.sluice.job.packets.PacketBatcher#CAPACITY} packets. The reader emits a whole batch and sets
 * the next offset in one step, so that a checkpoint never divides a batch.
 *
 * <p>The connector's splits and their serializers are used unchanged; enumerator and reader are
 * wrapped. The {@link dev.sluice.job.packets.WatchingEnumerator} watches all topics of the job. The
 * {@link dev.sluice.job.packets.PacketSourceReader} commits the place of the checkpoint before with
 * each offset. Messages that were deleted unread end the job with a sentence.
 */
@NullMarked
package dev.sluice.job.packets;

import org.jspecify.annotations.NullMarked;
