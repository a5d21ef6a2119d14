/**
 * Display of a running job's status.
 *
 * <p>{@link dev.sluice.job.watch.JobFigures} come from the metrics of an embedded cluster ({@link
 * dev.sluice.job.watch.MetricBoard}) or from a cluster's REST interface ({@link
 * dev.sluice.job.watch.JobRest}). {@link dev.sluice.job.watch.JobWatch} formats them ({@link
 * dev.sluice.job.watch.StatusText}) and shows them at an interval as a {@link
 * dev.sluice.job.watch.StatusLine}.
 */
@NullMarked
package dev.sluice.job.watch;

import org.jspecify.annotations.NullMarked;
