package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import java.io.DataInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job that goes on as another one, by the commands of {@code docs/operations.md} on processes of
 * their own, under load and while rules change.
 */
@Tag("long")
@Timeout(400)
class UpgradeITCase {
    private static final Pattern GOES_ON =
            Pattern.compile("sluice run --savepoint '?([^' ]*)'? --cluster ");
    private static final TopicNames NAMES = TopicNames.defaults();

    @TempDir private Path directory;

    /** What a job is from its start or resume to its end. */
    private record Life(int parallelism, Object... options) {}

    private Path folder() {
        return directory.resolve("cluster");
    }

    private static Sluice sluice(Object... words) {
        Sluice run = Sluice.run(words);
        assertEquals(0, run.status(), run.out() + run.err());
        return run;
    }

    private ClusterState state() {
        return ClusterState.read(ClusterFolder.of(folder())).orElseThrow();
    }

    private void up(String kafkaPort) {
        sluice(
                "cluster",
                "up",
                "--cluster",
                folder(),
                "--kafka-port",
                kafkaPort,
                "--web-port",
                0,
                "--memory",
                "2176m",
                "--slots",
                3);
    }

    private Path down() {
        return goesOn(sluice("cluster", "down", "--cluster", folder()));
    }

    private void start(Life life, Object... command) {
        List<Object> words = new ArrayList<>(List.of(command));
        words.addAll(List.of("--cluster", folder(), "--parallelism", life.parallelism()));
        words.addAll(List.of("--checkpoint-interval", 300));
        words.addAll(List.of(life.options()));
        sluice(words.toArray());
    }

    /** Stops a job; returns its savepoint. */
    private Path stop(Life life) throws Exception {
        Path savepoint = goesOn(sluice("stop", "--cluster", folder()));
        assertEquals(life.parallelism(), parallelism(savepoint));
        return savepoint;
    }

    private static Path goesOn(Sluice said) {
        Matcher command = GOES_ON.matcher(said.out());
        assertTrue(command.find(), said.out());
        return Path.of(command.group(1));
    }

    /** Instances of the classify operator that a savepoint is of. */
    private static int parallelism(Path savepoint) throws Exception {
        try (DataInputStream in =
                new DataInputStream(Files.newInputStream(savepoint.resolve("_metadata")))) {
            return Checkpoints.loadCheckpointMetadata(
                            in, UpgradeITCase.class.getClassLoader(), savepoint.toString())
                    .getOperatorStates()
                    .stream()
                    .filter(state -> state.getOperatorUid().equals(Optional.of("classify")))
                    .mapToInt(OperatorState::getParallelism)
                    .sum();
        }
    }

    private static long messages(String kafka, String topic) {
        try (TopicReader reader = new TopicReader(new KafkaClients(kafka), List.of(topic))) {
            return reader.ends().values().stream().mapToLong(Long::longValue).sum();
        }
    }

    @Test
    void eachPacketHasOneRightVerdictHoweverAJobIsRescaledAndChanged() throws Exception {
        Life first = new Life(2, "--no-stats");
        Life wider = new Life(3, "--algorithm", "linear", "--verdict-fields", "5-tuple");
        Life single = new Life(1, "--no-stats", "--verdict-format", "records", "--batch-size", 64);
        Life anew = new Life(2, "--verdict-columns", "deltas", "--flow-cache", "off");
        Life last = new Life(3);
        up("0");
        String kafka = state().bootstrap();
        String port = kafka.replaceFirst(".*:", "");
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(kafka))) {
            access.createTopics(KafkaAccess.newTopics(NAMES, 2));
        }
        try (CheckedTraffic traffic =
                new CheckedTraffic(kafka, directory.resolve("publisher.out"))) {
            start(first, "run", "--from", "earliest");
            traffic.awaitVerdicts();

            start(wider, "run", "--savepoint", stop(first));
            traffic.awaitVerdicts();
            traffic.await(() -> messages(kafka, NAMES.statistics()) > 0);

            start(single, "run", "--savepoint", stop(wider));
            assertEquals(0, traffic.single());
            traffic.awaitVerdicts();
            assertTrue(traffic.single() > 0, "verdicts come in blocks");

            Path savepoint = stop(single);
            sluice("cluster", "down", "--cluster", folder());
            // Another installation would be put in place here.
            up(port);
            start(anew, "run", "--savepoint", savepoint);
            traffic.awaitVerdicts();

            ProcessHandle jobManager =
                    state().member(Member.JOB_MANAGER).orElseThrow().process().get();
            jobManager.destroyForcibly();
            jobManager.onExit().join();
            Path newest = down();
            up(port);
            start(last, "run", "--savepoint", newest);
            traffic.awaitVerdicts();
            traffic.stop();
            stop(last);
            traffic.end();
        } finally {
            Sluice.run("cluster", "down", "--cluster", folder());
        }
    }
}
