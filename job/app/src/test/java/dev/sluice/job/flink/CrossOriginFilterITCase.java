package dev.sluice.job.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.graph.LocalFlink;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of one process whose web interface may do all that it can. */
@Timeout(120)
class CrossOriginFilterITCase {
    private static final String JOB = "0123456789abcdef0123456789abcdef";

    @TempDir private static Path directory;

    private static MiniCluster cluster;
    private static WebPage page;

    @BeforeAll
    static void start() throws Exception {
        Configuration config = LocalFlink.configuration(directory);
        config.set(RestOptions.BIND_PORT, "0");
        config.set(WebOptions.SUBMIT_ENABLE, true);
        config.set(WebOptions.CANCEL_ENABLE, true);
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder().setConfiguration(config).build());
        cluster.start();
        URI address = cluster.getRestAddress().get();
        page = new WebPage(address.getHost(), address.getPort());
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @Test
    void pagesOfOtherOriginsAndOtherHostsAreRefusedEverywhere() throws IOException {
        for (WebPage.Request request : WebPage.requests(JOB)) {
            for (List<String> headers : page.foreign()) {
                String answer = page.send(request, headers);
                assertEquals(403, WebPage.status(answer), request + " " + headers + answer);
                assertFalse(answer.contains("access-control"), answer);
            }
        }
        assertTrue(cluster.isRunning());
    }

    @Test
    void programsAndOwnPagesAreLetThrough() throws IOException {
        for (WebPage.Request request : WebPage.requests(JOB)) {
            if (request.path().equals("/cluster")) {
                continue; // ends it
            }
            for (List<String> headers : page.own()) {
                assertNotEquals(403, WebPage.status(page.send(request, headers)), request + "");
            }
        }
    }

    @Test
    void nothingOfARefusedUploadIsStored() throws IOException {
        long before = uploads();
        page.send(WebPage.Request.upload(), List.of("Host: evil.example"));
        assertEquals(before, uploads());
        List<String> own = List.of("Host: localhost");
        String stored = page.send(WebPage.Request.upload(), own);
        assertEquals(200, WebPage.status(stored), stored);
        assertEquals(before + 1, uploads());
    }

    private static long uploads() {
        return uploads(directory.toFile());
    }

    /** Counts what is stored; Flink deletes folders meanwhile. */
    private static long uploads(File at) {
        File[] inside = at.listFiles();
        return inside == null
                ? at.getName().endsWith("evil.jar") ? 1 : 0
                : Stream.of(inside).mapToLong(CrossOriginFilterITCase::uploads).sum();
    }

    @Test
    void theRefusalSaysWhatToOpen() throws IOException {
        String answer = page.send(WebPage.Request.of("GET", "/"), List.of("Host: evil.example"));
        assertTrue(
                answer.endsWith(
                        "{\"errors\":[\"this cluster is not known as evil.example; open it as one of [localhost]\"]}"),
                answer);
    }

    @Test
    void anotherMachineDoesNotReachIt() throws IOException {
        Optional<InetAddress> outside =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(address -> !address.isLoopbackAddress())
                        .findAny();
        assumeTrue(outside.isPresent(), "this machine has loopback addresses alone");
        assertThrows(IOException.class, () -> new Socket(outside.get(), page.port()).close());
    }
}
