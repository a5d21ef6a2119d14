package dev.sluice.job.submit;

import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SavedJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job that a {@link Target} can run. */
public interface Job {
    /** Adds the job to an environment. */
    void build(StreamExecutionEnvironment env);

    /**
     * Fails where the job cannot go on from a saved one.
     *
     * @param graph of this job
     * @throws dev.sluice.policy.io.SluiceException with the difference and the remedy
     */
    void requireGoesOn(SavedJob saved, JobGraph graph);

    /** Name of the job on a cluster. */
    String name();

    /** Options of the command line, as the job notes them. */
    SubmittedOptions given();

    /** Returns whether the job ends by itself. */
    boolean bounded();

    /** The event that ends the job, in words. */
    String end();

    /**
     * The way to go on after an interruption, in words.
     *
     * @param without the words for a job without a checkpoint
     */
    String next(String without);

    /** Folders of this machine that the job writes into. */
    default List<Path> written() {
        return List.of();
    }

    /** Takes hold of what a job in this process must have alone. */
    default ArchiveFiles.Held hold() throws IOException {
        return () -> {};
    }

    /** Reports on an ended job in this process; false where its input had defects. */
    default boolean report(LocalFlink ended, JobConsole console) {
        return true;
    }
}
