package dev.sluice.broker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's server for a process whose clients are of another version. It is loaded by a class loader
 * of its own, so that all that goes in and out is Java's.
 */
public final class BrokerServer {
    private BrokerServer() {}

    /**
     * Starts a broker and waits until it serves.
     *
     * @param cluster id that its storage is formatted with where it is not yet
     * @param config properties of the broker
     * @param failed takes status and message where Kafka's code would end the process
     * @return what stops the broker, and waits until it has
     */
    public static Runnable start(
            String cluster, Path config, BiConsumer<Integer, @Nullable String> failed)
            throws IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Kafka finds classes that its properties name by it, and its threads inherit it.
        thread.setContextClassLoader(BrokerServer.class.getClassLoader());
        try {
            Exit.setExitProcedure(failed::accept);
            Exit.setHaltProcedure(failed::accept);
            format(cluster, config);
            Properties properties = Utils.loadProps(config.toString());
            if (wasKilled(properties)) {
                unregister(properties);
            }
            return run(properties);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Runnable run(Properties properties) {
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        server.startup();
        return () -> {
            server.shutdown();
            server.awaitShutdown();
        };
    }

    /** Returns whether a broker ran on this storage and did not end by itself. */
    private static boolean wasKilled(Properties properties) {
        Path data = Path.of(properties.getProperty("log.dirs"));
        return Files.exists(data.resolve("__cluster_metadata-0"))
                && !Files.exists(data.resolve(".kafka_cleanshutdown"));
    }

    /**
     * Ends the registration that a killed broker left, by the controller alone. A broker that
     * starts beside its own old registration leads its partitions by it until the session is over;
     * Kafka then drops the markers of transactions that ended meanwhile, and readers stand before
     * them for ever (decision 0133).
     */
    private static void unregister(Properties properties) throws IOException {
        Properties alone = new Properties();
        alone.putAll(properties);
        String listeners = properties.getProperty("listeners");
        String controller = listeners.substring(listeners.indexOf("CONTROLLER://"));
        alone.setProperty("process.roles", "controller");
        alone.setProperty("listeners", controller);
        Runnable stop = run(alone);
        Properties client = new Properties();
        client.setProperty(
                AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG,
                controller.substring("CONTROLLER://".length()));
        try (Admin admin = Admin.create(client)) {
            int node = Integer.parseInt(properties.getProperty("node.id"));
            admin.unregisterBroker(node).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof BrokerIdNotRegisteredException)) {
                throw new IOException(e.getCause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the broker starts");
        } finally {
            stop.run();
        }
    }

    private static void format(String cluster, Path config) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        // An id may begin with a dash: with = before it, it is not taken for an option.
        String[] format = {
            "format", "--cluster-id=" + cluster, "--config", config.toString(), "--ignore-formatted"
        };
        int status =
                StorageTool.execute(format, new PrintStream(text, true, StandardCharsets.UTF_8));
        if (status != 0) {
            throw new IOException(
                    "its storage cannot be formatted: "
                            + text.toString(StandardCharsets.UTF_8).strip());
        }
    }
}
