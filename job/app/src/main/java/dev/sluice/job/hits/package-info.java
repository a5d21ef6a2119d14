/**
 * Reports on rule statistics: how often each rule was hit, and which rules never were.
 *
 * <p>Hits come from the statistics topics ({@link dev.sluice.job.hits.StatisticsTopic}) or from
 * captures that {@link dev.sluice.job.hits.CaptureHits} classifies. Rules come from a file or from
 * the rules topic ({@link dev.sluice.job.hits.TopicRules}). {@link dev.sluice.job.hits.HitReport}
 * joins them to rows; {@link dev.sluice.job.hits.HitTable} and {@link
 * dev.sluice.job.hits.HitSummary} print the rows.
 */
@NullMarked
package dev.sluice.job.hits;

import org.jspecify.annotations.NullMarked;
