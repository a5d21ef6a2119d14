package dev.sluice.job.secure;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.secure.SecuredBroker.Listener;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole corridor by {@code --kafka-config}, in each way that Kafka asks who comes. */
@Timeout(300)
class SecuredKafkaITCase {
    private static final String USER = "alice";
    private static final String PASSWORD = "correct-horse";

    @TempDir private static Path folder;
    private static TestCertificates certificates;
    private static TokenEndpoint endpoint;
    private static SecuredBroker broker;
    private static ClientFile files;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder.resolve("certificates"));
        certificates.sign("broker", "CN=localhost");
        certificates.sign("client", "CN=client");
        certificates.pair("stranger", "CN=stranger");
        endpoint = new TokenEndpoint(USER, PASSWORD);
        System.setProperty(SecuredBroker.ALLOWED_URLS, endpoint.tokens() + "," + endpoint.keys());
        Properties oauth = new Properties();
        oauth.setProperty(
                "listener.name.oauth.oauthbearer.sasl.server.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler");
        oauth.setProperty(
                "listener.name.oauth.sasl.oauthbearer.jwks.endpoint.url", endpoint.keys());
        broker =
                new SecuredBroker(
                        folder.resolve("broker"), certificates, Map.of(USER, PASSWORD), oauth);
        files = new ClientFile(folder, certificates);
    }

    @AfterAll
    static void stop() {
        broker.close();
        endpoint.close();
        System.clearProperty(SecuredBroker.ALLOWED_URLS);
    }

    private static Path right(Listener listener) throws IOException {
        return switch (listener) {
            case INTERNAL -> throw new IllegalArgumentException("asks nobody");
            case TLS -> files.tls(new Properties());
            case MTLS -> files.mutual(certificates.store("client"));
            case PLAIN -> files.plain(USER, PASSWORD);
            case SCRAM -> files.scram(USER, PASSWORD);
            case OAUTH -> files.oauth(endpoint.tokens(), USER, PASSWORD);
        };
    }

    private static Sluice run(Listener listener, Path file, Object... words) {
        List<Object> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--bootstrap", broker.at(listener), "--kafka-config", file));
        return Sluice.run(line.toArray());
    }

    /** By tokens, for which clients of all kinds need most. */
    @Test
    void theCorridorGoesThroughAListener() throws Exception {
        theCorridorGoesThroughEachListener(Listener.OAUTH);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = Listener.class,
            names = {"MTLS", "PLAIN"})
    void theCorridorGoesThroughEachListener(Listener listener) throws Exception {
        Path file = right(listener);
        String[] topics = topics(listener.toString().toLowerCase(java.util.Locale.ROOT));
        ok(
                run(
                        listener,
                        file,
                        "rules",
                        "publish",
                        "--rules",
                        TestData.office("office.ovs"),
                        topics[2],
                        topics[3]));
        ok(
                run(
                        listener,
                        file,
                        "export",
                        TestData.office("office.pcapng.gz"),
                        "--create-topics",
                        topics[0],
                        topics[1],
                        topics[6],
                        topics[7]));
        List<Object> line =
                new ArrayList<>(
                        List.of(
                                "run",
                                "--bounded",
                                "--from",
                                "earliest",
                                "--create-topics",
                                "--checkpoint-interval",
                                "500"));
        line.addAll(List.of(topics));
        Sluice judged = ok(run(listener, file, line.toArray()));
        assertTrue(judged.out().contains("1,057 packets judged by rules"), judged.out());
        Sluice verdicts =
                ok(run(listener, file, "verdicts", topics[2], topics[3], topics[4], topics[5]));
        assertEquals(1 + 1057, verdicts.out().lines().count());
        ok(run(listener, file, "cat", topics[5], "--limit", "1"));
        ok(run(listener, file, "rules", "hits", topics[2], topics[3], topics[8], topics[9]));
        ok(run(listener, file, "rules", "log", topics[2], topics[3], topics[6], topics[7]));
    }

    @ParameterizedTest
    @EnumSource(
            value = Listener.class,
            names = {"TLS", "SCRAM", "MTLS", "PLAIN"})
    void rulesGoThroughEachListener(Listener listener) throws Exception {
        Path file = right(listener);
        String topic = listener.toString();
        ok(
                run(
                        listener,
                        file,
                        "rules",
                        "publish",
                        "--rules",
                        TestData.office("office.ovs"),
                        "--rules-topic",
                        topic));
        Sluice shown = ok(run(listener, file, "rules", "show", "--rules-topic", topic));
        assertTrue(shown.out().contains("tp_dst=3389"), shown.out());
    }

    /** A file, the listener that it goes to, and words of the line that comes. */
    private record Refused(Listener listener, Path file, List<String> words) {
        @Override
        public String toString() {
            return listener + " " + words;
        }
    }

    static Stream<Refused> whatIsRefused() throws Exception {
        Properties nobody = new Properties();
        nobody.setProperty("security.protocol", "SSL");
        Properties otherMechanism = new Properties();
        otherMechanism.setProperty("security.protocol", "SASL_PLAINTEXT");
        otherMechanism.setProperty("sasl.mechanism", "PLAIN");
        otherMechanism.setProperty(
                "sasl.jaas.config",
                SecuredBroker.PLAIN
                        + " required username=\"alice\" password=\""
                        + PASSWORD
                        + "\";");
        Properties noStore = new Properties();
        noStore.setProperty("ssl.truststore.password", "not-" + TestCertificates.PASSWORD);
        return Stream.of(
                new Refused(
                        Listener.PLAIN,
                        files.plain(USER, "wrong-battery"),
                        List.of("the user is refused", "sasl.jaas.config")),
                new Refused(
                        Listener.SCRAM,
                        files.scram(USER, "wrong-battery"),
                        List.of("the user is refused", "sasl.jaas.config")),
                new Refused(
                        Listener.OAUTH,
                        files.oauth(endpoint.tokens(), USER, "wrong-battery"),
                        List.of("401")),
                new Refused(
                        Listener.OAUTH,
                        files.oauth(endpoint.keys() + "/other", USER, PASSWORD),
                        List.of("allowed", SecuredBroker.ALLOWED_URLS, "SLUICE_JAVA_OPTS")),
                new Refused(
                        Listener.SCRAM,
                        files.write(otherMechanism),
                        List.of("PLAIN", "SCRAM-SHA-256", "see sasl.mechanism")),
                new Refused(
                        Listener.TLS,
                        files.write(nobody),
                        List.of("certificate is not trusted", "ssl.truststore.location")),
                new Refused(
                        Listener.TLS,
                        files.tls(noStore),
                        List.of("Failed to load SSL keystore", "password")),
                new Refused(
                        Listener.MTLS,
                        files.tls(new Properties()),
                        List.of("no client without a certificate", "ssl.keystore.location")),
                new Refused(
                        Listener.MTLS,
                        files.mutual(certificates.store("stranger")),
                        List.of("no client without a certificate", "ssl.keystore.location")));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsRefused(Refused refused) {
        Sluice ran = run(refused.listener(), refused.file(), "cat", "any");
        assertEquals(1, ran.status(), ran.err());
        assertEquals(1, ran.err().lines().count(), ran.err());
        assertFalse(ran.err().contains("battery"), ran.err());
        List<String> expected = new ArrayList<>(refused.words());
        expected.add(refused.file().toString());
        for (String word : expected) {
            assertTrue(ran.err().contains(word), word + " in " + ran.err());
        }
    }

    private static String[] topics(String prefix) {
        return new String[] {
            "--packets-topic", prefix + "-p",
            "--rules-topic", prefix + "-r",
            "--verdicts-topic", prefix + "-v",
            "--dead-letters-topic", prefix + "-d",
            "--stats-topic", prefix + "-s"
        };
    }
}
