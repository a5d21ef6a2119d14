package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
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

/** What a JobManager's REST interface tells, and is asked to do. */
public final class ClusterRest {
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 100;
    private static final String CAUSED_BY = "Caused by: ";
    private static final Set<String> ENDED = Set.of("CANCELED", "FAILED", "FINISHED");

    private final RestInterface rest;

    /** The TaskManagers that have registered, and their slots. */
    public record Slots(int taskManagers, int all, int free) {}

    /**
     * A job.
     *
     * @param tasks of its graph
     * @param running tasks that run or have finished
     */
    public record Job(
            String id, String name, String state, long startedMillis, int tasks, int running) {
        /** Whether it does nothing any more. */
        public boolean ended() {
            return ENDED.contains(state);
        }

        /** Whether all of its tasks run or have finished. */
        public boolean runs() {
            return state.equals("RUNNING") && running == tasks;
        }
    }

    /** Of a cluster. */
    public ClusterRest(ClusterState state) {
        rest = new RestInterface(state.web());
    }

    /** The slots; empty as long as nobody answers. */
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

    /** Jobs, those that have ended too, the newest first; none if nobody answers. */
    public List<Job> jobs() throws InterruptedException {
        List<Job> jobs = new ArrayList<>();
        JsonNode all = rest.get("/jobs/overview").orElseGet(MissingNode::getInstance);
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

    /** Slots that a job has or waits for: its tasks share them, so its largest parallelism. */
    int slots(String job) throws InterruptedException {
        int slots = 0;
        JsonNode all = rest.get("/jobs/" + job).orElseGet(MissingNode::getInstance);
        for (JsonNode vertex : all.path("vertices")) {
            slots = Math.max(slots, vertex.path("parallelism").asInt());
        }
        return slots;
    }

    /** Innermost cause of a job's newest failure. */
    Optional<String> newestFailure(String job) throws InterruptedException {
        return rest.get("/jobs/" + job + "/exceptions")
                .map(all -> all.path("exceptionHistory").path("entries").path(0))
                .filter(newest -> newest.has("stacktrace"))
                .map(newest -> lastCause(newest.path("stacktrace").asText()));
    }

    /**
     * Where the newest checkpoint of a job that outlives it lies, or what the job itself went on
     * from; up to 3 s old, so that the next one may have replaced it.
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
                rest.request("/jobs/" + job + "?mode=cancel")
                        .method("PATCH", HttpRequest.BodyPublishers.noBody())
                        .build();
        try {
            int status = rest.send(request).status();
            if (status / 100 != 2) {
                throw new SluiceException(
                        "job %s cannot be cancelled: %s answers %d"
                                .formatted(job, rest.address(), status));
            }
        } catch (IOException e) {
            throw new SluiceException(
                    "job %s cannot be cancelled: nobody answers at %s"
                            .formatted(job, rest.address()),
                    e);
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
        ObjectNode wanted = JsonNodeFactory.instance.objectNode().put("formatType", "CANONICAL");
        if (ending) {
            wanted.put("targetDirectory", FlinkPaths.text(folder)).put("drain", drain);
        } else {
            wanted.put("target-directory", FlinkPaths.text(folder)).put("cancel-job", false);
        }
        HttpRequest request =
                rest.request("/jobs/" + job + (ending ? "/stop" : "/savepoints"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(wanted.toString()))
                        .build();
        try {
            RestInterface.Answer answer = rest.send(request);
            if (answer.status() / 100 == 2) {
                return answer.body().path("request-id").asText();
            }
            throw new SluiceException(
                    "no savepoint of job %s can begin: %s answers %d: %s"
                            .formatted(
                                    job,
                                    rest.address(),
                                    answer.status(),
                                    firstLine(answer.body(), "errors")));
        } catch (IOException e) {
            throw new SluiceException(
                    "no savepoint of job %s can begin: nobody answers at %s"
                            .formatted(job, rest.address()),
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
                rest.get("/jobs/" + job + "/savepoints/" + request)
                        .orElseGet(MissingNode::getInstance);
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

    /** The options that a job was submitted with, as a shell takes them; empty if not known. */
    public String options(String job) throws InterruptedException {
        return noted(job, SubmittedOptions.LINE);
    }

    /** What a job notes of its transactions, without the words; empty what is not known. */
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

    /** The innermost cause that a stack trace names: its message, for others' behind its class. */
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

    /** A file's name without what says that it is one. */
    private static String plain(String location) {
        return location.replaceFirst("^file:/*", "/");
    }
}
