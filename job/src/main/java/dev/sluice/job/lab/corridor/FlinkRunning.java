package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.lab.backend.Classified;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A job of an embedded cluster.
 *
 * @param rest tells who classified its packets; null if it is not Sluice's
 */
record FlinkRunning(LocalFlink flink, @Nullable FlinkRest rest) implements Contender.Running {
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
                        LocalFlink.configuration(track.directory())),
                null);
    }

    @Override
    public void requireRunning() {
        flink.requireRunning();
    }

    @Override
    public @Nullable Classified classified(long headers) throws InterruptedException {
        return rest == null ? null : rest.classified(headers);
    }

    @Override
    public void close() {
        flink.close();
    }
}
