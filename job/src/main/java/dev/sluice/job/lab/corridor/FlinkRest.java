package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.job.SluiceException;
import dev.sluice.job.lab.backend.Classified;
import dev.sluice.job.watch.RestInterface;
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

/** What a cluster's REST interface tells of a job. */
public final class FlinkRest {
    /** How long an operator's metrics may lag behind what it has done: Flink asks every 10 s. */
    private static final long LAG_NANOS = 15_000_000_000L;

    private static final long LOOK_MILLIS = 100;

    private final RestInterface job;

    /** A port that nothing listens on, for an embedded cluster's REST interface. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new SluiceException(
                    "no free port for the embedded cluster: " + e.getMessage(), e);
        }
    }

    /**
     * Lets an embedded cluster have a REST interface that knows metrics that are half a second old.
     *
     * @param config of the cluster
     * @return its port
     */
    static int offer(Configuration config) {
        int port = freePort();
        config.set(RestOptions.PORT, port);
        config.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofMillis(500));
        return port;
    }

    /** Tells of a job of the embedded cluster whose web port is this. */
    public FlinkRest(int port, String jobId) {
        this("http://localhost:" + port, jobId);
    }

    /**
     * Tells of a job of any cluster.
     *
     * @param web address of its REST interface
     */
    FlinkRest(String web, String jobId) {
        this.job = new RestInterface(web + "/jobs/" + jobId);
    }

    /** Whether every task of the job runs. */
    public boolean allTasksRun() throws InterruptedException {
        JsonNode vertices = get("").path("vertices");
        boolean all = vertices.size() > 0;
        for (JsonNode vertex : vertices) {
            all &=
                    vertex.path("tasks").path("RUNNING").asInt()
                            == vertex.path("parallelism").asInt();
        }
        return all;
    }

    /**
     * The newest complete checkpoint: {@code end_to_end_duration} in ms, {@code state_size} in
     * bytes.
     */
    public JsonNode newestCheckpoint() throws InterruptedException {
        return get("/checkpoints").path("latest").path("completed");
    }

    /**
     * Has the cluster fetch its metrics while packets come, and waits until it has: it answers with
     * what it fetched when it was asked before, however long ago that was, and fetches for the next
     * question.
     *
     * @throws SluiceException if it does not, or nothing comes
     */
    void refresh() throws InterruptedException {
        long began = System.nanoTime();
        double before = metric("classify", "headers", "sum");
        while (metric("classify", "headers", "sum") == before) {
            if (System.nanoTime() - began > LAG_NANOS) {
                throw new SluiceException(
                        "the cluster at %s tells nothing new of the job's packets for %d s"
                                .formatted(
                                        job.address(), TimeUnit.NANOSECONDS.toSeconds(LAG_NANOS)));
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /**
     * A metric of an operator, over its subtasks: by {@code max}, {@code min}, {@code sum} or
     * {@code avg}; NaN where it is not known yet.
     */
    public double metric(String operator, String metric, String by) throws InterruptedException {
        return metrics(operator, by, metric)[0];
    }

    /** The same of several metrics, as of one moment. */
    private double[] metrics(String operator, String by, String... metrics)
            throws InterruptedException {
        double[] values = new double[metrics.length];
        Arrays.fill(values, Double.NaN);
        String prefix = operator + ".";
        for (JsonNode vertex : get("").path("vertices")) {
            if (!vertex.path("name").asText().startsWith(operator)) {
                continue;
            }
            JsonNode found =
                    get(
                            "/vertices/%s/subtasks/metrics?get=%s&agg=%s"
                                    .formatted(
                                            vertex.path("id").asText(),
                                            prefix + String.join("," + prefix, metrics),
                                            by));
            List<String> names = List.of(metrics);
            for (JsonNode metric : found) {
                int at = names.indexOf(metric.path("id").asText().substring(prefix.length()));
                values[at] = metric.path(by).asDouble(Double.NaN);
            }
            break;
        }
        return values;
    }

    /**
     * Who classified the packets of a job of Sluice, as its classify operator counts.
     *
     * @param headers that it has classified by now: its metrics may know fewer, and are waited for
     * @return null if the metrics do not come to know them
     */
    @Nullable Classified classified(long headers) throws InterruptedException {
        long began = System.nanoTime();
        // The comparison is false of what is not known, too.
        while (!(metric("classify", "headers", "sum") >= headers)) {
            if (System.nanoTime() - began > LAG_NANOS) {
                return null;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        long there = Math.round(headers * lookedUp().deviceShareSince(LookedUp.NOTHING));
        return new Classified(headers - there, there);
    }

    /**
     * Headers that the engines behind a job's subtasks looked up. Subtasks that share an engine
     * tell the same of it: only ratios count.
     */
    record LookedUp(double byDevice, double byCpu) {
        static final LookedUp NOTHING = new LookedUp(0, 0);

        /** Share of a device in those that came after others; 0 where none came. */
        double deviceShareSince(LookedUp before) {
            double there = byDevice - before.byDevice;
            double all = there + byCpu - before.byCpu;
            return all > 0 ? there / all : 0;
        }
    }

    /** What they looked up by now, as far as its metrics tell. */
    LookedUp lookedUp() throws InterruptedException {
        double[] headers = metrics("classify", "sum", "gpu.headers", "gpu.cpuHeaders");
        return new LookedUp(headers[0], headers[1]);
    }

    /**
     * Blocks whose verdicts left the classify operator.
     *
     * @param overdue those that took longer than {@code blocksOverdue} allows
     */
    record Blocks(double all, double overdue) {
        /** Share of the overdue in those that came after others; NaN where none came. */
        double overdueSince(Blocks before) {
            return Math.min(1, (overdue - before.overdue) / (all - before.all));
        }
    }

    /** Blocks by now, as far as its metrics tell. */
    Blocks blocks() throws InterruptedException {
        double[] blocks = metrics("classify", "sum", "blocks", "blocksOverdue");
        return new Blocks(blocks[0], blocks[1]);
    }

    private JsonNode get(String path) throws InterruptedException {
        try {
            return job.send(job.request(path).build()).body();
        } catch (IOException e) {
            throw new SluiceException(
                    "the cluster does not answer at "
                            + job.address()
                            + path
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }
}
