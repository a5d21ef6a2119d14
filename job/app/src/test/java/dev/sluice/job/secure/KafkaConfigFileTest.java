package dev.sluice.job.secure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.policy.io.SluiceException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files for {@code --kafka-config} that cannot be used: a line each, before Kafka is asked. */
class KafkaConfigFileTest {
    private static final String MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule";

    @TempDir private Path folder;

    private Sluice cat(Path file) {
        return Sluice.run("cat", "any", "--bootstrap", "localhost:1", "--kafka-config", file);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(
                        "transactional.id=a\ngroup.id=b",
                        "sets properties that Sluice sets itself: group.id, transactional.id"),
                Arguments.of("isolation.level=read_uncommitted", "isolation.level"),
                Arguments.of("value.serializer=a.B", "value.serializer"),
                Arguments.of("enable.auto.commit=true", "enable.auto.commit"),
                Arguments.of("request.timeout.ms=soon", "request.timeout.ms"),
                Arguments.of("security.protocol=SSLL", "security.protocol"),
                Arguments.of(
                        "sasl.mechanism=PLAIN\nsasl.jaas.config="
                                + MODULE
                                + " required username=a password=half a-secret;",
                        "sasl.jaas.config is not of the form"),
                Arguments.of(
                        "ssl.key.password=${env:SLUICE_NO_SUCH_VARIABLE}",
                        "ssl.key.password has ${env:SLUICE_NO_SUCH_VARIABLE}, and there is no such value"),
                Arguments.of("ssl.key.password=${file:/no/such/file:name}", "/no/such/file"),
                Arguments.of("ssl.key.password=${vault:secret}", "no config provider of that name"),
                Arguments.of("ssl.key.password=\\u12", "no file of properties"));
    }

    @ParameterizedTest
    @MethodSource
    void faults(String text, String words) throws Exception {
        Path file = folder.resolve("client.properties");
        Files.writeString(file, text);
        Sluice ran = cat(file);
        assertEquals(1, ran.status(), ran.err());
        assertEquals(1, ran.err().lines().count(), ran.err());
        assertTrue(ran.err().contains(words), ran.err());
        assertTrue(ran.err().contains(file.toString()), ran.err());
        assertFalse(ran.err().contains("a-secret"), ran.err());
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path file = folder.resolve("none");
        assertEquals(
                "sluice: Kafka configuration %s does not exist; check the path\n".formatted(file),
                cat(file).err());
    }

    @Test
    void anUnknownPropertyIsAWarning() throws Exception {
        Path file = folder.resolve("client.properties");
        Files.writeString(
                file, "sasl.jass.config=a\nbootstrap.servers=elsewhere:1\nretries=many\n");
        List<String> lines = cat(file).err().lines().toList();
        assertEquals(
                "sluice: warning: Kafka configuration %s: Kafka's clients know no sasl.jass.config; check its name"
                        .formatted(file),
                lines.get(0));
    }

    @Test
    void aMachineOfAClusterThatLacksTheFileIsNamed() throws Exception {
        String command = System.getProperty("sun.java.command");
        System.setProperty(
                "sun.java.command",
                "org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf");
        try {
            SluiceException lacks =
                    assertThrows(
                            SluiceException.class,
                            new KafkaClients("localhost:1", "/no/such/file")::consumer);
            assertEquals(
                    "Kafka configuration /no/such/file does not exist; check the path on %s, where a TaskManager runs (process %d): each machine of the Flink cluster needs it there"
                            .formatted(
                                    InetAddress.getLocalHost().getHostName(),
                                    ProcessHandle.current().pid()),
                    lacks.getMessage());
        } finally {
            System.setProperty("sun.java.command", command);
        }
    }

    @Test
    void aProviderThatTheJvmDoesNotAllowIsNamed() throws Exception {
        Path file = folder.resolve("client.properties");
        Files.writeString(file, "ssl.key.password=${env:PATH}\n");
        String list = "org.apache.kafka.automatic.config.providers";
        System.setProperty(list, "none");
        try {
            String err = cat(file).err();
            assertEquals(1, err.lines().count(), err);
            assertTrue(
                    err.contains("EnvVarConfigProvider is not allowed") && err.contains(list), err);
        } finally {
            System.clearProperty(list);
        }
    }
}
