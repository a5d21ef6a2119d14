package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.SluiceException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a JobManager's REST interface tells, and is asked to do. */
public final class ClusterRest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 100;
    private static final Set<String> ENDED = Set.of("CANCELED", "FAILED", "FINISHED");

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final String address;

    /** The TaskManagers that have registered, and their slots. */
    public record Slots(int taskManagers, int all, int free) {}

    /** A job. */
    public record Job(String id, String name, String state, long startedMillis) {
        /** Whether it does nothing any more. */
        public boolean ended() {
            return ENDED.contains(state);
        }
    }

    /** Of a cluster. */
    public ClusterRest(ClusterState state) {
        address = "http://" + state.host() + ":" + state.webPort();
    }

    /** The slots; empty as long as nobody answers. */
    public Optional<Slots> slots() throws InterruptedException {
        return get("/overview")
                .filter(all -> all.has("taskmanagers"))
                .map(
                        all ->
                                new Slots(
                                        all.path("taskmanagers").asInt(),
                                        all.path("slots-total").asInt(),
                                        all.path("slots-available").asInt()));
    }

    /** Jobs, those that have ended too, the newest first; none if nobody answers. */
    public List<Job> jobs() throws InterruptedException {
        List<Job> jobs = new ArrayList<>();
        JsonNode all = get("/jobs/overview").orElseGet(json::createObjectNode);
        for (JsonNode job : all.path("jobs")) {
            jobs.add(
                    new Job(
                            job.path("jid").asText(),
                            job.path("name").asText(),
                            job.path("state").asText(),
                            job.path("start-time").asLong()));
        }
        jobs.sort((a, b) -> Long.compare(b.startedMillis(), a.startedMillis()));
        return jobs;
    }

    /** Where the newest checkpoint of a job that outlives it lies. */
    Optional<String> newestCheckpoint(String job) throws InterruptedException {
        return get("/jobs/" + job + "/checkpoints")
                .map(all -> all.path("latest").path("completed").path("external_path").asText())
                .filter(path -> !path.isEmpty())
                .map(path -> path.replaceFirst("^file:/*", "/"));
    }

    /**
     * Asks for the end of jobs, and waits a while for it.
     *
     * @return whether all have ended
     * @throws SluiceException if the JobManager does not take it
     */
    public boolean cancel(Collection<String> ids) throws InterruptedException {
        for (String id : ids) {
            cancel(id);
        }
        long until = System.nanoTime() + CANCEL_PATIENCE.toNanos();
        while (!ids.isEmpty()
                && jobs().stream().anyMatch(job -> ids.contains(job.id()) && !job.ended())) {
            if (System.nanoTime() > until) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /**
     * Asks for a job's end.
     *
     * @throws SluiceException if the JobManager does not take it
     */
    private void cancel(String job) throws InterruptedException {
        HttpRequest request =
                request("/jobs/" + job + "?mode=cancel")
                        .method("PATCH", HttpRequest.BodyPublishers.noBody())
                        .build();
        try {
            int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status / 100 != 2) {
                throw new SluiceException(
                        "job %s cannot be cancelled: %s answers %d"
                                .formatted(job, address, status));
            }
        } catch (IOException e) {
            throw new SluiceException(
                    "job %s cannot be cancelled: nobody answers at %s".formatted(job, address), e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(PATIENCE);
    }

    /** An answer; empty if there is none, or an error. */
    private Optional<JsonNode> get(String path) throws InterruptedException {
        try {
            HttpResponse<byte[]> answer =
                    client.send(request(path).build(), HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() == 200
                    ? Optional.of(json.readTree(answer.body()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // nobody answers, yet or any more
        }
    }
}
