/**
 * The classify operator: packet blocks and rule messages in, verdicts out.
 *
 * <p>A look-up of single headers or small blocks would pay a batch's costs for few headers: a mail,
 * a change of threads, on a GPU a launch. {@link dev.sluice.operators.classify.BatchPipeline}
 * therefore fills batches with the headers of many blocks, whatever their keys. It submits a batch
 * when the batch is full or has waited long enough. {@link
 * dev.sluice.operators.classify.LookupWorker} looks up and encodes in a thread of its own, while
 * Flink's thread decodes and fills. On a GPU it keeps several batches under way, so that copies and
 * kernels overlap. Verdicts are emitted in Flink's thread alone and in the order of the packets.
 *
 * <p>{@link dev.sluice.operators.classify.ClassifyOperator} connects this to Flink: inputs,
 * mailbox, metrics, checkpoints. A {@link dev.sluice.operators.classify.TimeMode} decides which
 * rules judge a packet: {@link dev.sluice.operators.classify.ProcessingTime} or {@link
 * dev.sluice.operators.classify.EventTime}. {@link dev.sluice.operators.classify.PacketGate} keeps
 * packets as state until that is known. Before a barrier the operator emits everything in flight.
 * So its state is the rules ({@link dev.sluice.operators.classify.RuleState}) and the packets that
 * wait for them ({@link dev.sluice.operators.classify.WaitingPackets}), and a checkpoint waits for
 * at most the batches in flight.
 */
@NullMarked
package dev.sluice.operators.classify;

import org.jspecify.annotations.NullMarked;
