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
 * What a job's checkpoints are about: a job with other values would find offsets of other topics in
 * them, and would end the transactions of others.
 *
 * @param kafkaCluster id that the brokers give
 * @param packets the packets topic
 * @param rules the rules topic
 * @param transactionPrefix of the sinks' transactional ids
 */
public record JobIdentity(
        String kafkaCluster, String packets, String rules, String transactionPrefix) {
    private static final String KAFKA = "kafka-cluster";
    private static final String PACKETS = "packets-topic";
    private static final String RULES = "rules-topic";
    private static final String PREFIX = "transactional-id-prefix";

    /**
     * Reads what {@link #write} has written.
     *
     * @return empty if the file is not there
     */
    static Optional<JobIdentity> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties lines = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            lines.load(in);
        } catch (IOException | IllegalArgumentException e) { // the latter: a broken escape
            throw new SluiceException(
                    "%s cannot be read: %s; it says of which job the checkpoints beside it are; delete it if you know"
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
        TextFiles.write(
                file,
                out -> lines.store(out, "The job that the checkpoints in this folder are of"));
    }

    /** Where another job differs, in words; empty if it does not. */
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
