package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.SluiceException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What an embedded cluster's REST interface tells of its job. */
public final class FlinkRest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final String job;

    /** A port that nothing listens on, for an embedded cluster's REST interface. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new SluiceException(
                    "no free port for the embedded cluster: " + e.getMessage(), e);
        }
    }

    /** Tells of a job of the cluster whose web port is this. */
    public FlinkRest(int port, String jobId) {
        this.job = "http://localhost:" + port + "/jobs/" + jobId;
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
     * A metric of an operator, over its subtasks: by {@code max}, {@code min}, {@code sum} or
     * {@code avg}; NaN where it is not known yet.
     */
    public double metric(String operator, String metric, String by) throws InterruptedException {
        for (JsonNode vertex : get("").path("vertices")) {
            if (vertex.path("name").asText().startsWith(operator)) {
                JsonNode found =
                        get(
                                "/vertices/%s/subtasks/metrics?get=%s.%s&agg=%s"
                                        .formatted(
                                                vertex.path("id").asText(), operator, metric, by));
                return found.path(0).path(by).asDouble(Double.NaN);
            }
        }
        return Double.NaN;
    }

    private JsonNode get(String path) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(job + path))
                        .timeout(Duration.ofSeconds(5))
                        .build();
        try {
            HttpResponse<byte[]> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return new ObjectMapper().readTree(answer.body());
        } catch (IOException e) {
            throw new SluiceException(
                    "the embedded cluster does not answer at " + job + path + ": " + e.getMessage(),
                    e);
        }
    }
}
