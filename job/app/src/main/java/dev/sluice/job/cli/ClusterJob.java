package dev.sluice.job.cli;

import dev.sluice.job.cluster.JobEnd;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A job of a cluster of this machine. */
final class ClusterJob {
    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description =
                    "Id or name of the job, as 'sluice cluster status' shows them (default: the only one there).")
    @Nullable String wanted;

    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    /**
     * The jobs of its cluster.
     *
     * @throws dev.sluice.policy.io.SluiceException if that is not up
     */
    JobEnd jobs() {
        return new JobEnd(folder.cluster());
    }
}
