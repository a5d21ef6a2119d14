package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterEnd;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice cluster cancel}. */
@Command(
        name = "cancel",
        description = {
            "Ends a job of a cluster at once, without a savepoint, also one that does not run. It names the last "
                    + "checkpoint, from which the job can go on with 'sluice resume'.",
            "What the job has judged since that checkpoint is not committed: 'sluice stop' commits it.",
            ""
        })
final class ClusterCancelCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ClusterJob job = new ClusterJob();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        ClusterEnd.EndedJob ended = job.jobs().cancel(job.wanted());
        if (json.isGiven()) {
            JsonOption.print(spec.commandLine().getOut(), ended.addTo(JsonOption.object(), "job"));
        } else {
            spec.commandLine().getOut().println(ended.told());
        }
        return 0;
    }
}
