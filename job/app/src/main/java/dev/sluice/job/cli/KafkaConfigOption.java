package dev.sluice.job.cli;

import dev.sluice.job.ShellWord;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.KafkaConfigFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the configuration of Kafka's clients. */
final class KafkaConfigOption {
    private static final String VARIABLE = "SLUICE_KAFKA_CONFIG";

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description =
                    "Properties of Kafka's clients, as security.protocol, for brokers that authenticate clients; $${env:NAME} and $${file:PATH:KEY} keep secrets out of the file (default: what the environment's "
                            + VARIABLE
                            + " names).")
    private @Nullable Path file;

    /**
     * Clients of brokers, with that configuration.
     *
     * @param err takes warnings
     * @throws dev.sluice.policy.io.SluiceException if the file cannot be read, or Kafka would not
     *     take it
     */
    KafkaClients clients(String bootstrap, PrintWriter err) {
        Path named = path();
        if (named == null) {
            return new KafkaClients(bootstrap);
        }
        KafkaConfigFile config = KafkaConfigFile.read(named);
        config.warnings().forEach(warning -> err.println("sluice: warning: " + warning));
        config.requireValid();
        return new KafkaClients(bootstrap, named.toAbsolutePath().normalize().toString());
    }

    /** The option again, behind a space, for a command to be typed; empty if it is not given. */
    String words() {
        return file == null ? "" : " --kafka-config " + ShellWord.of(file);
    }

    private @Nullable Path path() {
        String usual = System.getenv(VARIABLE);
        return file != null || usual == null || usual.isBlank() ? file : Path.of(usual);
    }
}
