package dev.sluice.job.graph;

import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.SourceTopics;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * A job as a savepoint or checkpoint has it. What another job lacks to go on from there, Flink says
 * when that one starts, in the JobManager's log, and of other topics it says nothing: it reads the
 * old ones beside the new.
 */
public final class SavedJob {
    private final Path folder;
    private final CheckpointMetadata metadata;

    private SavedJob(Path folder, CheckpointMetadata metadata) {
        this.folder = folder;
        this.metadata = metadata;
    }

    /**
     * Reads a complete savepoint or checkpoint.
     *
     * @param folder the one with its {@code _metadata}
     * @throws SluiceException if it cannot be read
     */
    public static SavedJob read(Path folder) {
        try {
            return new SavedJob(folder, metadata(folder));
        } catch (IOException | RuntimeException e) { // broken bytes fail in either way
            throw new SluiceException(
                    "%s cannot be read: %s; it is broken, or of a newer Sluice: name another one, or start the job from the installation that it is of"
                            .formatted(folder, e.getMessage()),
                    e);
        }
    }

    /** What lies in the folder of a complete checkpoint; broken bytes fail in either way. */
    static CheckpointMetadata metadata(Path folder) throws IOException {
        try (DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(
                                Files.newInputStream(folder.resolve("_metadata"))))) {
            return Checkpoints.loadCheckpointMetadata(
                    in, SavedJob.class.getClassLoader(), folder.toString());
        }
    }

    /**
     * Fails where a job cannot go on from here.
     *
     * @param job the graph of {@link SluiceJob}
     * @throws SluiceException with what it lacks, and what to do
     */
    public void requireGoesOn(JobGraph job, TopicNames topics) {
        Set<OperatorID> there = new HashSet<>();
        int parallelism = 0;
        for (JobVertex vertex : job.getVertices()) {
            parallelism = Math.max(parallelism, vertex.getParallelism());
            for (OperatorIDPair operator : vertex.getOperatorIDs()) {
                there.add(operator.getGeneratedOperatorID());
            }
        }
        for (OperatorState operator : metadata.getOperatorStates()) {
            if (!holdsSomething(operator)) {
                continue;
            }
            if (!there.contains(operator.getOperatorID())) {
                throw new SluiceException(
                        "%s holds state of '%s', which this job does not have: it is of another version of Sluice; start the job from that installation"
                                .formatted(folder, name(operator)));
            }
            if (parallelism > operator.getMaxParallelism()) {
                throw new SluiceException(
                        "%s holds state for up to %d subtasks, and --parallelism is %d; lower it"
                                .formatted(folder, operator.getMaxParallelism(), parallelism));
            }
            requireTopic(operator, SluiceJob.PACKETS_SOURCE, "packets", topics.packets());
            requireTopic(operator, SluiceJob.RULES_SOURCE, "rules", topics.rules());
        }
    }

    private static boolean holdsSomething(OperatorState operator) {
        return operator.getCoordinatorState() != null
                || operator.getStates().stream().anyMatch(OperatorSubtaskState::hasState);
    }

    private static String name(OperatorState operator) {
        return operator.getOperatorUid()
                .or(operator::getOperatorName)
                .orElseGet(() -> operator.getOperatorID().toString());
    }

    private void requireTopic(OperatorState operator, String uid, String what, String topic) {
        ByteStreamStateHandle coordinator = operator.getCoordinatorState();
        if (coordinator == null || operator.getOperatorUid().filter(uid::equals).isEmpty()) {
            return;
        }
        Set<String> read;
        try {
            read = SourceTopics.of(coordinator.getData());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be read: %s; start the job from the installation that it is of"
                            .formatted(folder, e.getMessage()),
                    e);
        }
        if (!read.isEmpty() && !read.equals(Set.of(topic))) {
            throw new SluiceException(
                    "%s is of a job whose %s topic is %s, and that of this one is %s: its offsets are of the other; say --%s-topic %s, or start without a savepoint"
                            .formatted(
                                    folder,
                                    what,
                                    String.join(", ", read),
                                    topic,
                                    what,
                                    String.join(", ", read)));
        }
    }
}
