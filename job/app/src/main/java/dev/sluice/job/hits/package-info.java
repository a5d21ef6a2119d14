/**
 * Rule statistics for people: which rules were hit how often, and which never, in the words of
 * their file.
 *
 * <p>Hits come from the statistics topics ({@link dev.sluice.job.hits.StatisticsTopic}) or from
 * captures that are classified here ({@link dev.sluice.job.hits.CaptureHits}); rules from a file or
 * from the rules topic ({@link dev.sluice.job.hits.TopicRules}). {@link
 * dev.sluice.job.hits.HitReport} brings them together.
 */
@NullMarked
package dev.sluice.job.hits;

import org.jspecify.annotations.NullMarked;
