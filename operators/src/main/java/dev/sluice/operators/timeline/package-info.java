/**
 * Event time: which version of the rules was in force at the time of a packet.
 *
 * <p>{@link dev.sluice.operators.timeline.PacketTimes} gives each packet of a flow shard the time
 * that it is judged at, {@link dev.sluice.operators.timeline.Timeline} the version that was in
 * force then, and {@link dev.sluice.operators.timeline.VersionRuns} cuts a block into runs of
 * packets of one version. All of it depends on the packets' order within their shard and on the
 * history of the rules alone, so that a replay gives the same verdicts at any parallelism.
 *
 * <p>{@link dev.sluice.operators.timeline.SharedTimeline} reads a {@link
 * dev.sluice.operators.timeline.RecordedHistory} once a process, and in a live job goes on, so that
 * the timeline says up to which time it is known, and {@link dev.sluice.operators.timeline.Walkers}
 * make its versions ready for look-ups.
 */
@NullMarked
package dev.sluice.operators.timeline;

import org.jspecify.annotations.NullMarked;
