package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.ClusterReport;
import dev.sluice.job.cluster.ClusterStart;
import dev.sluice.job.cluster.ClusterState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster up}. */
@Command(
        name = "up",
        description = {
            "Starts a Kafka broker (if --bootstrap names none), a Flink JobManager and TaskManagers as processes "
                    + "that outlive the command. It waits until they take jobs, and prints what to type next.",
            "They listen on --host alone, without authentication: whoever reaches it may run any code there. "
                    + "Web pages of other origins are refused. If a cluster is up in the folder, it is left as it is, and the exit status is 1. Topics, checkpoints "
                    + "and logs of the cluster before stay.",
            "The folder is new, empty or that of a cluster before; another folder is left untouched, exit status 2. "
                    + "The cluster's are conf/, logs/, broker/, checkpoints/, savepoints/, tmp/ and cluster.*: each start "
                    + "writes config.yaml in conf/ anew, and empties tmp/.",
            ""
        })
final class ClusterUpCommand extends SluiceCommand implements Interruptible {
    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private ClusterPlanOptions options = new ClusterPlanOptions();

    @Override
    public Integer call() throws InterruptedException {
        long begun = System.nanoTime();
        ClusterFolder made = ClusterFolder.make(folder.folder);
        ClusterStart.requireSpace(made);
        ClusterPlan plan = options.plan(made, err());
        ClusterState state = new ClusterStart(plan, Main.class.getName()).start();
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (json.isGiven()) {
            JsonOption.print(
                    out(),
                    JsonOption.object()
                            .put("folder", made.path().toString())
                            .put("web", state.web())
                            .put("bootstrap", state.bootstrap())
                            .put("task_managers", state.taskManagers())
                            .put("slots", state.allSlots())
                            .put("seconds", seconds));
        } else {
            ClusterReport.printStart(made, state, (long) seconds, options.secured(), out());
        }
        return 0;
    }

    @Override
    public String whereItStands() {
        return "what it had started is ended; 'sluice cluster status' tells whether anything runs";
    }
}
