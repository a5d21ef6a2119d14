package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster down}. */
@Command(
        name = "down",
        description = {
            "Cancels the jobs of a cluster and ends its processes, by TERM, those that do not end by KILL; topics, checkpoints and logs stay in the folder.",
            "It prints the command by which each job goes on from its last checkpoint. For a state that outlives changes of Flink, too, end the job before with 'sluice stop'.",
            ""
        })
final class ClusterDownCommand extends SluiceCommand implements Interruptible {
    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        CommandLine command = spec().commandLine();
        PrintWriter say = json.isGiven() ? command.getErr() : command.getOut();
        ClusterFolder place = folder.cluster();
        ClusterEnd.Ended ended = new ClusterEnd(place, say::println).end();
        if (json.isGiven()) {
            JsonOption.print(command.getOut(), object(place, ended));
        }
        return 0;
    }

    private static ObjectNode object(ClusterFolder place, ClusterEnd.Ended ended) {
        ObjectNode object =
                JsonOption.object()
                        .put("folder", place.path().toString())
                        .put("processes", ended.members())
                        .put("ran", ended.ran())
                        .put("jobs_known", ended.jobsKnown());
        ArrayNode jobs = object.putArray("jobs");
        for (ClusterEnd.EndedJob job : ended.jobs()) {
            job.addTo(jobs.addObject(), "id");
        }
        return object;
    }

    @Override
    public String whereItStands() {
        return "'sluice cluster status' tells what still runs; type it again to end that";
    }
}
