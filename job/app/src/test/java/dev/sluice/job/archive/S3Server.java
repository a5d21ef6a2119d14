package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An S3 server of this machine in a process of its own (s3proxy), which keeps objects in memory,
 * and Flink's plugin of S3. The build has both where the long tests run.
 */
final class S3Server implements AutoCloseable {
    private static final Path JARS = Path.of("target/object-store").toAbsolutePath();

    private final Path folder;
    private final Process process;
    private final int port;

    /**
     * Starts a server.
     *
     * @param folder for all that it has
     */
    static S3Server start(Path folder) throws Exception {
        assumeTrue(
                Files.isDirectory(JARS),
                "an S3 server and Flink's plugin are there with the long tests alone (./sluice test"
                        + " --long)");
        return new S3Server(folder);
    }

    private S3Server(Path folder) throws Exception {
        this.folder = folder;
        Path plugin = Files.createDirectories(plugins().resolve("s3")).resolve("plugin.jar");
        Files.createSymbolicLink(plugin, JARS.resolve("flink-s3-fs-hadoop.jar"));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path properties =
                Files.write(
                        folder.resolve("s3proxy.conf"),
                        List.of(
                                "s3proxy.authorization=none", // buckets are made by anyone
                                "s3proxy.endpoint=" + endpoint(),
                                "jclouds.provider=transient", // in memory
                                "jclouds.identity=none",
                                "jclouds.credential=none"));
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-jar",
                                JARS.resolve("s3proxy.jar").toString(),
                                "--properties",
                                properties.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("s3proxy.log").toFile())
                        .start();
        Await.until(
                () -> {
                    assertTrue(process.isAlive(), () -> "the S3 server has ended: " + log());
                    return answers();
                });
    }

    private boolean answers() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (ConnectException e) {
            return false;
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("s3proxy.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    void makeBucket(String name) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(endpoint() + "/" + name))
                        .PUT(HttpRequest.BodyPublishers.noBody())
                        .build();
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer.body());
    }

    /** What {@code FLINK_PLUGINS_DIR} is to name. */
    Path plugins() {
        return folder.resolve("plugins");
    }

    /** What Flink's configuration has to say. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("s3.endpoint", endpoint());
        settings.put("s3.path.style.access", "true");
        settings.put("s3.access-key", "anyone");
        settings.put("s3.secret-key", "anything");
        settings.put("s3.attempts.maximum", "2"); // a fault of this server fails the test soon
        settings.put("s3.retry.limit", "2");
        return settings;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
