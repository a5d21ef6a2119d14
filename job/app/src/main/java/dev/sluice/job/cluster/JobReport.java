package dev.sluice.job.cluster;

import dev.sluice.policy.io.Amount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Report on a job of a cluster.
 *
 * @param slots that the job has or waits for; none once it has ended
 * @param options with which it was submitted, quoted for a shell; empty if not known
 * @param problem why it does not run; null: it runs, or has ended without failure
 */
public record JobReport(ClusterRest.Job job, int slots, String options, @Nullable String problem) {
    /** Reports on all jobs, the newest first. */
    public static List<JobReport> all(ClusterRest rest) throws InterruptedException {
        Optional<ClusterRest.Slots> there = rest.slots();
        if (there.isEmpty()) {
            return List.of();
        }
        List<JobReport> withoutProblems = new ArrayList<>();
        for (ClusterRest.Job job : rest.jobs()) {
            int slots = job.ended() ? 0 : rest.slots(job.id());
            withoutProblems.add(new JobReport(job, slots, rest.options(job.id()), null));
        }
        List<JobReport> all = new ArrayList<>();
        for (JobReport report : withoutProblems) {
            int free = there.get().all() - claimed(withoutProblems) + report.slots;
            all.add(
                    new JobReport(
                            report.job,
                            report.slots,
                            report.options,
                            problem(rest, report, free, there.get().all())));
        }
        return all;
    }

    /** Counts the slots that these jobs have or wait for. */
    public static int claimed(List<JobReport> jobs) {
        return jobs.stream().mapToInt(JobReport::slots).sum();
    }

    /** Names each job that has slots, and their number. */
    public static String claims(List<JobReport> jobs) {
        return jobs.stream()
                .filter(report -> report.slots > 0)
                .map(
                        report ->
                                "job %s (%s) has %d"
                                        .formatted(
                                                report.job.id(), report.job.name(), report.slots))
                .reduce((a, b) -> a + ", " + b)
                .orElse("no job has any");
    }

    private static @Nullable String problem(ClusterRest rest, JobReport report, int free, int all)
            throws InterruptedException {
        ClusterRest.Job job = report.job;
        boolean endedWell = job.ended() && !job.state().equals("FAILED");
        if (job.runs() || endedWell) {
            return null;
        }
        if (report.slots > free) {
            return "waits for %s; %d of %d are free for it"
                    .formatted(Amount.of(report.slots, "slot"), Math.max(0, free), all);
        }
        String failure =
                rest.newestFailure(job.id()).map(text -> "; it failed by " + text).orElse("");
        return "%d of %s run%s".formatted(job.running(), Amount.of(job.tasks(), "task"), failure);
    }
}
