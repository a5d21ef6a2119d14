package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.job.watch.RestInterface;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Client of a JobManager's REST interface: jobs, slots, savepoints. */
public final class ClusterRest {
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 100;
    private static final String CAUSED_BY = "Caused by: ";
    private static final Set<String> ENDED = Set.of("CANCELED", "FAILED", "FINISHED");

    private final RestInterface rest;

    /** Number of registered TaskManagers, and of their slots. */
    public record Slots(int taskManagers, int all, int free) {}

    /**
     * Job of the cluster.
     *
     * @param tasks number of tasks of its graph
     * @param running number of tasks that run or have finished
     */
    public record Job(
            String id, String name, String state, long startedMillis, int tasks, int running) {
        /** Tells whether the job has ended. */
        public boolean ended() {
            return ENDED.contains(state);
        }

        /** Tells whether all of its tasks run or have finished. */
        public boolean runs() {
            return state.equals("RUNNING") && running == tasks;
        }
    }

    /** Creates a client of a cluster. */
    public ClusterRest(ClusterState state) {
        rest = new RestInterface(state.web());
    }

    /** Returns the slots; empty if the JobManager does not answer. */
    public Optional<Slots> slots() throws InterruptedException {
        return rest.get("/overview")
                .filter(all -> all.has("taskmanagers"))
                .map(
                        all ->
                                new Slots(
                                        all.path("taskmanagers").asInt(),
                                        all.path("slots-total").asInt(),
                                        all.path("slots-available").asInt()));
    }

    /**
     * Returns all jobs, also ended ones, the newest first; none if the JobManager does not answer.
     */
    public List<Job> jobs() throws InterruptedException {
        List<Job> jobs = new ArrayList<>();
        JsonNode all = rest.read("/jobs/overview");
        for (JsonNode job : all.path("jobs")) {
            jobs.add(
                    new Job(
                            job.path("jid").asText(),
                            job.path("name").asText(),
                            job.path("state").asText(),
                            job.path("start-time").asLong(),
                            job.path("tasks").path("total").asInt(),
                            job.path("tasks").path("running").asInt()
                                    + job.path("tasks").path("finished").asInt()));
        }
        jobs.sort((a, b) -> Long.compare(b.startedMillis(), a.startedMillis()));
        return jobs;
    }

    /**
     * Returns the slots that a job has or waits for: its largest parallelism, since its tasks share
     * slots.
     */
    int slots(String job) throws InterruptedException {
        int slots = 0;
        JsonNode all = rest.read("/jobs/" + job);
        for (JsonNode vertex : all.path("vertices")) {
            slots = Math.max(slots, vertex.path("parallelism").asInt());
        }
        return slots;
    }

    /** Returns the innermost cause of a job's newest failure. */
    Optional<String> newestFailure(String job) throws InterruptedException {
        return rest.get("/jobs/" + job + "/exceptions")
                .map(all -> all.path("exceptionHistory").path("entries").path(0))
                .filter(newest -> newest.has("stacktrace"))
                .map(newest -> lastCause(newest.path("stacktrace").asText()));
    }

    /**
     * Finds a job's newest retained checkpoint, or else the one that the job itself resumed from.
     *
     * <p>The answer is up to 3 s old, so that a newer checkpoint may have replaced it.
     */
    Optional<Path> newestCheckpoint(String job) throws InterruptedException {
        return rest.get("/jobs/" + job + "/checkpoints")
                .map(all -> all.path("latest"))
                .flatMap(
                        latest ->
                                path(latest.path("completed"))
                                        .or(() -> path(latest.path("restored"))));
    }

    private static Optional<Path> path(JsonNode checkpoint) {
        String path = checkpoint.path("external_path").asText();
        return path.startsWith("file:") || path.startsWith("/")
                ? Optional.of(Path.of(plain(path)))
                : Optional.empty();
    }

    /**
     * Cancels jobs, and waits up to 30 s for their end.
     *
     * @return whether all have ended
     * @throws SluiceException if the JobManager refuses or does not answer
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

    private void cancel(String job) throws InterruptedException {
        send(
                rest.request("/jobs/" + job + "?mode=cancel")
                        .method("PATCH", HttpRequest.BodyPublishers.noBody()),
                "job " + job + " cannot be cancelled");
    }

    /**
     * Sends a request that the JobManager is to carry out.
     *
     * @param refused begin of the words about a refusal
     * @throws SluiceException if the JobManager refuses or does not answer
     */
    private JsonNode send(HttpRequest.Builder request, String refused) throws InterruptedException {
        try {
            RestInterface.Answer answer = rest.send(request.build());
            if (answer.status() / 100 == 2) {
                return answer.body();
            }
            throw new SluiceException(
                    "%s: %s answers %d: %s"
                            .formatted(
                                    refused,
                                    rest.address(),
                                    answer.status(),
                                    firstLine(answer.body(), "errors")));
        } catch (IOException e) {
            throw new SluiceException(refused + ": nobody answers at " + rest.address(), e);
        }
    }

    /**
     * Triggers a savepoint, or stops a job with a savepoint.
     *
     * @param folder in which the savepoint gets a folder of its own
     * @param ending whether the job stops with the savepoint
     * @param drain whether a stopping job first finishes what waits in it; it cannot resume then
     * @return id of the request, for {@link #savepoint}
     * @throws SluiceException if the JobManager refuses or does not answer
     */
    String beginSavepoint(String job, Path folder, boolean ending, boolean drain)
            throws InterruptedException {
        ObjectNode wanted = JsonNodeFactory.instance.objectNode().put("formatType", "CANONICAL");
        if (ending) {
            wanted.put("targetDirectory", FlinkPaths.text(folder)).put("drain", drain);
        } else {
            wanted.put("target-directory", FlinkPaths.text(folder)).put("cancel-job", false);
        }
        return send(
                        rest.request("/jobs/" + job + (ending ? "/stop" : "/savepoints"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(wanted.toString())),
                        "no savepoint of job " + job + " can begin")
                .path("request-id")
                .asText();
    }

    /**
     * Returns the path of a savepoint that {@link #beginSavepoint} has triggered.
     *
     * @return empty if the savepoint is not complete yet, or the JobManager does not answer
     * @throws SluiceException if it has failed
     */
    Optional<Path> savepoint(String job, String request) throws InterruptedException {
        JsonNode answer = rest.read("/jobs/" + job + "/savepoints/" + request);
        if (!answer.path("status").path("id").asText().equals("COMPLETED")) {
            return Optional.empty();
        }
        JsonNode operation = answer.path("operation");
        if (operation.has("failure-cause")) {
            throw new SluiceException(
                    "the savepoint of job %s has failed: %s"
                            .formatted(
                                    job,
                                    lastCause(
                                            operation
                                                    .path("failure-cause")
                                                    .path("stack-trace")
                                                    .asText())));
        }
        return Optional.of(Path.of(plain(operation.path("location").asText())));
    }

    /**
     * Returns the options with which a job was submitted, quoted for a shell; empty if not known.
     */
    public String options(String job) throws InterruptedException {
        return noted(job, SubmittedOptions.LINE);
    }

    /** Returns a job's transactional-id prefix and Kafka cluster, each empty if not known. */
    public SubmittedOptions transactions(String job) throws InterruptedException {
        return new SubmittedOptions(
                List.of(), noted(job, SubmittedOptions.PREFIX), noted(job, SubmittedOptions.KAFKA));
    }

    private String noted(String job, String key) throws InterruptedException {
        return rest.get("/jobs/" + job + "/config")
                .map(all -> all.path("execution-config").path("user-config").path(key).asText())
                .orElse("");
    }

    private static String firstLine(JsonNode body, String field) {
        JsonNode texts = body.path(field);
        return texts.isEmpty() ? "no reason" : texts.get(0).asText().lines().findFirst().orElse("");
    }

    /**
     * Finds the message of the innermost cause in a stack trace; the class precedes it for foreign
     * exceptions.
     */
    private static String lastCause(String trace) {
        return trace.lines()
                .filter(line -> line.startsWith(CAUSED_BY))
                .reduce((outer, inner) -> inner)
                .or(() -> trace.lines().findFirst())
                .orElse("no reason is known")
                .replaceFirst("^" + CAUSED_BY, "")
                .replaceFirst("^dev\\.sluice\\.[\\w.$]+: ", "")
                .replaceFirst("^(\\w+\\.)+(?=\\w+:)", "");
    }

    /** Strips the {@code file:} scheme from a path. */
    private static String plain(String location) {
        return location.replaceFirst("^file:/*", "/");
    }
}
