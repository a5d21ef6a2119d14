package dev.sluice.job.kafka;

import dev.sluice.job.FolderLock;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import org.apache.commons.lang3.exception.ExceptionUtils;
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
    private static final String SETTINGS = "broker.properties";

    private final Runnable stop;
    private final FolderLock lock;
    private final String host;
    private final int port;
    private volatile @Nullable String failure;

    /**
     * Address on which a process listens.
     *
     * @param host name or address of this machine under which clients reach the process
     * @param port 0 for a free one
     * @param option that sets the port, for messages
     */
    public record Address(String host, int port, String option) {
        /** Returns an address on the loopback interface. */
        public static Address local(int port) {
            return new Address("localhost", port, "--kafka-port");
        }

        /** Returns the port, or a free one for port 0; fails if nothing can listen on it. */
        public int freePort() {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(host))) {
                return socket.getLocalPort();
            } catch (IOException | IllegalArgumentException e) {
                throw new SluiceException(
                        "Sluice cannot listen on %s:%d (%s); choose another %s, or 0 for a free port"
                                .formatted(host, port, e.getMessage(), option),
                        e);
            }
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
                    "the Kafka broker of this process does not start: "
                            + ExceptionUtils.getRootCause(e).getMessage(),
                    e);
        }
    }

    private EmbeddedBroker(Path directory, Address wanted) throws IOException {
        host = wanted.host();
        port = wanted.freePort();
        int controllerPort = Address.local(0).freePort();
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

    private Properties properties(Path directory, int controllerPort) throws IOException {
        Properties p = new Properties();
        try (InputStream usual = EmbeddedBroker.class.getResourceAsStream(SETTINGS)) {
            p.load(Objects.requireNonNull(usual, SETTINGS));
        }
        p.setProperty("controller.quorum.voters", "1@localhost:" + controllerPort);
        p.setProperty(
                "listeners",
                "PLAINTEXT://" + bootstrap() + ",CONTROLLER://localhost:" + controllerPort);
        p.setProperty("log.dirs", directory.resolve("data").toString());
        p.setProperty("num.network.threads", String.valueOf(networkThreads()));
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
