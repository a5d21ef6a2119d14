package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ShellWord;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Report on a cluster: its processes, slots and jobs.
 *
 * @param slots empty if the JobManager does not answer
 * @param jobs the newest first
 */
public record ClusterReport(
        ClusterFolder folder,
        ClusterState state,
        Optional<ClusterRest.Slots> slots,
        List<JobReport> jobs) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private static final String PROCESS = "%-16s %8s  %-5s  %-19s  %10s";

    /** Asks a cluster. */
    public static ClusterReport of(ClusterFolder folder, ClusterState state)
            throws InterruptedException {
        ClusterRest rest = new ClusterRest(state);
        return new ClusterReport(folder, state, rest.slots(), JobReport.all(rest));
    }

    /** Returns whether all processes run, and all TaskManagers have registered. */
    public boolean isWhole() {
        return state.members().stream().allMatch(Member::runs)
                && slots.filter(s -> s.taskManagers() == state.taskManagers()).isPresent();
    }

    /** Prints the addresses and folders of a cluster. */
    private static void printPlaces(ClusterFolder folder, ClusterState state, PrintWriter out) {
        out.println("Web interface at http://" + state.host() + ":" + state.webPort());
        out.println("Kafka broker at " + state.bootstrap());
        out.println("Logs in " + folder.logs() + ", checkpoints in " + folder.checkpoints());
    }

    /**
     * Prints the start of a cluster, and what to type next.
     *
     * @param secured the option of the broker's configuration, behind a space; or empty
     */
    public static void printStart(
            ClusterFolder folder,
            ClusterState state,
            long seconds,
            String secured,
            PrintWriter out) {
        String to = " --bootstrap " + state.bootstrap() + secured;
        String named = ShellWord.of(folder.path());
        out.println(
                "Flink cluster in %s: %s with %s, up after %d s"
                        .formatted(
                                folder.path(),
                                Amount.of(state.taskManagers(), "TaskManager"),
                                Amount.of(state.allSlots(), "slot"),
                                seconds));
        printPlaces(folder, state, out);
        out.println(
                "It goes on until 'sluice cluster down --cluster %s'. What to type next:"
                        .formatted(named));
        out.println("  sluice rules publish --rules RULES" + to);
        out.println("  sluice run --cluster " + named + " --create-topics" + secured);
        out.println("  sluice export CAPTURE" + to);
        out.println("  sluice verdicts --follow" + to);
        out.println("  sluice cluster status --cluster " + named);
    }

    /** Prints the report for a person. */
    public void print(PrintWriter out) {
        out.println("Flink cluster in " + folder.path());
        printPlaces(folder, state, out);
        out.println();
        printProcesses(out);
        out.println();
        if (slots.isEmpty()) {
            out.println(
                    "the JobManager does not answer: slots and jobs are not known. Where its process is gone, it is not started again: type 'sluice cluster down', then 'sluice cluster up' with the same options; down prints the commands by which jobs go on from their checkpoints");
            return;
        }
        ClusterRest.Slots s = slots.get();
        out.println(
                "%s, %d taken, %d free; %d of %s registered"
                        .formatted(
                                Amount.of(s.all(), "slot"),
                                s.all() - s.free(),
                                s.free(),
                                s.taskManagers(),
                                Amount.of(state.taskManagers(), "TaskManager")));
        printJobs(out);
    }

    /** The report for a program. */
    public ObjectNode json() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("folder", folder.path().toString());
        object.put("web", state.web());
        object.put("bootstrap", state.bootstrap());
        ArrayNode processes = object.putArray("processes");
        for (Member member : state.members()) {
            boolean runs = member.runs();
            OptionalLong bytes = runs ? member.residentBytes() : OptionalLong.empty();
            processes
                    .addObject()
                    .put("role", member.role())
                    .put("pid", member.pid())
                    .put("state", runs ? "up" : "gone")
                    .put("started_ms", member.startedMillis())
                    .put("memory_bytes", bytes.isPresent() ? bytes.getAsLong() : null);
        }
        object.put("slots", slots.map(ClusterRest.Slots::all).orElse(null));
        object.put("free_slots", slots.map(ClusterRest.Slots::free).orElse(null));
        object.put("task_managers", slots.map(ClusterRest.Slots::taskManagers).orElse(null));
        ArrayNode list = object.putArray("jobs");
        for (JobReport report : jobs) {
            ClusterRest.Job job = report.job();
            list.addObject()
                    .put("id", job.id())
                    .put("state", job.state())
                    .put("name", job.name())
                    .put("started_ms", job.startedMillis())
                    .put("slots", report.slots())
                    .put("tasks", job.tasks())
                    .put("running_tasks", job.running())
                    .put("options", report.options())
                    .put("problem", report.problem());
        }
        return object;
    }

    private void printProcesses(PrintWriter out) {
        out.println(PROCESS.formatted("PROCESS", "PID", "STATE", "STARTED", "MEMORY"));
        for (Member member : state.members()) {
            boolean runs = member.runs();
            OptionalLong bytes = runs ? member.residentBytes() : OptionalLong.empty();
            out.println(
                    PROCESS.formatted(
                                    member.role(),
                                    member.pid(),
                                    runs ? "up" : "gone",
                                    TIME.format(Instant.ofEpochMilli(member.startedMillis())),
                                    bytes.isPresent() ? (bytes.getAsLong() >> 20) + " MiB" : "")
                            .stripTrailing());
        }
    }

    private void printJobs(PrintWriter out) {
        for (JobReport report : jobs) {
            ClusterRest.Job job = report.job();
            out.println(
                    "job %s  %-10s  %s since %s%s"
                            .formatted(
                                    job.id(),
                                    job.state(),
                                    job.name(),
                                    TIME.format(Instant.ofEpochMilli(job.startedMillis())),
                                    job.ended() ? "" : ", " + Amount.of(report.slots(), "slot")));
            if (report.problem() != null) {
                out.println("    does not run: " + report.problem());
            }
            if (!report.options().isEmpty()) {
                out.println("    options: " + report.options());
            }
        }
        if (jobs.isEmpty()) {
            out.println("no jobs");
        }
    }
}
