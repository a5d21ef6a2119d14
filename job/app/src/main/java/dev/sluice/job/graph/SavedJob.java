package dev.sluice.job.graph;

import static java.nio.file.Files.newInputStream;

import dev.sluice.job.packets.SavedSource;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
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
 * State of a job in a savepoint or checkpoint, checked before another job resumes from it.
 *
 * <p>Flink reports missing operators only when the job starts, in the JobManager's log. It does not
 * report other topics at all, but reads the old ones beside the new.
 */
public final class SavedJob {
    /** Prefix of the uid of the source of an archive of captures. */
    public static final String CAPTURES_SOURCE = "captures-source";

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
        } catch (IOException | RuntimeException e) { // damaged bytes cause either
            throw new SluiceException(
                    "%s cannot be read: %s; it is damaged, or of a newer Sluice; name another one, or start the job from the installation that wrote it"
                            .formatted(folder, e.getMessage()),
                    e);
        }
    }

    /**
     * Reads the metadata of a complete checkpoint; damaged bytes cause an IOException or a
     * RuntimeException.
     */
    static CheckpointMetadata metadata(Path folder) throws IOException {
        try (InputStream file =
                        new BufferedInputStream(newInputStream(folder.resolve("_metadata")));
                DataInputStream in = new DataInputStream(file)) {
            return Checkpoints.loadCheckpointMetadata(
                    in, SavedJob.class.getClassLoader(), folder.toString());
        }
    }

    /** Returns the folder of the savepoint or checkpoint. */
    public Path folder() {
        return folder;
    }

    /**
     * Finds the uid of an operator.
     *
     * @param begin prefix of the uid
     * @return empty if no operator has such a uid
     */
    public Optional<String> uid(String begin) {
        return metadata.getOperatorStates().stream()
                .flatMap(operator -> operator.getOperatorUid().stream())
                .filter(uid -> uid.startsWith(begin))
                .findFirst();
    }

    /**
     * Fails if a job cannot resume from this state.
     *
     * @param job the graph of {@link SluiceJob} with these options
     * @throws SluiceException naming the obstacle and its remedy
     */
    public void requireGoesOn(JobGraph job, JobOptions options) {
        if (uid(CAPTURES_SOURCE).isPresent()) {
            throw new SluiceException(
                    "%s is of a job on captures; go on from it by sluice archive, with the captures, --rules and --verdicts of that job"
                            .formatted(folder));
        }
        requireOperators(job);
        for (OperatorState operator : metadata.getOperatorStates()) {
            if (!holdsSomething(operator)) {
                continue;
            }
            if (is(operator, SluiceJob.PACKETS_SOURCE)) {
                SavedSource packets = source(operator);
                requireTopic(packets, "packets", options.topics().packets());
                requireEnd(packets, options.bounded());
            } else if (is(operator, SluiceJob.RULES_SOURCE)) {
                requireTopic(source(operator), "rules", options.topics().rules());
            }
        }
    }

    /**
     * Fails if a job lacks operators, or subtasks, for the state.
     *
     * @param job its graph
     * @throws SluiceException naming the obstacle and its remedy
     */
    public void requireOperators(JobGraph job) {
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
            if (!there.contains(operator.getOperatorID()) && !isOfShadow(operator)) {
                if (name(operator).contains(SluiceJob.CONNECTIONS_SINK)) {
                    throw new SluiceException(
                            "%s is of a job that writes rows of connections; add its --connections-topic"
                                    .formatted(folder));
                }
                throw new SluiceException(
                        "%s holds state of '%s', which this job does not have: it is of another version of Sluice; start the job from that installation"
                                .formatted(folder, name(operator)));
            }
            if (parallelism > operator.getMaxParallelism()) {
                throw new SluiceException(
                        "%s holds state for up to %d subtasks, and --parallelism is %d; lower it"
                                .formatted(folder, operator.getMaxParallelism(), parallelism));
            }
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

    private static boolean is(OperatorState operator, String uid) {
        return operator.getOperatorUid().filter(uid::equals).isPresent();
    }

    private static boolean isOfShadow(OperatorState operator) {
        return operator.getOperatorUid().filter(uid -> uid.startsWith(ShadowJob.UID)).isPresent();
    }

    /** Returns whether it holds the counts of a shadow, which a job without one leaves out. */
    public boolean hasShadow() {
        return metadata.getOperatorStates().stream().anyMatch(SavedJob::isOfShadow);
    }

    private SavedSource source(OperatorState operator) {
        ByteStreamStateHandle coordinator = operator.getCoordinatorState();
        try {
            return coordinator == null
                    ? new SavedSource(Set.of(), false)
                    : SavedSource.of(coordinator.getData());
        } catch (IOException | RuntimeException e) { // damaged bytes cause either
            throw new SluiceException(
                    "%s cannot be read: %s; start the job from the installation that wrote it"
                            .formatted(folder, e.getMessage()),
                    e);
        }
    }

    private void requireTopic(SavedSource source, String what, String topic) {
        if (!source.topics().isEmpty() && !source.topics().equals(Set.of(topic))) {
            String read = String.join(", ", source.topics());
            throw new SluiceException(
                    "%s is of a job whose %s topic is %s, not %s; give --%s-topic %s, or start without a savepoint"
                            .formatted(folder, what, read, topic, what, read));
        }
    }

    /**
     * Fails if only one of the saved and the resuming job is bounded: Flink keeps the saved end of
     * a source.
     */
    private void requireEnd(SavedSource source, boolean bounded) {
        if (!source.topics().isEmpty() && source.ends() != bounded) {
            throw new SluiceException(
                    "%s is of a job %s --bounded; %s --bounded"
                            .formatted(
                                    folder,
                                    bounded ? "without" : "with",
                                    bounded ? "leave out" : "add"));
        }
    }
}
