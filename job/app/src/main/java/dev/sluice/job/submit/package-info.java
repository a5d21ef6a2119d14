/**
 * Submission of a job to the place where it runs. A {@link dev.sluice.job.submit.Job} is a graph
 * with its options: {@link dev.sluice.job.submit.KafkaJob} or {@link
 * dev.sluice.job.submit.CaptureJob}. A {@link dev.sluice.job.submit.Target} runs it:
 *
 * <pre>
 * ThisProcess    an embedded cluster, until the job ends or is stopped
 * ClusterTarget  the cluster that 'sluice cluster up' has started
 * RemoteCluster  any Flink cluster, by its REST interface
 * FlinkClient    wherever 'flink run' says
 * </pre>
 *
 * {@link dev.sluice.job.submit.JobConsole} prints for all of them.
 */
@NullMarked
package dev.sluice.job.submit;

import org.jspecify.annotations.NullMarked;
