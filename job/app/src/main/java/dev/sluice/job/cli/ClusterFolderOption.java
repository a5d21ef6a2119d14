package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterFolder;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that names a cluster's folder. */
final class ClusterFolderOption {
    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            defaultValue = ClusterFolder.USUAL,
            description =
                    "Folder of the cluster: its processes, configuration, logs, topics and checkpoints (default ${DEFAULT-VALUE}).")
    Path folder = Path.of(ClusterFolder.USUAL);

    /** The folder, which may or may not be there. */
    ClusterFolder cluster() {
        return ClusterFolder.of(folder);
    }
}
