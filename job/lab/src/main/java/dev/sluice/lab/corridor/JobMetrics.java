package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.watch.RestInterface;
import dev.sluice.lab.backend.Classified;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.jspecify.annotations.Nullable;

/** Metrics of a job's classify operator and its checkpoints, by a cluster's REST interface. */
final class JobMetrics {
    /** Longest lag of metrics behind the operator: Flink asks every 10 s. */
    private static final long LAG_NANOS = 15_000_000_000L;

    private static final long LOOK_MILLIS = 100;
    private static final String OPERATOR = "classify";

    private final RestInterface job;

    /**
     * Names a job.
     *
     * @param web address of the REST interface of its cluster
     */
    JobMetrics(String web, String id) {
        job = new RestInterface(web + "/jobs/" + id);
    }

    /**
     * Lets an embedded cluster have a REST interface that knows metrics that are half a second old.
     *
     * @return its address
     */
    static String offer(Configuration config) {
        try (ServerSocket socket = new ServerSocket(0)) {
            config.set(RestOptions.PORT, socket.getLocalPort());
            config.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofMillis(500));
            return "http://localhost:" + socket.getLocalPort();
        } catch (IOException e) {
            throw new SluiceException(
                    "no free port for the embedded cluster: " + e.getMessage(), e);
        }
    }

    /**
     * Has the cluster fetch its metrics while packets come, and waits until it has: it answers with
     * what it fetched when it was asked before, and fetches for the next question.
     *
     * @throws SluiceException if it does not, or nothing comes
     */
    void refresh() throws InterruptedException {
        double before = headers();
        if (!await(Double.isNaN(before) ? 0 : before + 1)) {
            throw new SluiceException(
                    "the cluster at %s tells nothing new of the job's packets for %d s"
                            .formatted(job.address(), TimeUnit.NANOSECONDS.toSeconds(LAG_NANOS)));
        }
    }

    /** Waits until so many headers went into batches; false if they do not. */
    private boolean await(double number) throws InterruptedException {
        long began = System.nanoTime();
        // The comparison is false of what is not known, too.
        while (!(headers() >= number)) {
            if (System.nanoTime() - began > LAG_NANOS) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }

    private double headers() throws InterruptedException {
        return read("sum", "headers")[0];
    }

    /**
     * Metrics over the subtasks, as of one moment; NaN where one is not known yet.
     *
     * @param by {@code max}, {@code min}, {@code sum} or {@code avg}
     */
    double[] read(String by, String... metrics) throws InterruptedException {
        double[] values = new double[metrics.length];
        Arrays.fill(values, Double.NaN);
        String prefix = OPERATOR + ".";
        for (JsonNode vertex : get("").path("vertices")) {
            if (vertex.path("name").asText().startsWith(OPERATOR)) {
                String wanted = prefix + String.join("," + prefix, metrics);
                String path =
                        "/vertices/%s/subtasks/metrics?get=%s&agg=%s"
                                .formatted(vertex.path("id").asText(), wanted, by);
                for (JsonNode metric : get(path)) {
                    String name = metric.path("id").asText().substring(prefix.length());
                    values[List.of(metrics).indexOf(name)] = metric.path(by).asDouble(Double.NaN);
                }
                break;
            }
        }
        return values;
    }

    /**
     * Tells who classified the packets of the job.
     *
     * @param headers that it has classified by now: its metrics may know fewer, and are waited for
     * @return null if the metrics do not come to know them
     */
    @Nullable Classified classified(long headers) throws InterruptedException {
        if (!await((double) headers)) {
            return null;
        }
        long there = Math.round(headers * deviceShare(new double[2]));
        return new Classified(headers - there, there);
    }

    /**
     * Share of a device in the headers that were looked up since a moment; 0 where none was.
     * Subtasks that share an engine tell the same of it: only ratios count.
     *
     * @param before what {@link #lookedUp} told at that moment
     */
    double deviceShare(double[] before) throws InterruptedException {
        double[] now = lookedUp();
        double there = now[0] - before[0];
        double all = there + now[1] - before[1];
        return all > 0 ? there / all : 0;
    }

    /** Headers that a device looked up by now, and headers that the CPU did beside it. */
    double[] lookedUp() throws InterruptedException {
        return read("sum", "gpu.headers", "gpu.cpuHeaders");
    }

    /**
     * The newest checkpoint's size in bytes and time in ms, and pauses of tasks for checkpoints.
     */
    void describeCheckpoints(ObjectNode record) throws InterruptedException {
        JsonNode newest = get("/checkpoints").path("latest").path("completed");
        record.put("checkpointBytes", newest.path("state_size").asLong());
        record.put("checkpointDurationMillis", newest.path("end_to_end_duration").asLong());
        String pause = "checkpointPauseMicros";
        double[] micros = read("max", pause + "_median", pause + "_p95", pause + "_max");
        record.put("checkpointPauseMedianMillis", micros[0] / 1e3);
        record.put("checkpointPauseP95Millis", micros[1] / 1e3);
        record.put("checkpointPauseMostMillis", micros[2] / 1e3);
    }

    /** Asks for a path; a busy JobManager may not answer, and is asked again. */
    private JsonNode get(String path) throws InterruptedException {
        return job.get(path).orElseGet(MissingNode::getInstance);
    }
}
