package dev.sluice.job.cli;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.archive.MadeCaptures;
import dev.sluice.job.archive.VerdictFiles;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.watch.RestInterface;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that take a cluster long: an archive through faults, and the corridor. */
@Timeout(180)
class JobsOfAClusterITCase extends ClusterFixture {
    /** Captures of an archive, and rules, that take a slow algorithm a while. */
    private static final int CAPTURES = 20;

    private static final int RULES = 20_000;

    /**
     * The job loses the TaskManager that it runs on, goes on in the other one, is stopped, and goes
     * on with an algorithm that is not so slow.
     */
    @Tag("long")
    @Test
    void anArchiveIsJudgedAsByClassifyThroughAKillAStopAndAResume() throws Exception {
        ok(
                upWith(
                        List.of("--memory", "3200m", "--task-managers", 2, "--slots", 1),
                        "--kafka-port",
                        0));
        Path day = Files.createDirectories(directory.resolve("day 1"));
        Path first = Files.write(day.resolve("00.pcap"), MadeCaptures.pcap(20));
        List<Object> classify = new ArrayList<>(List.of("classify", first));
        for (int i = 1; i < CAPTURES; i++) {
            classify.add(Files.createLink(day.resolve("%02d.pcap".formatted(i)), first));
        }
        Path rules = manyRules();
        Path expected = directory.resolve("classify.tsv");
        classify.addAll(List.of("--rules", rules, "--verdicts", expected));
        ok(classify.toArray());

        Path verdicts = directory.resolve("verdicts");
        List<Object> options = List.of(day + "/*.pcap", "--rules", rules, "--verdicts", verdicts);
        List<Object> run = new ArrayList<>(List.of("archive", "--cluster", folder()));
        run.addAll(options);
        run.addAll(List.of("--parallelism", 1, "--checkpoint-interval", 200, "--gpu", "off"));
        run.addAll(List.of("--algorithm", "linear", "--flow-cache", "off"));
        ok(run.toArray());
        int before = awaitParts(verdicts, 1);
        killBusyTaskManager();
        // What the last checkpoint before had is committed first; what follows is of a new attempt.
        awaitParts(verdicts, before + 2);
        Matcher stopped = goesOn(ok("stop", "--cluster", folder()));

        List<Object> resume = new ArrayList<>(List.of("archive", "--cluster", folder()));
        resume.addAll(List.of("--savepoint", stopped.group(1)));
        resume.addAll(options);
        resume.addAll(List.of("--parallelism", 1, "--checkpoint-interval", 200, "--gpu", "off"));
        List<Object> more = new ArrayList<>(resume);
        Path other = Files.write(directory.resolve("other.pcap"), MadeCaptures.pcap(1));
        more.add(other);
        Sluice refused = Sluice.run(more.toArray());
        assertEquals(1, refused.status(), refused.out());
        assertTrue(refused.err().contains("is of a job on 20 captures"), refused.err());
        String job = ok(resume.toArray()).out().strip().replaceFirst("(?s).* as job ", "");
        awaitEnd(job);
        List<String> lines = Files.readAllLines(expected);
        assertEquals(lines, VerdictFiles.sorted(verdicts, lines.get(0)));
        ok(cluster("down"));
    }

    /** So many that to look through all of them takes a while; those of the office are the last. */
    private Path manyRules() throws IOException {
        List<String> rules = new ArrayList<>();
        for (int i = 0; i < RULES; i++) {
            rules.add(
                    "priority=60000,tcp,nw_dst=203.0.%d.%d,tp_dst=%d,actions=drop"
                            .formatted(i >> 8 & 255, i & 255, 1 + (i >> 16)));
        }
        rules.addAll(Files.readAllLines(TestData.office("office.ovs")));
        return Files.write(directory.resolve("many.ovs"), rules);
    }

    private static int awaitParts(Path verdicts, int least) throws Exception {
        Await.until(
                () -> Files.isDirectory(verdicts) && VerdictFiles.parts(verdicts).size() >= least);
        return VerdictFiles.parts(verdicts).size();
    }

    private void killBusyTaskManager() throws InterruptedException {
        ClusterState state = state();
        RestInterface rest = new RestInterface("http://" + state.host() + ":" + state.webPort());
        for (JsonNode there : rest.get("/taskmanagers").orElseThrow().path("taskmanagers")) {
            if (there.path("freeSlots").asInt() == 0) {
                ProcessHandle process =
                        state.member(there.path("id").asText())
                                .flatMap(Member::process)
                                .orElseThrow();
                assertTrue(process.destroyForcibly());
                return;
            }
        }
        throw new AssertionError("the job runs nowhere");
    }

    @Tag("long")
    @Test
    void theCorridorIsMeasuredOnItAndLeavesNoTopics() throws Exception {
        Path rules =
                Files.write(
                        directory.resolve("rules"),
                        List.of("@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xff"));
        Path trace = Files.write(directory.resolve("trace"), List.of("167772161\t77\t1024\t80\t6"));
        List<Object> cores =
                Files.isExecutable(Path.of("/usr/bin/taskset"))
                        ? List.of("--kafka-port", 0, "--task-manager-cores", "0")
                        : List.of("--kafka-port", 0);
        ok(up(cores.toArray()));
        Sluice measured =
                ok(
                        "bench",
                        "corridor",
                        "--cluster",
                        folder(),
                        "--parallelism",
                        1,
                        "--headers",
                        100_000,
                        "--checkpoint-interval",
                        300,
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--json");
        JsonNode found = new ObjectMapper().readTree(measured.out());
        assertEquals(100_000, found.get("headers").asLong());
        assertTrue(found.get("cpuMicrosPerHeader").asDouble() > 0, measured.out());
        assertTrue(found.get("brokerCpuMicrosPerHeader").asDouble() > 0, measured.out());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", state().bootstrap()))) {
            assertEquals(Set.of(), admin.listTopics().names().get());
        }
        Sluice ended = ok(cluster("status"));
        assertTrue(ended.out().contains("0 taken, 1 free"), ended.out());
        ok(cluster("down"));
    }
}
