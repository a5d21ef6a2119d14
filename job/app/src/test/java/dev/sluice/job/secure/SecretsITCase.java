package dev.sluice.job.secure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.secure.SecuredBroker.Listener;
import dev.sluice.schemas.testing.TestData;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A password that stands in a {@code --kafka-config}, or that a placeholder there names, is seen
 * nowhere else: a job runs on a cluster of real processes, and all that it leaves is searched.
 */
@Timeout(240)
class SecretsITCase {
    private static final String MARKER = "marker-0f8fad5b";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final StringBuilder printed = new StringBuilder();

    private Sluice run(Object... words) {
        Sluice ran = Sluice.run(words);
        printed.append(ran.out()).append(ran.err());
        return ran;
    }

    private void ok(Object... words) {
        Sluice ran = run(words);
        assertEquals(0, ran.status(), ran.out() + ran.err());
    }

    @Test
    void aPasswordIsSeenNowhere() throws Exception {
        TestCertificates certificates = new TestCertificates(directory.resolve("certificates"));
        certificates.sign("broker", "CN=localhost");
        Path secrets = directory.resolve("secrets.properties");
        Files.writeString(secrets, "password=" + MARKER + "\n");
        ClientFile files = new ClientFile(directory, certificates);
        Path config = files.plain("alice", "${file:" + secrets + ":password}");
        Path folder = directory.resolve("cluster");
        try (SecuredBroker broker =
                new SecuredBroker(
                        directory.resolve("broker"),
                        certificates,
                        Map.of("alice", MARKER),
                        new Properties())) {
            String[] kafka = {
                "--bootstrap", broker.at(Listener.PLAIN), "--kafka-config", config.toString()
            };
            ok(words(kafka, "rules", "publish", "--rules", TestData.office("office.ovs")));
            ok(
                    words(
                            kafka,
                            "cluster",
                            "up",
                            "--cluster",
                            folder,
                            "--web-port",
                            0,
                            "--memory",
                            "2176m",
                            "--slots",
                            1));
            try {
                ok(
                        words(
                                kafka,
                                "run",
                                "--cluster",
                                folder,
                                "--create-topics",
                                "--checkpoint-interval",
                                500));
                ok(words(kafka, "export", TestData.office("office.pcapng.gz")));
                ok(words(kafka, "verdicts", "--follow", "--limit", 1_057));
                ok(words(kafka, "cat", "sluice-dead-letters"));
                run(
                        words(
                                new String[] {
                                    "--bootstrap",
                                    kafka[1],
                                    "--kafka-config",
                                    files.plain("alice", MARKER + "-wrong").toString()
                                },
                                "cat",
                                "any"));
                searchRest(folder);
                ProcessHandle.allProcesses()
                        .forEach(process -> search(process.info().commandLine().orElse("")));
            } finally {
                ok("cluster", "down", "--cluster", folder);
            }
        }
        search(printed.toString());
        assertTrue(searchFiles(folder) > 5, "there are logs and checkpoints");
        String log = Files.readString(folder.resolve("logs").resolve("taskmanager-1.log"));
        assertTrue(
                log.contains("sasl.jaas.config = [hidden]"), "Kafka's clients log what they have");
    }

    private static Object[] words(String[] kafka, Object... words) {
        List<Object> line = new ArrayList<>(List.of(words));
        line.addAll(List.of(kafka));
        return line.toArray();
    }

    private static void search(String text) {
        int at = text.indexOf(MARKER);
        assertFalse(
                at >= 0,
                () -> text.substring(Math.max(0, at - 200), Math.min(text.length(), at + 100)));
    }

    private void searchRest(Path folder) throws Exception {
        ClusterState state = ClusterState.read(ClusterFolder.of(folder)).orElseThrow();
        String job = new ClusterRest(state).jobs().get(0).id();
        HttpClient client = HttpClient.newHttpClient();
        for (String path :
                List.of(
                        "jobs/" + job,
                        "jobs/" + job + "/config",
                        "jobs/" + job + "/plan",
                        "jobs/" + job + "/exceptions",
                        "jobs/" + job + "/checkpoints",
                        "jobs/" + job + "/accumulators?includeSerializedValue=true",
                        "jobmanager/config",
                        "jobmanager/environment",
                        "jobmanager/log",
                        "taskmanagers")) {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://%s:%d/%s"
                                                            .formatted(
                                                                    state.host(),
                                                                    state.webPort(),
                                                                    path)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode(), path);
            search(answer.body());
        }
    }

    private static int searchFiles(Path folder) throws Exception {
        int searched = 0;
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try {
                    search(Files.readString(file, StandardCharsets.ISO_8859_1));
                    searched++;
                } catch (NoSuchFileException e) {
                    // a process that ends has taken it away
                }
            }
        }
        return searched;
    }
}
