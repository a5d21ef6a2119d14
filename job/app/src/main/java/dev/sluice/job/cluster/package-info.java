/**
 * A Flink cluster on this machine: a JobManager, TaskManagers and a broker, which outlive the
 * command that starts them.
 *
 * <p>All files lie in one {@link dev.sluice.job.cluster.ClusterFolder}, so that later commands find
 * the cluster again. {@link dev.sluice.job.cluster.ClusterStart} starts the processes, {@link
 * dev.sluice.job.cluster.ClusterWatch} restarts TaskManagers, and {@link
 * dev.sluice.job.cluster.ClusterEnd} ends all. {@link dev.sluice.job.cluster.JobEnd} stops single
 * jobs, with a savepoint or without.
 */
@NullMarked
package dev.sluice.job.cluster;

import org.jspecify.annotations.NullMarked;
