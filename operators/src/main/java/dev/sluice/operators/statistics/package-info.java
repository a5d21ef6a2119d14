/**
 * Rule statistics: packets, bytes, first and last hit of each rule, counted exactly and once.
 *
 * <p>Counting is in two steps. {@link dev.sluice.operators.statistics.HitCounter} is where verdicts
 * are: it adds packets up in arrays by the verdict's number, with no object a packet, and hands out
 * a row a rule before each checkpoint barrier, so that what it holds is never part of a checkpoint.
 * The rows of a key group travel in one message ({@link
 * dev.sluice.operators.statistics.HitGroups}). {@link
 * dev.sluice.operators.statistics.StatisticsOperator} adds the hits of all subtasks to its state,
 * one table a history and key group, and emits the sums, cumulative, before its own barrier. A
 * committed transaction thus holds the sums over exactly the packets whose offsets its checkpoint
 * holds: none is lost or counted twice, whatever fails between.
 *
 * <p>Windows are tumbling windows of the packets' times. No watermark closes them: a late packet is
 * added to its window, whose sums are emitted anew under the same key. A rule's state holds its
 * newest windows; a packet of an older one is counted under a part of its own ({@link
 * dev.sluice.operators.statistics.WindowBook}).
 *
 * <p>{@link dev.sluice.operators.statistics.JobCounts} are of whole jobs: how many verdicts and
 * dead letters of each kind there were, for the end of a job that ends.
 *
 * <p>Memory: 4 bytes a rule and subtask for places, all else by rules that are hit.
 */
@NullMarked
package dev.sluice.operators.statistics;

import org.jspecify.annotations.NullMarked;
