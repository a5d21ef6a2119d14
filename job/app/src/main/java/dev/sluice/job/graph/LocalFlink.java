package dev.sluice.job.graph;

import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTS_DIRECTORY;
import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINT_STORAGE;
import static org.apache.flink.configuration.CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION;
import static org.apache.flink.configuration.CheckpointingOptions.MAX_RETAINED_CHECKPOINTS;
import static org.apache.flink.configuration.ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION;
import static org.apache.flink.configuration.StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE;
import static org.apache.flink.configuration.StateRecoveryOptions.SAVEPOINT_PATH;

import dev.sluice.job.flink.WebInterface;
import dev.sluice.job.watch.JobFigures;
import dev.sluice.job.watch.MetricBoard;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.policy.io.SluiceException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Job in an embedded Flink cluster of this process. */
public final class LocalFlink implements AutoCloseable {
    /** Default name of a job. */
    public static final String JOB_NAME = "sluice";

    /** Number of restarts of a bounded job; few, so that a command that has an end fails soon. */
    private static final int RESTARTS = 3;

    /**
     * Size of a network buffer. A block of 4,096 headers has some 80 KB. Flink reads a block in
     * place if it lies in one buffer; a block in several buffers is first copied to an array.
     */
    public static final MemorySize SEGMENT = MemorySize.parse("256kb");

    /**
     * Time-out of a call between Flink's processes, including the start of an actor. On a busy
     * machine Flink's default of 10 s passes while classes are loaded. The start of remoting takes
     * ten times as long at most.
     */
    public static final Duration RPC_TIMEOUT = Duration.ofMinutes(1);

    private static final int LEAST_NETWORK_MEBIBYTES = 128;
    private static final int NETWORK_MEBIBYTES_A_CHANNEL = 3;

    private final JobClient job;
    private final MetricBoard metrics;
    private final CompletableFuture<JobExecutionResult> result;

    /** True if the last report said that the job has failed. */
    private boolean failed;

    private LocalFlink(JobClient job, MetricBoard metrics) {
        this.job = job;
        this.metrics = metrics;
        this.result = job.getJobExecutionResult();
    }

    /**
     * Starts cluster and job.
     *
     * @param directory for checkpoints and temporary files
     */
    public static LocalFlink start(JobOptions options, int parallelism, Path directory) {
        return start(options, parallelism, configuration(directory));
    }

    /**
     * Starts cluster and job so that their state survives the process. Checkpoints stay in the
     * folder, and the job resumes from the newest one there.
     *
     * @param graph adds the job to an environment
     * @param bounded whether the job ends by itself
     * @param folder for checkpoints, of this job alone
     */
    public static LocalFlink resume(
            Consumer<StreamExecutionEnvironment> graph,
            boolean bounded,
            int parallelism,
            CheckpointFolder folder) {
        Configuration config = configuration(folder.path());
        if (!bounded) {
            Recovery.inProcess(config);
        }
        config.set(EXTERNALIZED_CHECKPOINT_RETENTION, RETAIN_ON_CANCELLATION);
        folder.newest()
                .ifPresent(
                        newest -> {
                            config.set(SAVEPOINT_PATH, FlinkPaths.text(newest));
                            config.set(
                                    SAVEPOINT_IGNORE_UNCLAIMED_STATE,
                                    SavedJob.read(newest).hasShadow());
                        });
        folder.begin();
        return start(graph, parallelism, config);
    }

    /**
     * Starts cluster and job with a configuration that began as {@link #configuration}.
     *
     * @param config of the cluster
     */
    public static LocalFlink start(JobOptions options, int parallelism, Configuration config) {
        return start(env -> SluiceJob.build(env, options), parallelism, config);
    }

    /**
     * Starts a cluster and any job.
     *
     * @param graph adds the job to an environment
     */
    public static LocalFlink start(
            Consumer<StreamExecutionEnvironment> graph, int parallelism, Configuration config) {
        config.set(TaskManagerOptions.NETWORK_MEMORY_MIN, networkMemory(parallelism, parallelism));
        config.set(TaskManagerOptions.NETWORK_MEMORY_MAX, networkMemory(parallelism, parallelism));
        MetricBoard metrics = new MetricBoard();
        metrics.addTo(config);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(parallelism, config);
        graph.accept(env);
        try {
            return new LocalFlink(env.executeAsync(JOB_NAME), metrics);
        } catch (OutOfMemoryError e) {
            metrics.close();
            throw new SluiceException(
                    "the embedded Flink cluster does not start: the process lacks memory (its network buffers need %s outside the heap); give it more, as with SLUICE_JAVA_OPTS=-XX:MaxDirectMemorySize=2g, or lower --parallelism"
                            .formatted(
                                    networkMemory(parallelism, parallelism)
                                            .toHumanReadableString()),
                    e);
        } catch (Exception e) {
            metrics.close();
            throw new SluiceException("the embedded Flink cluster does not start: " + reason(e), e);
        }
    }

    /**
     * Describes why the cluster does not start; Flink looks up this machine's name even where it
     * needs none.
     */
    static String reason(Exception e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof UnknownHostException unknown) {
                String name = String.valueOf(unknown.getMessage()).split(":", 2)[0];
                return "this machine does not know its own name, %s; add the line '127.0.0.1 %s' to /etc/hosts"
                        .formatted(name, name);
            }
        }
        return rootMessage(e);
    }

    /**
     * Computes the memory of a TaskManager's network buffers: two edges have a channel from every
     * subtask to every other.
     *
     * @param here subtasks of an operator in this TaskManager
     * @param all subtasks of an operator
     */
    public static MemorySize networkMemory(int here, int all) {
        return MemorySize.ofMebiBytes(
                Math.max(LEAST_NETWORK_MEBIBYTES, NETWORK_MEBIBYTES_A_CHANNEL * here * all));
    }

    /** Returns the configuration of an embedded cluster that keeps its files in a directory. */
    public static Configuration configuration(Path directory) {
        Configuration config = new Configuration();
        config.set(CHECKPOINT_STORAGE, "filesystem");
        config.set(CHECKPOINTS_DIRECTORY, FlinkPaths.text(directory.resolve("checkpoints")));
        config.set(MAX_RETAINED_CHECKPOINTS, CheckpointFolder.KEPT);
        config.set(CoreOptions.TMP_DIRS, directory.toString());
        config.set(WebOptions.TMP_DIR, directory.toString());
        config.set(WebOptions.UPLOAD_DIR, directory.resolve("uploads").toString());
        config.set(RpcOptions.ASK_TIMEOUT_DURATION, RPC_TIMEOUT);
        WebInterface.protect(config, "localhost", "http://localhost", false);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofSeconds(1));
        config.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, SEGMENT);
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(32));
        return config;
    }

    /**
     * Finds the message of the innermost exception of ours, or else of the innermost one of all, or
     * its class.
     */
    private static String rootMessage(Throwable e) {
        Throwable told =
                ExceptionUtils.getThrowableList(e).stream()
                        .filter(SluiceException.class::isInstance)
                        .reduce((outer, inner) -> inner)
                        .orElseGet(() -> ExceptionUtils.getRootCause(e));
        return told.getMessage() == null ? told.toString() : told.getMessage();
    }

    /** Returns the job's id in Flink's REST interface. */
    public String jobId() {
        return job.getJobID().toHexString();
    }

    /** Returns the job's figures from its metrics. */
    public JobFigures figures() {
        return metrics.figures();
    }

    /** Tells whether the job ends within some time, successfully or not. */
    public boolean endsWithin(Duration time) throws InterruptedException {
        try {
            result.get(time.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true; // join throws its failure
        }
    }

    /** Fails with the job's failure if it has ended. */
    public void requireRunning() {
        if (!result.isDone()) {
            return;
        }
        join();
        throw new SluiceException("the Flink job ended before its time");
    }

    /**
     * Waits for the end of a bounded job.
     *
     * @return its counts; empty if the counting task had ended before the job's last restart
     */
    public Optional<Outcomes> join() {
        return Outcomes.of(accumulators());
    }

    private Map<String, Object> accumulators() {
        return await(result, "the Flink job failed").getAllAccumulatorResults();
    }

    private static <T> T await(CompletableFuture<T> future, String failed) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new SluiceException(failed + ": " + rootMessage(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        }
    }

    /**
     * Returns the job's counts of a title by name, once the job has ended.
     *
     * @return empty if the counting task had ended before the job's last restart
     */
    public Map<String, Long> counts(String title) {
        Map<String, Long> counts = JobCounts.of(title, accumulators());
        return counts == null ? Map.of() : counts;
    }

    /**
     * Reports a failure of the job once, and once that it runs again. Called repeatedly by one
     * thread.
     */
    public Optional<String> restart() throws InterruptedException {
        boolean fails = !result.isDone() && restarting();
        if (fails == failed) {
            return Optional.empty();
        }
        failed = fails;
        return Optional.of(
                fails
                        ? "the job has failed, and starts again from its last checkpoint"
                        : "the job runs again");
    }

    private boolean restarting() throws InterruptedException {
        try {
            return job.getJobStatus().get() == JobStatus.RESTARTING;
        } catch (ExecutionException | IllegalStateException e) {
            return false; // the cluster has ended with its job; the result holds the cause
        }
    }

    /**
     * Stops the job with a savepoint; all output for the input read so far is committed.
     *
     * @param directory takes the savepoint
     * @param drained whether the job hands on what it keeps, as one that ends by itself
     */
    public void stop(Path directory, boolean drained) {
        String folder = FlinkPaths.text(directory.resolve("savepoint"));
        String unused =
                await(
                        job.stopWithSavepoint(drained, folder, SavepointFormatType.NATIVE),
                        "the Flink job could not be stopped");
        join();
    }

    @Override
    public void close() {
        metrics.close();
        if (result.isDone()) {
            return; // the cluster ends with its job
        }
        try {
            job.cancel().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | IllegalStateException e) {
            if (!result.isDone()) {
                System.err.println(
                        "sluice: the embedded Flink job could not be cancelled: " + rootMessage(e));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
