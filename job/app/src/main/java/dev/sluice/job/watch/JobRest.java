package dev.sluice.job.watch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;

/**
 * Figures of a job of a Flink cluster, read from the cluster's REST interface.
 *
 * <p>The figures are some seconds old: the JobManager collects metrics every 10 s unless its
 * configuration says otherwise ({@code metrics.fetcher.update-interval}). Used by one thread.
 */
public final class JobRest {
    private final RestInterface job;

    /**
     * Ids of failed checkpoints, from the history of the ten newest. Flink's own count also
     * includes checkpoints that were never triggered, such as those requested while tasks start.
     */
    private final Set<Long> failed = new HashSet<>();

    /**
     * Reads the figures of a job of the cluster whose REST interface listens on this host and port.
     */
    public JobRest(String host, int port, String jobId) {
        job = new RestInterface("http://" + host + ":" + port + "/jobs/" + jobId);
    }

    /**
     * Returns the job's state, such as RUNNING or FAILED; empty if the interface does not answer.
     */
    public Optional<String> state() throws InterruptedException {
        return job.get("").map(all -> all.path("state").asText());
    }

    /** Reads the figures; a metric that no task reports is absent. */
    public JobFigures figures() throws InterruptedException {
        Map<JobMetric, Double> values = new EnumMap<>(JobMetric.class);
        for (JsonNode vertex : job.read("").path("vertices")) {
            String name = vertex.path("name").asText();
            for (JobMetric metric : JobMetric.values()) {
                if (name.contains(metric.operator()) && !metric.isOfConnections()) {
                    read(vertex.path("id").asText(), metric, values);
                    addCoordinators(vertex.path("id").asText(), metric, values);
                }
            }
        }
        JsonNode checkpoints = job.read("/checkpoints");
        for (JsonNode ended : checkpoints.path("history")) {
            if (ended.path("status").asText().equals(CheckpointStatsStatus.FAILED.name())) {
                failed.add(ended.path("id").asLong());
            }
        }
        return new JobFigures(
                values,
                checkpoints.path("counts").path("completed").asLong(),
                failed.size(),
                checkpoints
                        .path("latest")
                        .path("completed")
                        .path("latest_ack_timestamp")
                        .asLong(-1));
    }

    /**
     * Adds the metric of a source's coordinator, which counts the records of unassigned partitions.
     */
    private void addCoordinators(String vertex, JobMetric metric, Map<JobMetric, Double> values)
            throws InterruptedException {
        if (metric != JobMetric.LAG) {
            return;
        }
        String name = metric.restId().replace(".", ".coordinator.enumerator.");
        for (JsonNode told : job.read("/vertices/" + vertex + "/jm-operator-metrics?get=" + name)) {
            double more = told.path("value").asDouble(Double.NaN);
            if (!Double.isNaN(more)) {
                values.merge(metric, more, Double::sum);
            }
        }
    }

    /**
     * Reads one metric with a request of its own. A vertex that lacks one of several requested
     * metrics reports none of them.
     */
    private void read(String vertex, JobMetric metric, Map<JobMetric, Double> values)
            throws InterruptedException {
        for (JsonNode told :
                job.read("/vertices/" + vertex + "/subtasks/metrics?get=" + metric.restId())) {
            if (told.path("id").asText().equals(metric.restId())) {
                values.put(metric, told.path(metric.aggregation()).asDouble(Double.NaN));
            }
        }
    }
}
