/**
 * What a job that runs shows: its figures, from the metrics of an embedded cluster ({@link
 * dev.sluice.job.watch.MetricBoard}) or a cluster's REST interface, and the status line made of
 * them.
 */
@NullMarked
package dev.sluice.job.watch;

import org.jspecify.annotations.NullMarked;
