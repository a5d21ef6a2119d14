package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.endtoend.JobProcess.Checkpoint;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --bounded --checkpoints} that is killed and run again: it goes on, and ends. */
@Timeout(120)
class RestoredBoundedITCase {
    /** Packets of a block that a fetch brings some tens of. */
    private static final int LARGE = 4_096;

    private static final int BLOCKS = 400;

    @TempDir private Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private Object[] line(Topics topics, Object... more) {
        List<Object> words = new ArrayList<>(List.of("--bounded", "--checkpoints", folder));
        words.addAll(List.of("--checkpoint-interval", 50));
        words.addAll(List.of(more));
        return topics.job(words.toArray());
    }

    private JobProcess start(Object[] line) throws IOException {
        return new JobProcess(folder, folder.resolve("log"), line);
    }

    /** Has each consumer get so many bytes a second; null: as many as it can take. */
    private static void limitConsumers(Admin admin, @Nullable Double bytes) throws Exception {
        ClientQuotaEntity all =
                new ClientQuotaEntity(Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
        admin.alterClientQuotas(
                        List.of(
                                new ClientQuotaAlteration(
                                        all,
                                        List.of(
                                                new ClientQuotaAlteration.Op(
                                                        "consumer_byte_rate", bytes)))))
                .all()
                .get();
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }

    /** Sends more packets than one fetch brings. */
    private static void sendLarge(MessageProducer producer, Topics topics) {
        for (int block = 0; block < BLOCKS; block++) {
            producer.send(
                    topics.names().packets(),
                    PacketExporter.key(block % 64),
                    PacketStream.block(block % 64, 1L + (long) block * LARGE, LARGE).encode());
        }
        producer.flush();
    }

    /** The job has judged all packets once, and those only that it was to read. */
    private static void assertJudged(Topics topics, int packets, Sluice ended) throws Exception {
        assertEnds(ended);
        assertTrue(ended.out().contains("%,d packets judged".formatted(packets)), ended.out());
        assertVerdicts(topics, packets);
    }

    private static void assertEnds(Sluice ended) {
        assertEquals(0, ended.status(), ended.out() + ended.err());
        assertTrue(ended.err().contains("the job has ended"), ended.err());
    }

    private static void assertVerdicts(Topics topics, int packets) throws Exception {
        try (PacketCount verdicts =
                new PacketCount(topics.bootstrap(), topics.names().verdicts())) {
            verdicts.pollToEnd();
            assertEquals(packets, verdicts.answered());
            assertEquals(0, verdicts.doubled());
            assertEquals(packets, verdicts.last());
        }
    }

    /** Killed in mid-run; then with another parallelism, and with more in the topic. */
    @Test
    void aJobKilledInMidRunEndsWhereItWasToEnd() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "mid").create();
        topics.publish(TestData.office("office.ovs"));
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                Admin admin = broker.admin()) {
            sendLarge(producer, topics);
            limitConsumers(admin, 1e6);
            try (JobProcess job = start(line(topics))) {
                while (job.newestCheckpoint().isEmpty()) {
                    job.requireRunning();
                    Await.pause();
                }
                job.kill();
            } finally {
                limitConsumers(admin, null);
            }
            admin.createPartitions(Map.of(topics.names().packets(), NewPartitions.increaseTo(5)))
                    .all()
                    .get();
            for (int shard = 0; shard < 64; shard++) {
                producer.send(
                        topics.names().packets(),
                        PacketExporter.key(shard),
                        PacketStream.block(shard, 1L + BLOCKS * LARGE, LARGE).encode());
            }
            producer.flush();
        }
        assertJudged(topics, BLOCKS * LARGE, Sluice.run(line(topics, "--parallelism", 3)));
    }

    /** Killed when its sources have ended and its last verdicts are stored, but not committed. */
    @Test
    void aJobKilledBehindTheEndOfItsSourcesEnds() throws Exception {
        boolean hit = false;
        for (int attempt = 0; attempt < 4 && !hit; attempt++) {
            Topics topics = Topics.of(broker.bootstrap(), "behind" + attempt).create();
            topics.publish(TestData.office("office.ovs"));
            int sent = send(topics);
            try (JobProcess job = start(line(topics))) {
                while (job.isRunning()
                        && job.newestCheckpoint().filter(Checkpoint::sourcesEnded).isEmpty()) {
                    Await.pause();
                }
            }
            // A job that ends well has its checkpoints deleted.
            hit = CheckpointFolder.hasComplete(folder);
            if (hit) {
                assertEnds(Sluice.run(line(topics, "--parallelism", 3)));
            }
            assertVerdicts(topics, sent);
        }
        assumeTrue(hit, "no kill hit a job between the end of its sources and its own");
    }

    private static int send(Topics topics) {
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            packets.send(100);
            producer.flush();
            return packets.sent();
        }
    }

    /** A job that has read all, and waits for rules, says what brings them, and what it leaves. */
    @Test
    void aJobWithoutRulesSaysWhatLetsItEnd() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "rules").create();
        int sent = send(topics);
        try (JobProcess job = start(line(topics))) {
            awaitWait(job);
            assertTrue(job.printed().contains("sluice rules publish"), job.printed());
            assertFalse(job.printed().contains("heartbeat"), job.printed());
            assertEquals(1, job.terminate());
            assertTrue(
                    job.printed()
                            .contains(
                                    CheckpointFolder.hasComplete(folder)
                                            ? "the same command goes on from the newest checkpoint"
                                            : "without a checkpoint the next job begins at --from earliest"),
                    job.printed());
        }
        Files.delete(folder.resolve("log"));
        try (JobProcess job = start(line(topics))) {
            awaitWait(job);
            topics.publish(TestData.office("office.ovs"));
            while (job.isRunning()) {
                Await.pause();
            }
            assertTrue(job.printed().contains("%,d packets judged".formatted(sent)), job.printed());
        }
        assertVerdicts(topics, sent);
    }

    private static void awaitWait(JobProcess job) throws IOException {
        while (!job.printed().contains("cannot end")) {
            job.requireRunning();
            Await.pause();
        }
    }

    /** On a cluster: it loses its TaskManager, which is started again, and then its JobManager. */
    @Test
    @Tag("long")
    @Timeout(300)
    void aJobOfAClusterEndsAfterALostTaskManagerAndALostJobManager() throws Exception {
        Path path = folder.resolve("cluster");
        up(path);
        try {
            Topics topics = new Topics(state(path).bootstrap(), TopicNames.defaults()).create();
            topics.publish(TestData.office("office.ovs"));
            try (MessageProducer producer =
                            new MessageProducer(new KafkaClients(topics.bootstrap()));
                    Admin admin = admin(topics.bootstrap())) {
                sendLarge(producer, topics);
                limitConsumers(admin, 1e6);
            }
            done(
                    "run",
                    "--bounded",
                    "--from",
                    "earliest",
                    "--cluster",
                    path,
                    "--checkpoint-interval",
                    100);
            int first = awaitCheckpoint(path, 0);
            kill(path, Member.TASK_MANAGER + "1");
            awaitCheckpoint(path, first + 1);
            kill(path, Member.JOB_MANAGER);
            done("cluster", "down", "--cluster", path);
            up(path);
            try (Admin admin = admin(state(path).bootstrap())) {
                limitConsumers(admin, null);
            }
            done("run", "--savepoint", newest(path).orElseThrow(), "--bounded", "--cluster", path);
            ClusterRest rest = new ClusterRest(state(path));
            while (rest.jobs().isEmpty() || !rest.jobs().get(0).ended()) {
                Await.pause();
            }
            assertEquals("FINISHED", rest.jobs().get(0).state());
            assertVerdicts(new Topics(state(path).bootstrap(), topics.names()), BLOCKS * LARGE);
        } finally {
            done("cluster", "down", "--cluster", path);
        }
    }

    private static void done(Object... words) {
        Sluice run = Sluice.run(words);
        assertEquals(0, run.status(), run.out() + run.err());
    }

    private static void up(Path path) {
        done(
                "cluster",
                "up",
                "--cluster",
                path,
                "--web-port",
                0,
                "--kafka-port",
                0,
                "--memory",
                "2176m",
                "--slots",
                1);
    }

    private static ClusterState state(Path path) {
        return ClusterState.read(ClusterFolder.of(path)).orElseThrow();
    }

    private static void kill(Path path, String role) {
        long pid = state(path).member(role).orElseThrow().pid();
        assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
    }

    private static Optional<Path> newest(Path path) {
        return CheckpointFolder.newestComplete(ClusterFolder.of(path).checkpoints());
    }

    /** Waits for a checkpoint with a higher number. */
    private static int awaitCheckpoint(Path path, int number) {
        int found = 0;
        while (found <= number) {
            found =
                    newest(path)
                            .map(p -> p.getFileName().toString().replace("chk-", ""))
                            .map(Integer::valueOf)
                            .orElse(0);
        }
        return found;
    }
}
