package dev.sluice.broker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
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
            KafkaConfig properties = new KafkaConfig(Utils.loadProps(config.toString()));
            KafkaRaftServer server = new KafkaRaftServer(properties, Time.SYSTEM);
            server.startup();
            return () -> {
                server.shutdown();
                server.awaitShutdown();
            };
        } finally {
            thread.setContextClassLoader(before);
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
