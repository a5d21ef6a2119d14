package dev.sluice.job.graph;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/** Savepoints for tests. */
public final class SavedJobs {
    private SavedJobs() {}

    /**
     * A savepoint that holds some operators.
     *
     * @param folder that takes it
     */
    public static SavedJob of(Path folder, List<OperatorState> operators) throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(folder.resolve("_metadata")))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(7, operators, List.of()), out);
        }
        return SavedJob.read(folder);
    }
}
