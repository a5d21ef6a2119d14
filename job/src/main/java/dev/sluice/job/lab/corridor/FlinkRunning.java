package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SluiceJob;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job of an embedded cluster. */
record FlinkRunning(LocalFlink flink) implements Contender.Running {
    /**
     * Starts a job that has the settings of Sluice's, but for its graph.
     *
     * @param graph adds it to an environment
     */
    static FlinkRunning start(Contender.Track track, Consumer<StreamExecutionEnvironment> graph) {
        return new FlinkRunning(
                LocalFlink.start(
                        env -> {
                            SluiceJob.configure(env, track.checkpoints());
                            graph.accept(env);
                        },
                        track.parallelism(),
                        LocalFlink.configuration(track.directory())));
    }

    @Override
    public void requireRunning() {
        flink.requireRunning();
    }

    @Override
    public void close() {
        flink.close();
    }
}
