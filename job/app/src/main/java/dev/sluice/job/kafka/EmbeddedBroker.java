package dev.sluice.job.kafka;

import dev.sluice.job.FolderLock;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Kafka broker in this process: KRaft, broker and controller in one.
 *
 * <p>It listens on the loopback interface by default, and keeps its data in a directory of the
 * caller's.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final int BIND_TRIES = 3;

    private static final String LOCK = "broker.lock";

    private final Runnable stop;
    private final FolderLock lock;
    private final String host;
    private final int port;
    private volatile @Nullable String failure;

    /**
     * Address on which a broker listens.
     *
     * @param host name or address of this machine under which clients reach the broker
     * @param port 0 for a free one
     * @param option that sets the port, for messages
     */
    public record Address(String host, int port, String option) {
        /** Returns an address on the loopback interface. */
        public static Address local(int port) {
            return new Address("localhost", port, "--kafka-port");
        }
    }

    /**
     * Starts a broker and waits until it serves.
     *
     * @param directory existing directory for its data; the broker continues with data of an
     *     earlier one
     * @param wantedPort port of the loopback interface to listen on, or 0 for a free one
     * @throws SluiceException if the port is taken or the directory cannot be used
     */
    public static EmbeddedBroker start(Path directory, int wantedPort) {
        for (int tries = 1; ; tries++) {
            try {
                return start(directory.resolve("kafka-" + tries), Address.local(wantedPort));
            } catch (SluiceException e) {
                // Between finding a free port and binding it, another process may have taken it.
                if (tries == BIND_TRIES || wantedPort != 0) {
                    throw e;
                }
            }
        }
    }

    /** Starts a broker as {@link #start(Path, int)} does, on any address of this machine. */
    public static EmbeddedBroker start(Path directory, Address wanted) {
        try {
            return new EmbeddedBroker(directory, wanted);
        } catch (SluiceException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new SluiceException(
                    "the Kafka broker of this process does not start: " + message(e), e);
        }
    }

    private static String message(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    private EmbeddedBroker(Path directory, Address wanted) throws IOException {
        host = wanted.host();
        port = wanted.port() == 0 ? freePort() : requireFree(wanted);
        int controllerPort = freePort();
        Files.createDirectories(directory);
        lock = lock(directory);
        try {
            stop = begin(directory, controllerPort);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /**
     * Locks a directory for this broker. Kafka has a lock of its own, but takes it only after
     * opening the metadata log, so that two brokers would write to that log.
     */
    private static FolderLock lock(Path directory) throws IOException {
        return FolderLock.take(directory, LOCK)
                .orElseThrow(
                        () ->
                                new SluiceException(
                                        "the folder %s is in use by another broker; stop that one, or name another folder"
                                                .formatted(directory)));
    }

    private Runnable begin(Path directory, int controllerPort) throws IOException {
        Properties properties = properties(directory, controllerPort);
        Path file = directory.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            properties.store(out, null);
        }
        // On a fatal error Kafka's code ends the process; here the broker only fails.
        return BrokerLibrary.start(clusterId(directory), file, this::failed);
    }

    /**
     * Returns the cluster id of a directory, always the same, so that a broker can restart with its
     * data.
     */
    static String clusterId(Path directory) {
        UUID named = UUID.nameUUIDFromBytes(directory.toString().getBytes(StandardCharsets.UTF_8));
        return new Uuid(named.getMostSignificantBits(), named.getLeastSignificantBits()).toString();
    }

    private Properties properties(Path directory, int controllerPort) {
        Properties p = new Properties();
        p.setProperty("process.roles", "broker,controller");
        p.setProperty("node.id", "1");
        p.setProperty("controller.quorum.voters", "1@localhost:" + controllerPort);
        p.setProperty(
                "listeners",
                "PLAINTEXT://" + bootstrap() + ",CONTROLLER://localhost:" + controllerPort);
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("log.dirs", directory.resolve("data").toString());
        p.setProperty("auto.create.topics.enable", "false");
        p.setProperty("num.network.threads", String.valueOf(networkThreads()));
        p.setProperty("socket.send.buffer.bytes", KafkaClients.SYSTEMS_BUFFER);
        p.setProperty("socket.receive.buffer.bytes", KafkaClients.SYSTEMS_BUFFER);
        p.setProperty("offsets.topic.replication.factor", "1");
        p.setProperty("offsets.topic.num.partitions", "1");
        p.setProperty("transaction.state.log.replication.factor", "1");
        p.setProperty("transaction.state.log.min.isr", "1");
        p.setProperty("transaction.state.log.num.partitions", "4");
        // Readers wait for the open transactions of a killed job: no longer than their time-out.
        p.setProperty("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");
        p.setProperty("group.initial.rebalance.delay.ms", "0");
        p.setProperty("log.cleaner.dedupe.buffer.size", "4194304");
        p.setProperty("log.index.size.max.bytes", "1048576");
        p.setProperty("log.segment.bytes", "134217728");
        // Bounded topics stay within their bound, on disks that a bench would fill in a minute; few
        // segments are deleted at a time, since deleting many at once delays packets.
        p.setProperty("log.retention.check.interval.ms", "1000");
        p.setProperty("log.initial.task.delay.ms", "5000");
        return p;
    }

    /**
     * Returns the number of network threads: Kafka's three are too few for the headers of many
     * cores (decision 0094).
     */
    private static int networkThreads() {
        return Math.max(3, Runtime.getRuntime().availableProcessors() * 2 / 3);
    }

    private void failed(int status, @Nullable String message) {
        failure =
                message == null
                        ? "the embedded Kafka broker stopped with status " + status
                        : message;
        throw new IllegalStateException("the embedded Kafka broker cannot go on: " + failure);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static int requireFree(Address wanted) {
        try (ServerSocket socket =
                new ServerSocket(wanted.port(), 1, InetAddress.getByName(wanted.host()))) {
            return socket.getLocalPort();
        } catch (IOException | IllegalArgumentException e) {
            throw new SluiceException(
                    "the Kafka broker of this process cannot listen on %s:%s (%s); choose another %s, or 0 for a free port"
                            .formatted(
                                    wanted.host(), wanted.port(), e.getMessage(), wanted.option()),
                    e);
        }
    }

    /** Returns HOST:PORT of the broker. */
    public String bootstrap() {
        return host + ":" + port;
    }

    /** Returns why the broker stopped by itself; null while it runs. */
    public @Nullable String failure() {
        return failure;
    }

    @Override
    public void close() {
        stop.run();
        lock.close();
    }
}
