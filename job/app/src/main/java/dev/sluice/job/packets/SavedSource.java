package dev.sluice.job.packets;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;

/**
 * A source of packets or rules as a checkpoint has it.
 *
 * @param topics that it has read; none where it had found no partition
 * @param ends whether it ends at offsets that are fixed
 */
public record SavedSource(Set<String> topics, boolean ends) {
    /** Copies the set. */
    public SavedSource {
        topics = Set.copyOf(topics);
    }

    /**
     * Reads it.
     *
     * @param coordinator what the checkpoint holds of the source's coordinator: its version, and
     *     the enumerator's state, with that one's version, as Flink writes them
     * @throws IOException if it cannot be read
     */
    public static SavedSource of(byte[] coordinator) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(coordinator))) {
            in.readInt();
            int version = in.readInt();
            byte[] enumerator = in.readNBytes(in.readInt());
            KafkaSourceEnumStateSerializer kafka = new KafkaSourceEnumStateSerializer();
            KafkaSourceEnumState state =
                    new PacketSourceStateSerializer(kafka).deserialize(version, enumerator).kafka();
            Set<String> topics = new TreeSet<>();
            state.splits().forEach(split -> topics.add(split.split().getTopic()));
            return new SavedSource(
                    topics,
                    state.splits().stream()
                            .anyMatch(split -> split.split().getStoppingOffset().isPresent()));
        }
    }
}
