package dev.sluice.job.cli;

import dev.sluice.job.cluster.JobEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice stop}. */
@Command(
        name = "stop",
        description = {
            "Takes a savepoint of a job on the cluster of 'sluice cluster up', and ends the job. Its verdicts on all that it "
                    + "has read are committed. The command prints how to go on from there.",
            ""
        })
final class StopCommand extends SluiceCommand {
    @Mixin private ClusterJob job = new ClusterJob();

    @Mixin private SavepointArguments where = new SavepointArguments();

    @Option(
            names = "--drain",
            description =
                    "Judge what waits for rules before the end, by the rules that there are; for a job that does not go on.")
    private boolean drain;

    @Override
    public Integer call() throws InterruptedException {
        JobEnd.Savepoint taken = job.jobs().stop(job.wanted, where.target, drain);
        where.print(spec(), "job " + taken.job() + " has stopped; savepoint", taken);
        return 0;
    }
}
