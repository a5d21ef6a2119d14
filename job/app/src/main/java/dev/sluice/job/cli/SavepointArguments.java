package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cluster.JobEnd;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Folder of a savepoint, and its report as JSON. */
final class SavepointArguments {
    @Option(
            names = "--to",
            paramLabel = "DIR",
            description =
                    "Folder that takes the savepoint, in a folder of its own (default: savepoints in that of the cluster).")
    private @Nullable Path target;

    @Nullable Path target() {
        return target;
    }

    /** A savepoint, for a program. */
    static ObjectNode told(JobEnd.Savepoint taken) {
        return JsonOption.object()
                .put("job", taken.job())
                .put("savepoint", taken.path().toString())
                .put("options", taken.options())
                .put("resume", taken.resume());
    }
}
