package dev.sluice.job.submit;

import dev.sluice.job.watch.JobRest;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Flink cluster by its REST interface, which is given the job's jar. */
public record RemoteCluster(FlinkAddress address, int parallelism) implements Target {
    /** The jar of this installation, as its launcher names it. */
    private static final Path JAR = Path.of(System.getProperty("sluice.job.jar", "sluice-job.jar"));

    @Override
    public void requireAnswer() {
        address.requireAnswer();
    }

    @Override
    public boolean run(Job job, JobConsole console) throws InterruptedException {
        String id = submit(job);
        console.submitted(address.toString(), id);
        console.follow(new JobRest(address.host(), address.port(), id));
        return true;
    }

    private String submit(Job job) {
        if (!Files.isReadable(JAR)) {
            throw new SluiceException(
                    "job jar " + JAR + " does not exist; build it with mvn package");
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        address.host(), address.port(), parallelism, JAR.toString());
        try {
            job.build(env);
            return env.executeAsync(job.name()).getJobID().toHexString();
        } catch (Exception e) {
            throw new SluiceException(
                    "the Flink cluster at %s did not take the job: %s; check --flink"
                            .formatted(address, Failures.describe(e)),
                    e);
        }
    }
}
