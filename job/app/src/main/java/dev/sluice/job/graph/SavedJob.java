package dev.sluice.job.graph;

import dev.sluice.job.packets.SavedSource;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
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
 * A job as a savepoint or checkpoint has it. What another job lacks to go on from there, Flink says
 * when that one starts, in the JobManager's log, and of other topics it says nothing: it reads the
 * old ones beside the new.
 */
public final class SavedJob {
    /** Begin of the uid of the source of an archive of captures. */
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

    /** Where it lies. */
    public Path folder() {
        return folder;
    }

    /**
     * The uid of an operator.
     *
     * @param begin what it begins with
     * @return empty if no operator has such a one
     */
    public Optional<String> uid(String begin) {
        return metadata.getOperatorStates().stream()
                .flatMap(operator -> operator.getOperatorUid().stream())
                .filter(uid -> uid.startsWith(begin))
                .findFirst();
    }

    /**
     * Fails where a job cannot go on from here.
     *
     * @param job the graph of {@link SluiceJob} with these options
     * @throws SluiceException with what it lacks, and what to do
     */
    public void requireGoesOn(JobGraph job, JobOptions options) {
        if (uid(CAPTURES_SOURCE).isPresent()) {
            throw new SluiceException(
                    "%s is of a job on captures: say --captures, --rules and --verdicts as that had them"
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
     * Fails where there is state that a job has no operators, or not enough subtasks, for.
     *
     * @param job its graph
     * @throws SluiceException with what it lacks, and what to do
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

    private SavedSource source(OperatorState operator) {
        ByteStreamStateHandle coordinator = operator.getCoordinatorState();
        try {
            return coordinator == null
                    ? new SavedSource(Set.of(), false)
                    : SavedSource.of(coordinator.getData());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be read: %s; start the job from the installation that it is of"
                            .formatted(folder, e.getMessage()),
                    e);
        }
    }

    private void requireTopic(SavedSource source, String what, String topic) {
        if (!source.topics().isEmpty() && !source.topics().equals(Set.of(topic))) {
            String read = String.join(", ", source.topics());
            throw new SluiceException(
                    "%s is of a job whose %s topic is %s, and that of this one is %s: its offsets are of the other; say --%s-topic %s, or start without a savepoint"
                            .formatted(folder, what, read, topic, what, read));
        }
    }

    /** Flink keeps where a source ends, or that it does not, whatever the job says that goes on. */
    private void requireEnd(SavedSource source, boolean bounded) {
        if (!source.topics().isEmpty() && source.ends() != bounded) {
            throw new SluiceException(
                    "%s is of a job %s"
                            .formatted(
                                    folder,
                                    bounded
                                            ? "without an end: leave out --bounded"
                                            : "with --bounded, which ends where it was to end: say --bounded"));
        }
    }
}
