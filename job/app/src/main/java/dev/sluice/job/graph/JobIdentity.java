package dev.sluice.job.graph;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Identity of the job whose state a checkpoint contains.
 *
 * <p>A job with another identity would find offsets of other topics in the checkpoint, and would
 * fence the transactions of another job.
 *
 * @param kafkaCluster id of the Kafka cluster
 * @param packets the packets topic
 * @param rules the rules topic
 * @param transactionPrefix prefix of the sinks' transactional ids
 */
public record JobIdentity(
        String kafkaCluster, String packets, String rules, String transactionPrefix) {
    private static final String KAFKA = "kafka-cluster";
    private static final String PACKETS = "packets-topic";
    private static final String RULES = "rules-topic";
    private static final String PREFIX = "transactional-id-prefix";

    /**
     * Reads a file that {@link #write} has written.
     *
     * @return empty if the file does not exist
     */
    static Optional<JobIdentity> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties lines = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            lines.load(in);
        } catch (IOException | IllegalArgumentException e) { // the latter: an invalid escape
            throw new SluiceException(
                    "%s, which names the job of the checkpoints beside it, cannot be read: %s; delete it if they are of this job"
                            .formatted(file, e.getMessage()),
                    e);
        }
        return Optional.of(
                new JobIdentity(
                        lines.getProperty(KAFKA, ""),
                        lines.getProperty(PACKETS, ""),
                        lines.getProperty(RULES, ""),
                        lines.getProperty(PREFIX, "")));
    }

    void write(Path file) {
        Properties lines = new Properties();
        lines.putAll(values());
        TextFiles.write(file, out -> lines.store(out, "Job of the checkpoints in this folder"));
    }

    /** Describes the first difference from another job; empty if there is none. */
    Optional<String> differs(JobIdentity other) {
        Map<String, String> others = other.values();
        return values().entrySet().stream()
                .filter(value -> !value.getValue().equals(others.get(value.getKey())))
                .map(
                        value ->
                                "its %s is %s, that of this job %s"
                                        .formatted(
                                                value.getKey().replace("-", " "),
                                                value.getValue(),
                                                others.get(value.getKey())))
                .findFirst();
    }

    private Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(PACKETS, packets);
        values.put(RULES, rules);
        values.put(PREFIX, transactionPrefix);
        values.put(KAFKA, kafkaCluster);
        return values;
    }
}
