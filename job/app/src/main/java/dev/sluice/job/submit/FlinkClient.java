package dev.sluice.job.submit;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * The target of Flink's client: {@code flink run} has set up the environment.
 *
 * @param wanted parallelism; null: the client's
 */
public record FlinkClient(@Nullable Integer wanted) implements Target {
    @Override
    public int parallelism() {
        return wanted == null ? PARALLELISM : wanted;
    }

    @Override
    public boolean run(Job job, JobConsole console) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        if (wanted != null) {
            env.setParallelism(wanted);
        }
        job.build(env);
        env.execute(job.name());
        return true;
    }
}
