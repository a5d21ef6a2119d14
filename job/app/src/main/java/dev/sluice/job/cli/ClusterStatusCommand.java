package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterReport;
import dev.sluice.job.cluster.ClusterState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster status}. */
@Command(
        name = "status",
        description = {
            "Shows the processes of a cluster, its slots, its jobs and where it listens.",
            "Exit status 1 if a process is gone, or a TaskManager that runs has not registered. Of each job it "
                    + "shows the options that it was submitted with, and why it does not run.",
            ""
        })
final class ClusterStatusCommand extends SluiceCommand {
    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        ClusterFolder place = folder.cluster();
        ClusterState state =
                ClusterState.read(place).orElseThrow(() -> ClusterEnd.noCluster(place));
        ClusterReport report = ClusterReport.of(place, state);
        if (json.isGiven()) {
            JsonOption.print(out(), report.json());
        } else {
            report.print(out());
        }
        return report.isWhole() ? 0 : 1;
    }
}
