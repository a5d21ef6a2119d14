package dev.sluice.job.cli;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.connections.FlowCaptures;
import dev.sluice.job.connections.TrackedRows;
import dev.sluice.job.connections.TrackedVerdicts;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.schemas.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of a cluster's job that loses a TaskManager, and is rescaled by savepoints. */
@Tag("long")
@Timeout(300)
class ConnectionsOfAClusterITCase extends ClusterFixture {
    private static final int CAPTURES = 7;

    private final List<Path> captures = new ArrayList<>();
    private final List<Object> tracking = new ArrayList<>(List.of("--conntrack", "linux"));
    private List<Object> windows = List.of();
    private List<Object> rowOptions = List.of();
    private int exported;

    /** Exports the next capture. */
    private void export() {
        List<Object> words = new ArrayList<>(List.of("export", captures.get(exported++)));
        words.addAll(TrackedVerdicts.EXPORTED);
        words.addAll(windows);
        words.addAll(List.of("--bootstrap", state().bootstrap()));
        ok(words.toArray());
    }

    private void run(int parallelism, Object... more) {
        List<Object> words = new ArrayList<>(List.of("run", "--cluster", folder()));
        words.addAll(List.of("--parallelism", parallelism, "--checkpoint-interval", 300));
        words.addAll(tracking);
        words.addAll(rowOptions);
        words.addAll(List.of(more));
        ok(words.toArray());
    }

    /** Stops the job while it judges a capture, and lets it go on at another parallelism. */
    private void rescale(int parallelism) throws Exception {
        export();
        List<Sluice> stopped = new ArrayList<>();
        Await.until(
                () -> { // a job that starts again takes no savepoint
                    stopped.add(Sluice.run("stop", "--cluster", folder()));
                    return stopped.get(stopped.size() - 1).status() == 0;
                });
        String savepoint = goesOn(stopped.get(stopped.size() - 1)).group(1);
        export();
        run(parallelism, "--savepoint", savepoint);
    }

    private static void awaitMore(TrackedVerdicts verdicts) throws Exception {
        int before = verdicts.poll();
        Await.until(() -> verdicts.poll() > before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--tcp-windows"})
    void aKilledTaskManagerAndSavepointsChangeNoVerdictAndNoRow(String more) throws Exception {
        windows = more.isEmpty() ? List.of() : List.of(more);
        tracking.addAll(windows);
        captures.addAll(FlowCaptures.write(directory, 13, 1500, CAPTURES));
        captures.add(FlowCaptures.writeLater(directory));
        String rules = FlowCaptures.policy(directory) + "#FORWARD";
        ok(
                upWith(
                        List.of("--memory", "3200m", "--task-managers", 2, "--slots", 2),
                        "--kafka-port",
                        0));
        String kafka = state().bootstrap();
        ok("rules", "publish", "--rules", rules, "--conntrack", "linux", "--bootstrap", kafka);
        try (TrackedRows rows = new TrackedRows(rules, captures, kafka, "rows", tracking)) {
            rowOptions = rows.options();
            run(3, "--create-topics", "--from", "earliest");
            killAndRescale(rules, kafka, rows);
        }
        ok(cluster("down"));
    }

    private void killAndRescale(String rules, String kafka, TrackedRows rows) throws Exception {
        try (TrackedVerdicts verdicts =
                new TrackedVerdicts(
                        rules, captures, kafka, TopicNames.defaults().verdicts(), tracking)) {
            export();
            awaitMore(verdicts);
            export();
            Member killed = state().member("taskmanager-1").orElseThrow();
            assertTrue(killed.process().orElseThrow().destroyForcibly());
            export();
            awaitMore(verdicts);
            rescale(1);
            awaitMore(verdicts);
            rescale(4);
            export();
            Await.until(() -> verdicts.poll() >= verdicts.wanted());
            verdicts.assertAllEqual();
            Await.until(rows::poll);
            rows.assertAllEqual();
        }
    }
}
