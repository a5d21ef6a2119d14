package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster cancel}. */
@Command(
        name = "cancel",
        description = {
            "Ends a job of a cluster at once, without a savepoint, also one that does not run. It prints the command by which the job goes on from its last checkpoint.",
            "What the job has judged since that checkpoint is not committed: 'sluice stop' commits it.",
            ""
        })
final class ClusterCancelCommand extends SluiceCommand {
    @Mixin private ClusterJob job = new ClusterJob();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        ClusterEnd.EndedJob ended = job.jobs().cancel(job.wanted);
        json.print(out(), ended.addTo(JsonOption.object(), "job"), ended.told());
        return 0;
    }
}
