/**
 * Replay of captures through the whole corridor in one process.
 *
 * <p>{@link dev.sluice.job.replay.Replay} starts an embedded broker and an embedded Flink cluster,
 * publishes the rules ({@link dev.sluice.job.replay.RuleVersionFile}), exports the captures'
 * headers and collects the verdicts. Spool files restore the capture order at any parallelism. The
 * result is a verdict file ({@link dev.sluice.job.replay.VerdictLine}) and a summary of hits.
 */
@NullMarked
package dev.sluice.job.replay;

import org.jspecify.annotations.NullMarked;
