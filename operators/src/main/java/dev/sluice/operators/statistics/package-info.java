/**
 * Rule statistics: packets, bytes, first and last hit of each rule, counted exactly once.
 *
 * <p>Counting has two steps. {@link dev.sluice.operators.statistics.HitCounter} counts beside the
 * classifier, in arrays by the verdict's number, without an object for each packet. It emits a row
 * for each rule hit before each checkpoint barrier, so that its counts are never part of a
 * checkpoint. The rows of a key group travel in one message ({@link
 * dev.sluice.operators.statistics.HitGroups}). {@link
 * dev.sluice.operators.statistics.StatisticsOperator} adds the hits of all subtasks to its state, a
 * table for each history and key group, and emits the cumulative sums before its own barrier. A
 * committed transaction thus contains the sums over exactly the packets whose offsets its
 * checkpoint contains. No failure loses or repeats a count.
 *
 * <p>Windows are tumbling windows of the packets' times. No watermark closes a window: a late
 * packet is added to its window, whose sums are emitted again under the same key. A rule's state
 * holds its newest windows. A packet of an older window counts under a part of its own ({@link
 * dev.sluice.operators.statistics.WindowBook}).
 *
 * <p>{@link dev.sluice.operators.statistics.JobCounts} counts the verdicts and dead letters of a
 * whole job by kind, for the report at a job's end.
 *
 * <p>Memory: 4 bytes for each rule and subtask, the rest in proportion to the rules hit.
 */
@NullMarked
package dev.sluice.operators.statistics;

import org.jspecify.annotations.NullMarked;
