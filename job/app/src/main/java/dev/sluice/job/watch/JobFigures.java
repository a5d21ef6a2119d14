package dev.sluice.job.watch;

import java.util.Map;

/**
 * Where a job stands.
 *
 * @param metrics the sums, or what {@link JobMetric} says, over all tasks; those that no task told
 *     of are absent
 * @param checkpoints checkpoints that were completed since the job's start
 * @param failedCheckpoints checkpoints that failed since then
 * @param checkpointMillis when the newest one was complete, in ms since 1970; -1: there is none
 */
public record JobFigures(
        Map<JobMetric, Double> metrics,
        long checkpoints,
        long failedCheckpoints,
        long checkpointMillis) {
    /** Nothing is known. */
    public static final JobFigures NONE = new JobFigures(Map.of(), 0, 0, -1);

    /** Figures; the metrics that are not numbers are as if absent. */
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

    /** Whether any task told of a metric. */
    boolean has(JobMetric metric) {
        return metrics.containsKey(metric);
    }

    /** A metric; 0 where it is absent. */
    public long number(JobMetric metric) {
        return Math.round(metrics.getOrDefault(metric, 0.0));
    }

    /** A metric that is a share; 0 where it is absent. */
    double share(JobMetric metric) {
        return metrics.getOrDefault(metric, 0.0);
    }
}
