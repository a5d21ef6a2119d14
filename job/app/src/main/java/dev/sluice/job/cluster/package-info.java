/**
 * A Flink cluster with a broker beside it as processes of one machine, which outlive the command
 * that starts them. All of it lies in one folder: {@link dev.sluice.job.cluster.ClusterFolder}.
 */
@NullMarked
package dev.sluice.job.cluster;

import org.jspecify.annotations.NullMarked;
