package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.watch.RestInterface;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed when a checkpoint is stored and its verdicts are not committed: not
 * about then, but surely, since the JobManager waits there ({@link HeldCheckpoints}).
 */
@Tag("long")
@Timeout(300)
class CommitFaultsITCase {
    @TempDir private Path directory;

    /** A cluster of one TaskManager, with a job whose checkpoints can be held. */
    private final class HeldJob implements AutoCloseable {
        private final Path checkpoints;
        private final SoakCluster cluster;
        private final RestInterface rest;
        private final JobClient job;

        HeldJob() throws Exception {
            checkpoints = Files.createDirectory(directory.resolve("held"));
            cluster =
                    new SoakCluster(
                            directory.resolve("cluster"),
                            1,
                            ClusterPlan.leastMebibytes(1),
                            300,
                            false);
            rest = new RestInterface(cluster.web());
            job = submit();
        }

        private JobClient submit() throws Exception {
            Configuration config = new Configuration();
            config.set(
                    CheckpointingOptions.CHECKPOINT_STORAGE,
                    HeldCheckpoints.Factory.class.getName());
            config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, FlinkPaths.text(checkpoints));
            URI web = URI.create(cluster.web());
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.createRemoteEnvironment(
                            web.getHost(), web.getPort(), config);
            env.setParallelism(1);
            SluiceJob.build(
                    env,
                    new JobOptions(
                            new KafkaClients(cluster.bootstrap()),
                            TopicNames.defaults(),
                            PacketFormat.AVRO,
                            new ClassifyOptions(
                                    EngineOptions.DEFAULTS,
                                    8192,
                                    2000,
                                    4,
                                    64,
                                    VerdictFormat.BLOCKS,
                                    VerdictFields.NONE),
                            StatisticsOptions.TOTALS,
                            "sluice",
                            JobOptions.StartFrom.EARLIEST,
                            false,
                            "sluice",
                            Duration.ofMinutes(5),
                            Duration.ofMillis(300),
                            Framing.SINGLE_OBJECT,
                            CompressionType.NONE,
                            null,
                            null,
                            null,
                            null));
            return env.executeAsync();
        }

        /**
         * Has the next checkpoint held: all its verdicts are stored in Kafka, and none is
         * committed.
         *
         * @return its number
         */
        long hold(CheckedTraffic traffic) throws Exception {
            Files.createFile(checkpoints.resolve(HeldCheckpoints.HOLD));
            traffic.await(() -> held().isPresent());
            traffic.await(() -> cluster.uncommitted() > 0);
            return held().getAsLong();
        }

        private OptionalLong held() {
            try (Stream<Path> files = Files.list(checkpoints)) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.startsWith(HeldCheckpoints.HELD))
                        .mapToLong(
                                name ->
                                        Long.parseLong(
                                                name.substring(HeldCheckpoints.HELD.length())))
                        .findAny();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Lets the JobManager go on with that checkpoint, which then is complete. */
        void release(long checkpoint) throws Exception {
            Files.delete(checkpoints.resolve(HeldCheckpoints.HELD + checkpoint));
            Files.delete(checkpoints.resolve(HeldCheckpoints.HOLD));
            while (completed() < checkpoint) {
                Await.pause();
            }
            assertEquals(checkpoint, completed());
        }

        private long completed() throws InterruptedException {
            return rest.get("/jobs/" + job.getJobID() + "/checkpoints")
                    .map(all -> all.path("latest").path("completed").path("id").asLong())
                    .orElse(0L);
        }

        /** Has a process do nothing more. */
        void suspend(String role) throws Exception {
            Path folder = directory.resolve("cluster");
            ClusterState state = ClusterState.read(ClusterFolder.of(folder)).orElseThrow();
            long pid = state.member(role).orElseThrow().pid();
            assertEquals(
                    0, new ProcessBuilder("kill", "-STOP", String.valueOf(pid)).start().waitFor());
        }

        void stop() throws Exception {
            job.stopWithSavepoint(
                            false,
                            FlinkPaths.text(directory.resolve("savepoints")),
                            SavepointFormatType.CANONICAL)
                    .get();
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    @Test
    void verdictsThatAreStoredAndNotCommittedComeOnceWhoeverIsKilled() throws Exception {
        try (HeldJob job = new HeldJob();
                CheckedTraffic traffic =
                        new CheckedTraffic(
                                job.cluster.bootstrap(), directory.resolve("publisher.out"))) {
            traffic.awaitVerdicts();

            long held = job.hold(traffic);
            job.cluster.kill(Member.BROKER);
            job.release(held);
            job.cluster.again(Member.BROKER);
            job.cluster.awaitBroker();
            traffic.awaitVerdicts();

            long next = job.hold(traffic);
            String taskManager = job.cluster.taskManager(0);
            job.suspend(taskManager);
            job.release(next);
            assertTrue(job.cluster.uncommitted() > 0, "who is stopped has committed");
            job.cluster.kill(taskManager);
            job.cluster.again(taskManager);
            traffic.awaitVerdicts();

            traffic.stop();
            job.stop();
            traffic.end();
        }
    }
}
