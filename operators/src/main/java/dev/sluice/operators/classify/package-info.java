/**
 * The classify operator: packet blocks and rule messages in, verdicts out.
 *
 * <p>Looking up single headers or small blocks would pay a batch's costs for few headers: a mail, a
 * change of threads, on a GPU a launch. So {@link dev.sluice.operators.classify.BatchPipeline}
 * fills batches with the headers of many blocks, whatever their keys, and submits a batch when it
 * is full or has waited long enough. {@link dev.sluice.operators.classify.LookupWorker} looks up
 * and encodes in a thread of its own, so that Flink's thread decodes and fills meanwhile; on a GPU
 * it keeps several batches under way, so that copies and kernels overlap. Verdicts are emitted in
 * Flink's thread alone and in the order of the packets.
 *
 * <p>{@link dev.sluice.operators.classify.ClassifyOperator} is what ties this to Flink: inputs,
 * mailbox, metrics, checkpoints. Which rules judge a packet, a {@link
 * dev.sluice.operators.classify.TimeMode} says; {@link dev.sluice.operators.classify.PacketGate}
 * keeps packets as state until that is known. Before a barrier everything in flight is emitted, so
 * that the state is the rules ({@link dev.sluice.operators.classify.RuleState}) and what waits for
 * them, and a checkpoint waits for at most the batches in flight.
 */
@NullMarked
package dev.sluice.operators.classify;

import org.jspecify.annotations.NullMarked;
