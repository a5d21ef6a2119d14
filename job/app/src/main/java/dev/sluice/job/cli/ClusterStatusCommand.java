package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.JobReport;
import dev.sluice.job.cluster.Member;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice cluster status}. */
@Command(
        name = "status",
        description = {
            "Shows the processes of a cluster, its slots, its jobs and where it listens.",
            "Exit status 1 if a process is gone, or a TaskManager that runs has not registered. Of each job it "
                    + "shows the options that it was submitted with, and why it does not run.",
            ""
        })
final class ClusterStatusCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());
    private static final String PROCESS = "%-16s %8s  %-5s  %-19s  %10s";

    @Spec private CommandSpec spec;

    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        ClusterFolder place = ClusterFolder.of(folder.path());
        ClusterState state =
                ClusterState.read(place).orElseThrow(() -> ClusterEnd.noCluster(place));
        ClusterRest rest = new ClusterRest(state);
        Optional<ClusterRest.Slots> slots = rest.slots();
        PrintWriter out = spec.commandLine().getOut();
        boolean registered =
                slots.filter(s -> s.taskManagers() == state.taskManagers()).isPresent();
        if (json.isGiven()) {
            JsonOption.print(out, object(place, state, slots, JobReport.all(rest)));
            return state.members().stream().allMatch(Member::runs) && registered ? 0 : 1;
        }
        out.println("Flink cluster in " + place.path());
        out.println("Web interface at http://" + state.host() + ":" + state.webPort());
        out.println("Kafka broker at " + state.bootstrap());
        out.println("Logs in " + place.logs() + ", checkpoints in " + place.checkpoints());
        out.println();
        boolean allRun = processes(state.members(), out);
        out.println();
        slots.ifPresentOrElse(
                s ->
                        out.println(
                                "%s, %d taken, %d free; %d of %s registered"
                                        .formatted(
                                                Amount.of(s.all(), "slot"),
                                                s.all() - s.free(),
                                                s.free(),
                                                s.taskManagers(),
                                                Amount.of(state.taskManagers(), "TaskManager"))),
                () ->
                        out.println(
                                "the JobManager does not answer: slots and jobs are not known. Where its process is gone, it is not started again: type 'sluice cluster down', then 'sluice cluster up' with the same options; jobs go on from their checkpoints by 'sluice resume'"));
        if (slots.isPresent()) {
            jobs(JobReport.all(rest), out);
        }
        out.flush();
        return allRun && registered ? 0 : 1;
    }

    private static ObjectNode object(
            ClusterFolder place,
            ClusterState state,
            Optional<ClusterRest.Slots> slots,
            List<JobReport> jobs) {
        ObjectNode object = JsonOption.object();
        object.put("folder", place.path().toString());
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

    /** Prints a line for each process; returns whether all run. */
    private static boolean processes(List<Member> members, PrintWriter out) {
        out.println(PROCESS.formatted("PROCESS", "PID", "STATE", "STARTED", "MEMORY"));
        boolean all = true;
        for (Member member : members) {
            boolean runs = member.runs();
            all &= runs;
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
        return all;
    }

    private static void jobs(List<JobReport> jobs, PrintWriter out) {
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
