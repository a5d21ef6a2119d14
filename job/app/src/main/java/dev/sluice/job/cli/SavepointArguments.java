package dev.sluice.job.cli;

import dev.sluice.job.cluster.JobEnd;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Folder of a savepoint, and its report as JSON. */
final class SavepointArguments {
    @Option(
            names = "--to",
            paramLabel = "DIR",
            description =
                    "Folder that takes the savepoint, in a folder of its own (default: savepoints in that of the cluster).")
    @Nullable Path target;

    @Mixin private JsonOption json = new JsonOption();

    /**
     * Prints a savepoint.
     *
     * @param what was done to the job, in words
     */
    void print(CommandSpec command, String what, JobEnd.Savepoint taken) {
        PrintWriter out = command.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(
                    out,
                    JsonOption.object()
                            .put("job", taken.job())
                            .put("savepoint", taken.path().toString())
                            .put("options", taken.options())
                            .put("resume", taken.resume()));
        } else {
            out.println(what + ": " + taken.path());
            out.println("A job goes on from it by: " + taken.resume());
        }
    }
}
