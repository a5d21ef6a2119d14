/**
 * The history of the rules: its versions, the time from which each is in force, and how two differ.
 *
 * <p>{@link dev.sluice.operators.rules.history.RuleLog} keeps what a checkpoint needs to go on from
 * the newest version. {@link dev.sluice.operators.rules.history.RecordedHistory} keeps all versions
 * that packets can still ask for in event time.
 *
 * <p>In event time {@link dev.sluice.operators.rules.history.PacketTimes} gives each packet of a
 * flow shard the time that it is judged at. {@link dev.sluice.operators.rules.history.Timeline}
 * finds the version that was in force then. {@link dev.sluice.operators.rules.history.VersionRun}
 * is a run of packets of a block that one version judges. Verdicts depend only on the history and
 * on the packets' order within their shard, so a replay gives the same verdicts at any parallelism.
 * {@link dev.sluice.operators.rules.history.HistoryFollower} says up to which time the history is
 * known.
 *
 * <p>{@link dev.sluice.operators.rules.history.VersionDiff} is the difference of two versions by
 * the ids of their rules. {@link dev.sluice.operators.rules.history.RuleDiff} first finds a file's
 * rules among those of a version.
 */
@NullMarked
package dev.sluice.operators.rules.history;

import org.jspecify.annotations.NullMarked;
