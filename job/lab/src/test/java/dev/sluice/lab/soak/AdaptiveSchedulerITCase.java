package dev.sluice.lab.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.watch.RestInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job under Flink's adaptive scheduler, which rescales it as TaskManagers go and come. */
@Tag("long")
@Timeout(400)
class AdaptiveSchedulerITCase {
    /** The second is a pause between two changes that is half a minute by default. */
    private static final String SETTINGS =
            """
            jobmanager.scheduler: adaptive
            jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling: 1 s
            """;

    private static final int TASK_MANAGERS = 3;

    @TempDir private Path directory;

    @Test
    void aTaskManagerThatIsLostAndOneThatIsAddedRescaleTheJobAndNoPacketIsLostOrDoubled()
            throws Exception {
        Path folder = directory.resolve("cluster");
        try (SoakCluster cluster =
                new SoakCluster(
                        folder,
                        TASK_MANAGERS,
                        ClusterPlan.leastMebibytes(TASK_MANAGERS),
                        300,
                        false)) {
            Files.writeString(
                    folder.resolve("conf/config.yaml"), SETTINGS, UTF_8, StandardOpenOption.APPEND);
            cluster.kill(Member.JOB_MANAGER);
            cluster.again(Member.JOB_MANAGER);
            cluster.awaitSlots();
            try (CheckedTraffic traffic =
                    new CheckedTraffic(cluster.bootstrap(), directory.resolve("publisher.out"))) {
                cluster.run();
                RestInterface rest = new RestInterface(cluster.web());
                traffic.await(() -> parallelism(rest, cluster.job()) == TASK_MANAGERS);
                traffic.awaitVerdicts();

                String lost = cluster.taskManager(1);
                cluster.kill(lost);
                traffic.await(() -> parallelism(rest, cluster.job()) == TASK_MANAGERS - 1);
                traffic.awaitVerdicts();

                cluster.again(lost);
                traffic.await(() -> parallelism(rest, cluster.job()) == TASK_MANAGERS);
                traffic.awaitVerdicts();

                traffic.stop();
                cluster.stopJob();
                traffic.end();
            }
        }
    }

    /** Running subtasks of the operator that classifies; -1: not all of them run. */
    private static int parallelism(RestInterface rest, String job) {
        try {
            JsonNode vertices =
                    rest.get("/jobs/" + job).map(all -> all.path("vertices")).orElse(null);
            if (vertices == null) {
                return -1;
            }
            for (JsonNode vertex : vertices) {
                int running = vertex.path("tasks").path("RUNNING").asInt();
                if (vertex.path("name").asText().startsWith("classify")) {
                    return running == vertex.path("parallelism").asInt() ? running : -1;
                }
            }
            return -1;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
