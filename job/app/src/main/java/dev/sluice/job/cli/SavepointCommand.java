package dev.sluice.job.cli;

import dev.sluice.job.cluster.JobEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice savepoint}. */
@Command(
        name = "savepoint",
        description = {
            "Takes a savepoint of a job on the cluster of 'sluice cluster up'; the job goes on.",
            "A savepoint holds offsets, rules, statistics and waiting packets, for any parallelism. "
                    + "Nobody but you deletes it.",
            ""
        })
final class SavepointCommand extends SluiceCommand {
    @Mixin private ClusterJob job = new ClusterJob();

    @Mixin private SavepointArguments where = new SavepointArguments();

    @Override
    public Integer call() throws InterruptedException {
        JobEnd.Savepoint taken = job.jobs().savepoint(job.wanted, where.target);
        where.print(spec(), "savepoint of job " + taken.job(), taken);
        return 0;
    }
}
