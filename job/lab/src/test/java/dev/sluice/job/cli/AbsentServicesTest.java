package dev.sluice.job.cli;

import static dev.sluice.job.cli.ErrorLines.assertOneLine;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers, clusters, ports and devices that a command asks for and does not find. */
class AbsentServicesTest {
    @TempDir Path folder;

    @Test
    void anOccupiedPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Sluice run =
                    Sluice.run(
                            "replay",
                            TestData.office("office.pcapng.gz"),
                            "--rules",
                            TestData.office("office.ovs"),
                            "--kafka-port",
                            taken.getLocalPort(),
                            "--temp-dir",
                            folder);
            List<String> lines = run.err().lines().toList();
            assertEquals(2, lines.size(), run.err());
            assertTrue(lines.get(0).startsWith("sluice: starting an embedded"), run.err());
            assertOneLine(
                    new Sluice(run.status(), run.out(), lines.get(1)),
                    1,
                    "cannot listen on localhost:" + taken.getLocalPort(),
                    "choose another --kafka-port, or 0 for a free port");
        }
        assertEquals(0, folder.toFile().list().length, "temporary files were left behind");
    }

    /** A port that nobody listens on. */
    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    @Tag("long")
    void aBrokerThatTakesConnectionsAndDoesNotAnswerIsNotCalledAbsent() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String address = "localhost:" + busy.getLocalPort();
            assertOneLine(
                    Sluice.run(
                            "export", TestData.office("office.pcapng.gz"), "--bootstrap", address),
                    1,
                    "a Kafka broker at " + address + " takes connections",
                    "try again, and look at its log");
        }
    }

    @Test
    void anUnreachableBrokerIsNamed() throws IOException {
        String nobody = "localhost:" + unusedPort();
        assertOneLine(
                Sluice.run("export", TestData.office("office.pcapng.gz"), "--bootstrap", nobody),
                1,
                "no Kafka broker answers at " + nobody);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "no address"), 2, "is no address of a broker");
        assertTimeout(
                Duration.ofSeconds(10),
                () ->
                        assertOneLine(
                                Sluice.run("serve", "--port", 0, "--bootstrap", nobody),
                                1,
                                "no Kafka broker answers at " + nobody));
    }

    /** Before Kafka is asked for anything. */
    @Test
    void aClusterThatDoesNotAnswerAndCheckpointsThatCannotBeAreNamed() throws IOException {
        String nobody = "localhost:" + unusedPort();
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--flink", nobody),
                1,
                "nobody answers at --flink " + nobody);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--flink", "localhost:70000"),
                2,
                "--flink localhost:70000 is no address");
        Path file = Files.createFile(folder.resolve("file"));
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--checkpoints", file),
                1,
                "--checkpoints " + file + " cannot be used");
    }

    @Test
    void aMachineWithoutAGpuSaysSo() {
        Sluice info = Sluice.run("gpu", "info");
        assumeTrue(info.status() != 0, "this machine has a GPU: nothing to refuse");
        assertOneLine(info, 1, "CUDA");
        assertFalse(info.err().contains("--gpu"), info.err());
        assertOneLine(Sluice.run("gpu", "check"), 1, "CUDA");
        assertOneLine(
                Sluice.run("gpu", "bench", "--shape", "round"), 2, "--shape round is unknown");
    }

    @Test
    void aFolderOfOthersIsNoClusters() throws IOException {
        Path mine = Files.writeString(folder.resolve("mine"), "mine");
        assertOneLine(
                Sluice.run("cluster", "up", "--cluster", folder),
                2,
                "--cluster " + folder + " is a folder with other files; name a new folder");
        assertEquals(List.of(mine), Files.list(folder).toList());
        Path state = Files.writeString(folder.resolve("cluster.json"), "{\"a\":1}");
        for (String command : List.of("status", "down")) {
            assertOneLine(
                    Sluice.run("cluster", command, "--cluster", folder),
                    1,
                    state + " is no state of a cluster; name another folder");
        }
    }

    @Test
    void aClusterThatIsNotThereIsNamedAndOptionsThatExcludeEachOtherAre() {
        Path none = folder.resolve("none");
        assertOneLine(
                Sluice.run("cluster", "status", "--cluster", none),
                1,
                "no cluster is up in " + none);
        assertOneLine(
                Sluice.run("cluster", "down", "--cluster", none), 1, "no cluster is up in " + none);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "localhost:1", "--cluster", none),
                1,
                "no cluster is up in " + none);
        assertOneLine(
                Sluice.run(
                        "run", "--bootstrap", "localhost:1", "--cluster", none, "--flink", "h:1"),
                2,
                "--cluster and --flink=h:1 exclude each other; leave one out");
        assertOneLine(
                Sluice.run("cluster", "up", "--cluster", none, "--host", "0.0.0.0"),
                2,
                "--host 0.0.0.0 is no address");
        assertOneLine(
                Sluice.run(
                        "cluster", "up", "--cluster", none, "--memory", "1g", "--task-managers", 3),
                2,
                "--memory: 1024 MiB is too little; a broker, a JobManager and");
    }
}
