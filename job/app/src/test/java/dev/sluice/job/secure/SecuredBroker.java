package dev.sluice.job.secure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * A real broker that asks who comes: a listener for each way to say it, and an authorizer if asked
 * for. Who comes by {@link Listener#INTERNAL} is {@code User:ANONYMOUS}.
 */
final class SecuredBroker implements AutoCloseable {
    static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
    static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";
    static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    static final String OAUTH =
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";

    /** A way to come. */
    enum Listener {
        INTERNAL("PLAINTEXT"),
        TLS("SSL"),
        MTLS("SSL"),
        PLAIN("SASL_SSL"),
        SCRAM("SASL_PLAINTEXT"),
        OAUTH("SASL_SSL");

        private final String protocol;

        Listener(String protocol) {
            this.protocol = protocol;
        }
    }

    private final Map<Listener, Integer> ports = new TreeMap<>();
    private final BrokerProcess process;

    /**
     * Starts a broker.
     *
     * @param users passwords by names, of PLAIN and SCRAM
     * @param more properties of the broker
     */
    SecuredBroker(
            Path folder, TestCertificates certificates, Map<String, String> users, Properties more)
            throws Exception {
        process = start(folder, certificates, users, more);
        BrokerProcess.await(List.of(process), at(Listener.INTERNAL));
    }

    private BrokerProcess start(
            Path folder, TestCertificates certificates, Map<String, String> users, Properties more)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        List<Integer> free = freePorts(1 + Listener.values().length);
        int controller = free.get(0);
        StringBuilder listeners = new StringBuilder("CONTROLLER://localhost:" + controller);
        StringBuilder protocols = new StringBuilder("CONTROLLER:PLAINTEXT");
        for (Listener listener : Listener.values()) {
            ports.put(listener, free.get(1 + listener.ordinal()));
            listeners.append(",%s://localhost:%d".formatted(listener, ports.get(listener)));
            protocols.append(",%s:%s".formatted(listener, listener.protocol));
        }
        Properties p = new Properties();
        p.setProperty("process.roles", "broker,controller");
        p.setProperty("node.id", "1");
        p.setProperty("controller.quorum.voters", "1@localhost:" + controller);
        p.setProperty("listeners", listeners.toString());
        p.setProperty("listener.security.protocol.map", protocols.toString());
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("inter.broker.listener.name", "INTERNAL");
        p.setProperty("log.dirs", folder.resolve("data").toString());
        p.setProperty("auto.create.topics.enable", "false");
        p.setProperty("offsets.topic.replication.factor", "1");
        p.setProperty("offsets.topic.num.partitions", "1");
        p.setProperty("transaction.state.log.replication.factor", "1");
        p.setProperty("transaction.state.log.min.isr", "1");
        p.setProperty("transaction.state.log.num.partitions", "1");
        p.setProperty("group.initial.rebalance.delay.ms", "0");
        p.setProperty("log.cleaner.dedupe.buffer.size", "4194304");
        p.setProperty("ssl.keystore.location", certificates.store("broker").toString());
        p.setProperty("ssl.keystore.password", TestCertificates.PASSWORD);
        p.setProperty("ssl.key.password", TestCertificates.PASSWORD);
        p.setProperty("ssl.truststore.location", certificates.trust().toString());
        p.setProperty("ssl.truststore.password", TestCertificates.PASSWORD);
        p.setProperty("listener.name.mtls.ssl.client.auth", "required");
        StringBuilder plain = new StringBuilder(PLAIN + " required");
        users.forEach(
                (name, password) -> plain.append(" user_%s=\"%s\"".formatted(name, password)));
        p.setProperty("listener.name.plain.sasl.enabled.mechanisms", "PLAIN");
        p.setProperty("listener.name.plain.plain.sasl.jaas.config", plain + ";");
        p.setProperty("listener.name.scram.sasl.enabled.mechanisms", "SCRAM-SHA-256");
        p.setProperty("listener.name.scram.scram-sha-256.sasl.jaas.config", SCRAM + " required;");
        p.setProperty("listener.name.oauth.sasl.enabled.mechanisms", "OAUTHBEARER");
        p.setProperty(
                "listener.name.oauth.oauthbearer.sasl.jaas.config",
                OAUTH + " required unsecuredLoginStringClaim_sub=\"broker\";");
        p.putAll(more);
        Path file = folder.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file)) {
            p.store(out, null);
        }
        List<String> format = new ArrayList<>();
        users.forEach(
                (name, password) -> {
                    format.add("--add-scram");
                    format.add("SCRAM-SHA-256=[name=%s,password=%s]".formatted(name, password));
                });
        String urls = System.getProperty(ALLOWED_URLS, "");
        return new BrokerProcess(
                file,
                Uuid.randomUuid().toString(),
                List.of("-D%s=%s".formatted(ALLOWED_URLS, urls)),
                format);
    }

    /** Different ones: each is held until all are found. */
    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    /** HOST:PORT of a listener. */
    String at(Listener listener) {
        return "localhost:" + ports.get(listener);
    }

    @Override
    public void close() {
        process.close();
    }
}
