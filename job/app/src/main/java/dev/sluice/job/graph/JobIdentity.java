package dev.sluice.job.graph;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

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
@JsonPropertyOrder({"packets topic", "rules topic", "transactional id prefix", "kafka cluster"})
public record JobIdentity(
        @JsonProperty("kafka cluster") String kafkaCluster,
        @JsonProperty("packets topic") String packets,
        @JsonProperty("rules topic") String rules,
        @JsonProperty("transactional id prefix") String transactionPrefix) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads a file that {@link #write} has written.
     *
     * @return empty if the file does not exist
     */
    static Optional<JobIdentity> read(Path file) {
        try {
            return Files.exists(file)
                    ? Optional.of(JSON.readValue(file.toFile(), JobIdentity.class))
                    : Optional.empty();
        } catch (IOException e) {
            throw new SluiceException(
                    "%s, which names the job of the checkpoints beside it, cannot be read: %s; delete it if they are of this job"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    void write(Path file) {
        TextFiles.write(file, JSON.valueToTree(this) + "\n");
    }

    /** Describes the first difference from another job; empty if there is none. */
    Optional<String> differs(JobIdentity other) {
        ObjectNode others = JSON.valueToTree(other);
        return JSON.<ObjectNode>valueToTree(this).properties().stream()
                .filter(value -> !value.getValue().equals(others.get(value.getKey())))
                .map(
                        value ->
                                "its %s is %s, that of this job %s"
                                        .formatted(
                                                value.getKey(),
                                                value.getValue().asText(),
                                                others.get(value.getKey()).asText()))
                .findFirst();
    }
}
