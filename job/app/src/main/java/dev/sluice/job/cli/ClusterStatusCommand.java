package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterReport;
import dev.sluice.job.cluster.ClusterState;
import java.io.PrintWriter;
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
    @Spec private CommandSpec spec;

    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        ClusterFolder place = ClusterFolder.of(folder.path());
        ClusterState state =
                ClusterState.read(place).orElseThrow(() -> ClusterEnd.noCluster(place));
        ClusterReport report = ClusterReport.of(place, state);
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(out, report.json());
        } else {
            report.print(out);
            out.flush();
        }
        return report.isWhole() ? 0 : 1;
    }
}
