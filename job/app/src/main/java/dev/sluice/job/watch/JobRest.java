package dev.sluice.job.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;

/**
 * Where a job of a Flink cluster stands, as the cluster's REST interface tells; some seconds old,
 * as the JobManager collects metrics every 10 s unless its configuration says otherwise ({@code
 * metrics.fetcher.update-interval}). Used by one thread.
 */
public final class JobRest {
    private final RestInterface job;

    /**
     * Numbers of checkpoints that failed. Flink's count of them has those, too, that were not
     * triggered, as while tasks start; its history, of the newest ten, has not.
     */
    private final Set<Long> failed = new HashSet<>();

    /** Tells of a job of the cluster whose REST interface listens there. */
    public JobRest(String host, int port, String jobId) {
        job = new RestInterface("http://" + host + ":" + port + "/jobs/" + jobId);
    }

    /** What the job is, as RUNNING or FAILED; empty if nobody answers. */
    public Optional<String> state() throws InterruptedException {
        return job.get("").map(all -> all.path("state").asText());
    }

    /** What the metrics say; what nobody tells of is absent. */
    public JobFigures figures() throws InterruptedException {
        Map<JobMetric, Double> values = new EnumMap<>(JobMetric.class);
        for (JsonNode vertex : job.get("").orElseGet(MissingNode::getInstance).path("vertices")) {
            String name = vertex.path("name").asText();
            for (JobMetric metric : JobMetric.values()) {
                if (name.contains(metric.operator())) {
                    read(vertex.path("id").asText(), metric, values);
                    addCoordinators(vertex.path("id").asText(), metric, values);
                }
            }
        }
        JsonNode checkpoints = job.get("/checkpoints").orElseGet(MissingNode::getInstance);
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

    /** Adds what the coordinator of a source knows beside its tasks, which is of partitions. */
    private void addCoordinators(String vertex, JobMetric metric, Map<JobMetric, Double> values)
            throws InterruptedException {
        if (metric != JobMetric.LAG) {
            return;
        }
        String name = metric.restId().replace(".", ".coordinator.enumerator.");
        for (JsonNode told :
                job.get("/vertices/" + vertex + "/jm-operator-metrics?get=" + name)
                        .orElseGet(MissingNode::getInstance)) {
            double more = told.path("value").asDouble(Double.NaN);
            if (!Double.isNaN(more)) {
                values.merge(metric, more, Double::sum);
            }
        }
    }

    /** Asks for one alone: where a vertex lacks one of several, nothing is told of any. */
    private void read(String vertex, JobMetric metric, Map<JobMetric, Double> values)
            throws InterruptedException {
        Optional<JsonNode> answer =
                job.get("/vertices/" + vertex + "/subtasks/metrics?get=" + metric.restId());
        for (JsonNode told : answer.orElseGet(MissingNode::getInstance)) {
            if (told.path("id").asText().equals(metric.restId())) {
                values.put(metric, told.path(metric.aggregation()).asDouble(Double.NaN));
            }
        }
    }
}
