package dev.sluice.job.cli;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.flink.WebPage;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.watch.JobFigures;
import dev.sluice.job.watch.JobMetric;
import dev.sluice.job.watch.JobRest;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sluice cluster}, and jobs that are submitted, stopped and resumed. */
@Timeout(180)
class ClusterCommandITCase extends ClusterFixture {
    private static final Pattern CHECKPOINT =
            Pattern.compile("checkpoint(?: here)?: sluice (?:run|archive) --savepoint '([^']*)' ");

    /** Waits for that many verdicts, and no more; the first line has the columns' names. */
    private static void awaitVerdicts(int packets, String bootstrap) {
        Object[] follow = {"verdicts", "--bootstrap", bootstrap, "--follow", "--limit", packets};
        ok(follow);
        assertEquals(packets + 1, verdicts(bootstrap).lines().count());
    }

    private static String verdicts(String bootstrap) {
        return ok("verdicts", "--bootstrap", bootstrap).out();
    }

    /** Waits until the cluster's REST interface tells of so many packets that were judged. */
    private void awaitFigures(int packets) throws Exception {
        ClusterState state = state();
        String job = new ClusterRest(state).jobs().get(0).id();
        JobRest rest = new JobRest(state.host(), state.webPort(), job);
        assertEquals(Optional.of("RUNNING"), rest.state());
        // Some seconds old, they may be of when the last task had not begun.
        Await.until(
                () -> {
                    JobFigures now = rest.figures();
                    return now.number(JobMetric.JUDGED) >= packets
                            && now.metrics().containsKey(JobMetric.DEAD_LETTERS)
                            && now.metrics().containsKey(JobMetric.LAG);
                });
        JobFigures figures = rest.figures();
        assertEquals(1, figures.number(JobMetric.VERSION), figures.toString());
        assertEquals(0, figures.number(JobMetric.DEAD_LETTERS), figures.toString());
        assertTrue(figures.checkpointMillis() > 0, figures.toString());
    }

    @Test
    void jobsRunOnItUntilItEndsAndGoOnFromTheirCheckpoints() throws Exception {
        Path rules =
                Files.write(directory.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
        Sluice up = ok(up("--kafka-port", 0));
        String kafka = state().bootstrap();
        assertTrue(
                up.out().contains("sluice run --cluster '" + folder() + "' --create-topics"),
                up.out());
        assertEquals(
                List.of("broker", "jobmanager", "taskmanager-1", "watch"),
                state().members().stream().map(Member::role).toList());
        Sluice again = up();
        assertEquals(1, again.status());
        assertTrue(again.err().contains("is up already, 4 of its 4 processes run"), again.err());

        ok("rules", "publish", "--rules", rules, "--bootstrap", kafka);
        Object[] run = {
            "run",
            "--cluster",
            folder(),
            "--create-topics",
            "--checkpoint-interval",
            500,
            "--job-name",
            "tcp rules"
        };
        assertTrue(ok(run).out().startsWith("submitted to the cluster in "));
        Path capture = TestData.office("office.pcapng.gz");
        ok("export", capture, "--bootstrap", kafka);
        awaitVerdicts(1_057, kafka);
        awaitFigures(1_057);
        pagesOfOtherOriginsGetNothing();
        Sluice status = ok(cluster("status"));
        assertTrue(status.out().contains("1 slot, 1 taken, 0 free"), status.out());
        assertTrue(status.out().contains("  RUNNING     tcp rules since "), status.out());

        kill("taskmanager-1");
        awaitRestart();
        ok(cluster("status"));
        kill("watch");
        Member taskManager = kill("taskmanager-1");
        awaitNoSlots();
        aJobWithoutSlotsIsExplained(taskManager);

        Sluice cancelled = ok(cluster("cancel", "tcp rules"));
        Sluice down = ok(cluster("down"));
        assertEquals(Set.of(), left());
        assertTrue(down.out().contains("the cluster has ended (2 of 4 processes ran)"), down.out());
        Matcher checkpoint = CHECKPOINT.matcher(cancelled.out());
        assertTrue(checkpoint.find(), cancelled.out());
        assertTrue(cancelled.out().contains(" --job-name 'tcp rules'"), cancelled.out());
        assertEquals(1, cluster("status").status());
        goOn(checkpoint.group(1), capture, kafka);
    }

    private Member kill(String role) throws Exception {
        Member member = state().member(role).orElseThrow();
        ProcessHandle process = member.process().orElseThrow();
        assertTrue(process.destroyForcibly());
        process.onExit().get();
        return member;
    }

    /** Waits until the job has missed a TaskManager, and runs again. */
    private void awaitRestart() throws Exception {
        ClusterRest rest = new ClusterRest(state());
        Await.until(() -> !rest.jobs().get(0).runs());
        Await.until(() -> rest.jobs().get(0).runs());
    }

    private void awaitNoSlots() throws Exception {
        ClusterRest rest = new ClusterRest(state());
        Await.until(() -> rest.slots().orElseThrow().all() == 0 && !rest.jobs().get(0).runs());
    }

    private void aJobWithoutSlotsIsExplained(Member gone) {
        Sluice status = cluster("status");
        assertEquals(1, status.status(), status.out());
        assertTrue(
                Pattern.compile("taskmanager-1 +" + gone.pid() + " +gone ")
                        .matcher(status.out())
                        .find(),
                status.out());
        assertTrue(
                status.out().contains("does not run: waits for 1 slot; 0 of 0 are free for it"),
                status.out());
        assertTrue(
                status.out().contains("options: --checkpoint-interval 500 --job-name 'tcp rules'"),
                status.out());
        Sluice stop = Sluice.run("stop", "--cluster", folder(), "tcp rules");
        assertEquals(1, stop.status(), stop.out());
        assertTrue(stop.err().contains(" and takes no savepoint: waits for 1 slot"), stop.err());
        assertTrue(stop.err().contains("end it with 'sluice cluster cancel "), stop.err());
        Sluice run = Sluice.run("run", "--cluster", folder());
        assertEquals(1, run.status(), run.out());
        assertTrue(
                run.err().contains("0 of 1 slot of the cluster in ")
                        && run.err().contains("not all TaskManagers have registered, and job "),
                run.err());
    }

    /** The job runs on, and the web interface takes jars and jobs' ends from nobody. */
    private void pagesOfOtherOriginsGetNothing() throws Exception {
        ClusterState state = state();
        ClusterRest rest = new ClusterRest(state);
        String job = rest.jobs().get(0).id();
        WebPage page = new WebPage(state.host(), state.webPort());
        for (WebPage.Request request : WebPage.requests(job)) {
            for (List<String> headers : page.foreign()) {
                String answer = page.send(request, headers);
                assertEquals(403, WebPage.status(answer), request + " " + headers + answer);
            }
        }
        assertEquals("RUNNING", rest.jobs().get(0).state());
        List<String> own = List.of("Host: localhost:" + state.webPort());
        WebPage.Request upload = WebPage.Request.of("POST", "/jars/upload");
        assertEquals(404, WebPage.status(page.send(upload, own)));
        String config = page.send(WebPage.Request.of("GET", "/config"), own);
        assertTrue(config.contains("\"web-submit\":false,\"web-cancel\":false"), config);
        assertTrue(config.contains("access-control-allow-origin: " + state.web()), config);
    }

    /** The first one has one of two. */
    private void anotherJobTakesTheFreeSlots(Path capture, Path rules) throws Exception {
        List<Object> words = new ArrayList<>(List.of("archive", "--cluster", folder()));
        words.addAll(List.of(capture, "--rules", rules, "--verdicts"));
        words.add(directory.resolve("office"));
        List<Object> tooMany = new ArrayList<>(words);
        tooMany.addAll(List.of("--parallelism", 2));
        Sluice refused = Sluice.run(tooMany.toArray());
        assertEquals(1, refused.status(), refused.out());
        assertTrue(
                refused.err().startsWith("sluice: 1 of 2 slots of the cluster in ")
                        && refused.err().contains(" are free, fewer than --parallelism 2: job ")
                        && refused.err().contains(" (sluice) has 1; lower it, "),
                refused.err());
        awaitEnd(ok(words.toArray()).out().strip().replaceFirst("(?s).* as job ", ""));
    }

    private void inAnotherKafkaThePrefixIsAnother(Object... run) throws Exception {
        try (EmbeddedBroker other = EmbeddedBroker.start(directory.resolve("other"), 0)) {
            List<Object> there = new ArrayList<>(List.of(run));
            there.addAll(List.of("--bootstrap", other.bootstrap()));
            Sluice submitted = ok(there.toArray());
            String id = submitted.out().strip().replaceFirst("(?s).* as job ", "");
            new ClusterRest(state()).cancel(List.of(id));
        }
    }

    @Test
    void aStoppedJobGoesOnWithAnotherParallelismAndEachPacketHasOneVerdict() throws Exception {
        Path rules =
                Files.write(directory.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
        JsonPage.assertTells("cluster up", ok(upWithSlots(2, "--kafka-port", 0, "--json")).out());
        String kafka = state().bootstrap();
        ok("rules", "publish", "--rules", rules, "--bootstrap", kafka);
        Object[] run = {
            "run",
            "--cluster",
            folder(),
            "--create-topics",
            "--parallelism",
            1,
            "--checkpoint-interval",
            500,
            "--no-stats"
        };
        ok(run);
        Path capture = TestData.office("office.pcapng.gz");
        ok("export", capture, "--bootstrap", kafka);
        awaitVerdicts(1_057, kafka);
        Sluice second = Sluice.run(run);
        assertEquals(1, second.status(), second.out());
        assertTrue(second.err().contains("with --transactional-id-prefix sluice"), second.err());
        anotherJobTakesTheFreeSlots(capture, rules);
        inAnotherKafkaThePrefixIsAnother(run);

        JsonPage.assertTells("cluster status", ok(cluster("status", "--json")).out());
        Sluice taken = ok("savepoint", "--cluster", folder(), "--json");
        JsonPage.assertTells("savepoint", taken.out());
        String kept = new ObjectMapper().readTree(taken.out()).get("savepoint").asText();
        assertTrue(Files.exists(Path.of(kept, "_metadata")), kept);
        Sluice none = Sluice.run("stop", "--cluster", folder(), "abc");
        assertEquals(1, none.status(), none.out());
        assertTrue(none.err().contains("no job abc runs on the cluster"), none.err());
        Matcher stopped = goesOn(ok("stop", "--cluster", folder()));
        assertEquals("--parallelism 1 --checkpoint-interval 500 --no-stats", stopped.group(3));
        Sluice other =
                goesOnFrom(stopped.group(1), "--packets-topic", "other-packets", "--create-topics");
        assertEquals(1, other.status(), other.out());
        assertTrue(other.err().contains("give --packets-topic sluice-packets"), other.err());
        Sluice ends = goesOnFrom(stopped.group(1), "--bounded");
        assertEquals(1, ends.status(), ends.out());
        assertTrue(ends.err().contains("leave out --bounded"), ends.err());

        ok("export", capture, "--bootstrap", kafka);
        Sluice resumed =
                ok(
                        goesOnFrom(
                                stopped.group(1),
                                "--parallelism",
                                2,
                                "--checkpoint-interval",
                                500,
                                "--algorithm",
                                "linear",
                                "--json"));
        JsonPage.assertTells("archive", resumed.out());
        awaitVerdicts(2 * 1_057, kafka);
        Path last = directory.resolve("last");
        JsonPage.assertTells(
                "stop", ok("stop", "--cluster", folder(), "--to", last, "--json").out());
        Map<String, Long> times =
                verdicts(kafka)
                        .lines()
                        .skip(1)
                        .collect(Collectors.groupingBy(line -> line, Collectors.counting()));
        assertEquals(Set.of(2L), Set.copyOf(times.values()), times.toString());
        Sluice nothing = Sluice.run("stop", "--cluster", folder());
        assertTrue(nothing.err().contains("no job runs on the cluster"), nothing.err());
        Sluice down = ok(cluster("down", "--json"));
        JsonPage.assertTells(
                "cluster down", down.out(), "jobs[].id", "jobs[].checkpoint", "jobs[].resume");
    }

    @Test
    void coresSayHowManyTaskManagersThereAre() {
        Sluice one = up("--task-managers", 2, "--task-manager-cores", "0");
        assertEquals(2, one.status(), one.err());
        assertTrue(one.err().contains("exclude each other"), one.err());
    }

    /** The verdicts of the first capture are there, and are not given again. */
    private void goOn(String checkpoint, Path capture, String kafka) throws Exception {
        ok(up("--kafka-port", kafka.replaceFirst(".*:", "")));
        ok(goesOnFrom(checkpoint, "--checkpoint-interval", 500));
        ok("export", capture, "--bootstrap", kafka);
        awaitVerdicts(2 * 1_057, kafka);
        kill("jobmanager");
        Sluice down = ok(cluster("down", "--json"));
        assertTrue(down.err().contains("the JobManager does not answer"), down.err());
        JsonPage.assertTells("cluster down", down.out());
        JsonNode told = new ObjectMapper().readTree(down.out());
        assertFalse(told.get("jobs_known").asBoolean(), down.out());
        String newest = told.get("jobs").get(0).get("checkpoint").asText();
        assertTrue(Files.exists(Path.of(newest, "_metadata")), newest);
        assertEquals(Set.of(), left());
    }

    @Test
    void aProcessThatEndsAtTheStartIsNamedWithItsLastWords() throws Exception {
        Path data = folder().resolve("broker");
        Files.createFile(
                Files.createDirectories(folder()).resolve("cluster.lock")); // as of one before
        Sluice.Running other = new Sluice.Running("broker", "--data", data, "--port", 0);
        try (other) {
            other.await(() -> other.out().contains("Kafka broker at "));
            Sluice failed = up("--kafka-port", 0);
            assertEquals(1, failed.status(), failed.out());
            assertTrue(
                    failed.err().startsWith("sluice: broker ended with status 1 as it started; "),
                    failed.err());
            assertTrue(failed.err().contains("is in use by another broker"), failed.err());
        }
        assertEquals(Set.of(), left());
        assertEquals(1, cluster("down").status());
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            Sluice failed = up("--kafka-port", taken.getLocalPort());
            assertEquals(1, failed.status());
            assertTrue(failed.err().contains("choose another --kafka-port"), failed.err());
        }
        assertEquals(Set.of(), left());
    }
}
