package dev.sluice.lab.gpu.check;

import java.util.List;

/**
 * Two jobs in one process, each with classes and a context of its own, beside this one: by launches
 * both, one with a kernel that stays, and both with one. Both keep the device busy until both have
 * done their part, so that a kernel that stays has to leave it to the other job.
 */
final class JobCheck implements Check {
    private static final String LAUNCHED = "asynchronous,copy";
    private static final String STAYS = "persistent,mapped";

    private static final List<List<String>> PAIRS =
            List.of(List.of(LAUNCHED, LAUNCHED), List.of(STAYS, LAUNCHED), List.of(STAYS, STAYS));

    private final Class<?> job;
    private final Object device;

    /**
     * A check.
     *
     * @param device number of the device that all of them use
     */
    JobCheck(int device) {
        this(SecondJob.class, device);
    }

    /**
     * A check with other jobs.
     *
     * @param job has a method {@code run} as {@link SecondJob} has
     * @param device what that takes
     */
    JobCheck(Class<?> job, Object device) {
        this.job = job;
        this.device = device;
    }

    @Override
    public String run(Findings findings) throws InterruptedException {
        StringBuilder pairs = new StringBuilder();
        for (List<String> modes : PAIRS) {
            List<SecondJob.Done> done = SecondJob.atOnce(job, device, modes);
            pairs.append(pairs.isEmpty() ? "" : ";");
            StringBuilder longest = new StringBuilder();
            StringBuilder residencies = new StringBuilder();
            for (int j = 0; j < modes.size(); j++) {
                SecondJob.Done each = done.get(j);
                findings.add(each.verdicts(), each.wrong());
                longest.append(longest.isEmpty() ? "" : ", ")
                        .append("%.1f".formatted(each.longestMicros() / 1e3));
                residencies.append(residencies.isEmpty() ? "" : ", ").append(each.residencies());
            }
            pairs.append(
                    " %s (longest batch %s ms, kernels that stay came %s times)"
                            .formatted(String.join(" beside ", modes), longest, residencies));
        }
        return "two more jobs in this process, each with a context of its own: %,d verdicts, %,d wrong;%s"
                .formatted(findings.compared(), findings.wrong(), pairs);
    }
}
