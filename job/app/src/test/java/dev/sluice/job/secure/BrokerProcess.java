package dev.sluice.job.secure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.BrokerLibrary;
import dev.sluice.schemas.testing.Await;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/**
 * A broker in a process of its own. Where brokers and clients are in one process, the JDK has a
 * SASL mechanism of the one version for both.
 */
final class BrokerProcess implements AutoCloseable {

    private final Path log;
    private final Process process;

    /**
     * Formats the storage, and starts the broker.
     *
     * @param options of Java
     * @param formatting more words for the formatting
     */
    BrokerProcess(Path config, String cluster, List<String> options, List<String> formatting)
            throws IOException, InterruptedException {
        log = Path.of(config + ".log");
        List<String> format =
                new ArrayList<>(
                        List.of("format", "--cluster-id=" + cluster, "--config", "" + config));
        format.addAll(formatting);
        int status = java(options, "kafka.tools.StorageTool", format).waitFor();
        assertEquals(0, status, said());
        process = java(options, "kafka.Kafka", List.of(config.toString()));
    }

    private Process java(List<String> options, String main, List<String> words) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Xmx256m");
        line.addAll(Sluice.SHORT_LIVED);
        line.addAll(options);
        line.add("-cp");
        line.add(
                BrokerLibrary.folder().resolve("*")
                        + File.pathSeparator
                        + System.getProperty("java.class.path"));
        line.add(main);
        line.addAll(words);
        return new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private String said() throws IOException {
        return Files.readString(log);
    }

    /** Waits until so many brokers of the cluster serve. */
    static void await(List<BrokerProcess> brokers, String bootstrap) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            Await.until(
                    () -> {
                        for (BrokerProcess broker : brokers) {
                            assertTrue(broker.process.isAlive(), broker.said());
                        }
                        return up(admin) >= brokers.size();
                    });
        }
    }

    private static int up(Admin admin) throws InterruptedException {
        try {
            return admin.describeCluster().nodes().get().size();
        } catch (ExecutionException e) {
            return 0; // none serves yet
        }
    }

    /** Ends it as kill -9 does. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
