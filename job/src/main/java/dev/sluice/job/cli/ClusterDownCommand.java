package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice cluster down}. */
@Command(
        name = "down",
        description = {
            "Cancels the jobs of a cluster and ends its processes, by TERM, those that do not end by KILL; topics, "
                    + "checkpoints and logs stay in the folder.",
            "It says which checkpoint each job can go on from with 'sluice resume'. For one that outlives changes of "
                    + "Flink, too, end the job before with 'sluice stop'.",
            ""
        })
final class ClusterDownCommand implements Callable<Integer>, Interruptible {
    @Spec private CommandSpec spec;

    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Override
    public Integer call() throws InterruptedException {
        new ClusterEnd(
                        ClusterFolder.of(folder.path()),
                        line -> spec.commandLine().getOut().println(line))
                .end();
        return 0;
    }

    @Override
    public String whereItStands() {
        return "'sluice cluster status' tells what still runs; type it again to end that";
    }
}
