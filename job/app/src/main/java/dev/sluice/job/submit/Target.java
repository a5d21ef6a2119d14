package dev.sluice.job.submit;

import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.JobIdentity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A place where a job runs. */
public interface Target extends AutoCloseable {
    /** Parallelism of a job whose user names none and whose target has no other. */
    int PARALLELISM = 2;

    /** Parallelism of the job. */
    int parallelism();

    /** The broker beside the target, HOST:PORT; null where there is none. */
    default @Nullable String bootstrap() {
        return null;
    }

    /**
     * Looks whether the target is there, before a broker is asked.
     *
     * @throws dev.sluice.policy.io.SluiceException if it is not
     */
    default void requireAnswer() {}

    /** Returns whether the job goes on from a checkpoint. */
    default boolean goesOn() {
        return false;
    }

    /** A job of the target that may still write files of verdicts, in words. */
    default Optional<String> writer() {
        return Optional.of("a job on that cluster may still write them");
    }

    /**
     * Fails if a job of the target excludes another.
     *
     * @param given options of the job that is to run
     * @param identity of that job
     */
    default void claim(SubmittedOptions given, JobIdentity identity) {}

    /**
     * Runs a job, or hands it over.
     *
     * @return false if the job's input had defects
     * @throws dev.sluice.policy.io.SluiceException if the job cannot run, or fails
     */
    boolean run(Job job, JobConsole console) throws Exception;

    @Override
    default void close() {}
}
