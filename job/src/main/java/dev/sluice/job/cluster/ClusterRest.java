package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.FlinkPaths;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
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
                .map(ClusterRest::plain);
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

    /**
     * Begins a savepoint, or the end of a job behind one.
     *
     * @param folder that takes it; it gets a folder of its own there
     * @param ending whether the job ends with it
     * @param drain whether what waits in an ending job is finished before, so that none goes on
     * @return what {@link #savepoint} asks for
     * @throws SluiceException if the JobManager does not take it
     */
    String beginSavepoint(String job, Path folder, boolean ending, boolean drain)
            throws InterruptedException {
        ObjectNode wanted = json.createObjectNode().put("formatType", "CANONICAL");
        if (ending) {
            wanted.put("targetDirectory", FlinkPaths.text(folder)).put("drain", drain);
        } else {
            wanted.put("target-directory", FlinkPaths.text(folder)).put("cancel-job", false);
        }
        HttpRequest request =
                request("/jobs/" + job + (ending ? "/stop" : "/savepoints"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(wanted.toString()))
                        .build();
        try {
            HttpResponse<byte[]> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            JsonNode body = json.readTree(answer.body());
            if (answer.statusCode() / 100 == 2) {
                return body.path("request-id").asText();
            }
            throw new SluiceException(
                    "no savepoint of job %s can begin: %s answers %d: %s"
                            .formatted(
                                    job, address, answer.statusCode(), firstLine(body, "errors")));
        } catch (IOException e) {
            throw new SluiceException(
                    "no savepoint of job %s can begin: nobody answers at %s"
                            .formatted(job, address),
                    e);
        }
    }

    /**
     * Where a savepoint lies that {@link #beginSavepoint} has begun.
     *
     * @return empty as long as it is not complete, or nobody answers
     * @throws SluiceException if it has failed
     */
    Optional<Path> savepoint(String job, String request) throws InterruptedException {
        JsonNode answer =
                get("/jobs/" + job + "/savepoints/" + request).orElseGet(json::createObjectNode);
        if (!answer.path("status").path("id").asText().equals("COMPLETED")) {
            return Optional.empty();
        }
        JsonNode operation = answer.path("operation");
        if (operation.has("failure-cause")) {
            throw new SluiceException(
                    "the savepoint of job %s has failed: %s"
                            .formatted(job, lastCause(operation.path("failure-cause"))));
        }
        return Optional.of(Path.of(plain(operation.path("location").asText())));
    }

    /** The options that a job was submitted with, as a shell takes them; empty if not known. */
    String options(String job) throws InterruptedException {
        return noted(job, SubmittedOptions.LINE);
    }

    /** What a job notes of its transactions, without the words; empty what is not known. */
    public SubmittedOptions transactions(String job) throws InterruptedException {
        return new SubmittedOptions(
                List.of(), noted(job, SubmittedOptions.PREFIX), noted(job, SubmittedOptions.KAFKA));
    }

    private String noted(String job, String key) throws InterruptedException {
        return get("/jobs/" + job + "/config")
                .map(all -> all.path("execution-config").path("user-config").path(key).asText())
                .orElse("");
    }

    private static String firstLine(JsonNode body, String field) {
        JsonNode texts = body.path(field);
        return texts.isEmpty() ? "no reason" : texts.get(0).asText().lines().findFirst().orElse("");
    }

    /** The innermost cause that a stack trace names. */
    private static String lastCause(JsonNode failure) {
        String trace = failure.path("stack-trace").asText();
        return trace.lines()
                .filter(line -> !line.startsWith("\t"))
                .reduce((outer, inner) -> inner)
                .orElse(failure.path("class").asText())
                .replaceFirst("^Caused by: ", "");
    }

    /** A file's name without what says that it is one. */
    private static String plain(String location) {
        return location.replaceFirst("^file:/*", "/");
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
