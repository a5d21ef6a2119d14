package dev.sluice.job.watch;

import dev.sluice.operators.connections.TrackerCounts;
import java.util.Map;

/**
 * Figures of a running job: metrics over all tasks, and its checkpoints.
 *
 * @param metrics one number a metric, aggregated over the tasks as {@link JobMetric} declares; a
 *     metric that no task reports is absent
 * @param checkpoints completed checkpoints since the job's start
 * @param failedCheckpoints failed checkpoints since the job's start
 * @param checkpointMillis when the newest checkpoint was completed, in ms since 1970; -1: none
 */
public record JobFigures(
        Map<JobMetric, Double> metrics,
        long checkpoints,
        long failedCheckpoints,
        long checkpointMillis) {
    /** Figures of a job that has reported nothing. */
    public static final JobFigures NONE = new JobFigures(Map.of(), 0, 0, -1);

    /** Copies the metrics, without the values that are NaN. */
    public JobFigures {
        Map<JobMetric, Double> known = new java.util.EnumMap<>(JobMetric.class);
        metrics.forEach(
                (metric, value) -> {
                    if (!value.isNaN()) {
                        known.put(metric, value);
                    }
                });
        metrics = java.util.Collections.unmodifiableMap(known);
    }

    /** Tells whether any task reports a metric. */
    boolean has(JobMetric metric) {
        return metrics.containsKey(metric);
    }

    /** Returns a metric as a whole number; 0 where the metric is absent. */
    public long number(JobMetric metric) {
        return Math.round(metrics.getOrDefault(metric, 0.0));
    }

    /**
     * Returns the counts of connections, with those that had not ended at the last checkpoint where
     * the job counts them; all are 0 where it tracks none.
     */
    public TrackerCounts connections() {
        return new TrackerCounts(
                number(JobMetric.LIVE),
                number(JobMetric.CONNECTIONS),
                number(JobMetric.PICKED_UP),
                number(JobMetric.REFUSED),
                number(JobMetric.EVICTED),
                number(JobMetric.NOT_ENTERED),
                number(JobMetric.DOUBTFUL),
                number(JobMetric.ANSWERING),
                number(JobMetric.REEVALUATED),
                number(JobMetric.ENDED_BY_RULES),
                number(JobMetric.UNTOLD));
    }

    /** Returns a metric that is a share; 0 where the metric is absent. */
    double share(JobMetric metric) {
        return metrics.getOrDefault(metric, 0.0);
    }
}
