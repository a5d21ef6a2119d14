package dev.sluice.job.lab.gpu.check;

/** Two jobs in one process, each with classes of its own, beside this one. */
final class JobCheck implements Check {
    private static final int JOBS = 2;

    private final int device;

    /**
     * A check.
     *
     * @param device number of the device that all of them use
     */
    JobCheck(int device) {
        this.device = device;
    }

    @Override
    public String run(Findings findings) throws InterruptedException {
        findings.add(JOBS * SecondJob.verdicts(), SecondJob.atOnce(JOBS, device));
        return "two more jobs in this process: %,d verdicts, %,d wrong"
                .formatted(findings.compared(), findings.wrong());
    }
}
