package dev.sluice.job.endtoend;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.connections.FlowCaptures;
import dev.sluice.job.connections.TrackedRows;
import dev.sluice.job.connections.TrackedVerdicts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Connections of a job's process that is killed in mid-stream, and goes on from its checkpoint. */
@Timeout(300)
class ConnectionJobITCase {
    /** Interface by which all packets come. */
    private static final List<Object> PORT = List.of("--in-port", 7);

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private static List<Object> with(List<Object> some, List<Object> more) {
        List<Object> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    /** Names of interfaces that exporter and job share. */
    private static List<Object> interfaces() throws IOException {
        Path file = Files.writeString(folder.resolve("interfaces"), "8 8\n7 7\n");
        return List.of("--interfaces", file);
    }

    private static void export(Topics topics, Path capture, List<Object> more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("export", capture));
        words.addAll(TrackedVerdicts.EXPORTED);
        words.addAll(with(more, PORT));
        words.addAll(interfaces());
        Sluice.ok(topics.run(words.toArray()));
    }

    /**
     * Kills a job behind its first verdicts, while it judges the packets of another capture, for
     * each number of subtasks but the last.
     *
     * @param windows options of {@code export} and the tracker
     */
    private static void killsChangeNothing(
            String name, int flows, List<Object> windows, int... parallelism) throws Exception {
        int kills = parallelism.length - 1;
        List<Path> captures =
                new ArrayList<>(FlowCaptures.write(folder, flows, flows, 2 * kills + 1));
        captures.add(FlowCaptures.writeLater(folder));
        String rules = FlowCaptures.policy(folder) + "#FORWARD";
        Topics topics = Topics.of(broker.bootstrap(), name).create();
        Sluice.ok(topics.run("rules", "publish", "--rules", rules, "--conntrack", "linux"));
        List<Object> tracking = new ArrayList<>(List.of("--conntrack", "linux"));
        tracking.addAll(windows);
        String kafka = broker.bootstrap();
        try (TrackedVerdicts verdicts =
                        new TrackedVerdicts(
                                rules, captures, kafka, topics.names().verdicts(), tracking);
                TrackedRows rows =
                        new TrackedRows(
                                rules, captures, kafka, name + "-c", with(tracking, PORT))) {
            List<Object> words = with(tracking, interfaces());
            words.addAll(rows.options());
            Object[] options = words.toArray();
            for (int i = 0; i < kills; i++) {
                int before = verdicts.poll();
                try (JobProcess job = JobProcess.start(topics, folder, parallelism[i], options)) {
                    export(topics, captures.get(2 * i), windows);
                    long deadline = JobProcess.deadline();
                    while (verdicts.poll() == before || job.newestCheckpoint().isEmpty()) {
                        job.requireRunning(deadline);
                    }
                    export(topics, captures.get(2 * i + 1), windows);
                    job.kill();
                }
            }
            export(topics, captures.get(2 * kills), windows);
            export(topics, captures.get(2 * kills + 1), windows);
            try (JobProcess job = JobProcess.start(topics, folder, parallelism[kills], options)) {
                long deadline = JobProcess.deadline();
                while (verdicts.poll() < verdicts.wanted() || !rows.poll()) {
                    job.requireRunning(deadline);
                }
                job.kill();
            }
            verdicts.assertAllEqual();
            rows.assertAllEqual();
        }
    }

    @Test
    void aKillAndOtherParallelismChangeNoVerdictAndNoRow() throws Exception {
        killsChangeNothing("connections", 200, List.of(), 1, 3);
    }

    @Test
    void norDoTheyWhereWindowsAreFollowed() throws Exception {
        killsChangeNothing("windows", 200, List.of("--tcp-windows"), 3, 2);
    }

    @Test
    @Tag("long")
    void manyKillsChangeNoVerdictAndNoRow() throws Exception {
        killsChangeNothing("killed-often", 2000, List.of("--tcp-windows"), 2, 3, 1, 2, 1, 3, 2);
    }
}
