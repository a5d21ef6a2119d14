package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.JobEnd;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A job of a cluster of this machine, and where its savepoint is to lie. */
final class ClusterJob {
    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description =
                    "Id of the job, as 'sluice cluster status' shows it (default: the only one that runs).")
    private @Nullable String id;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            defaultValue = ClusterFolder.USUAL,
            description =
                    "Folder of the cluster that 'sluice cluster up' has started (default ${DEFAULT-VALUE}).")
    private Path cluster = Path.of(ClusterFolder.USUAL);

    @Option(
            names = "--to",
            paramLabel = "DIR",
            description =
                    "Folder that takes the savepoint, in a folder of its own (default: savepoints in that of the cluster).")
    private @Nullable Path target;

    @Nullable String id() {
        return id;
    }

    ClusterFolder cluster() {
        return ClusterFolder.of(cluster);
    }

    @Nullable Path target() {
        return target;
    }

    /** A savepoint of it, for a program. */
    static ObjectNode told(JobEnd.Savepoint taken) {
        return JsonOption.object()
                .put("job", taken.job())
                .put("savepoint", taken.path().toString())
                .put("options", taken.options())
                .put("resume", taken.resume());
    }
}
