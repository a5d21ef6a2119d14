/**
 * Rule statistics: packets, bytes, first and last hit of each rule, counted exactly and once.
 *
 * <p>Counting is in two steps. {@link dev.sluice.operators.statistics.HitCounter} is where verdicts
 * are: it adds packets up in arrays by the verdict's number, with no object a packet, and hands out
 * one {@link dev.sluice.operators.statistics.RuleHits} a rule before each checkpoint barrier, so
 * that what it holds is never part of a checkpoint. {@link
 * dev.sluice.operators.statistics.StatisticsOperator} is keyed by history and rule: it adds the
 * hits of all subtasks to the rule's state and emits the sums, cumulative, before its own barrier.
 * A committed transaction thus holds the sums over exactly the packets whose offsets its checkpoint
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
