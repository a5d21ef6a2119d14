/**
 * Job graph of the corridor, its options, and its start in an embedded cluster.
 *
 * <p>{@link dev.sluice.job.graph.SluiceJob} builds the graph with the uids of its operators from
 * {@link dev.sluice.job.graph.JobOptions}. {@link dev.sluice.job.graph.LocalFlink} runs it in this
 * process. {@link dev.sluice.job.graph.Recovery} sets restarts and checkpoint time-outs. {@link
 * dev.sluice.job.graph.CheckpointFolder} and {@link dev.sluice.job.graph.SavedJob} check that a job
 * resumes from its own state only.
 */
@NullMarked
package dev.sluice.job.graph;

import org.jspecify.annotations.NullMarked;
