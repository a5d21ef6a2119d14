package dev.sluice.job.packets;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.memory.DataInputDeserializer;

/**
 * State of a source of packets or rules in a checkpoint.
 *
 * @param topics that it has read; none if it had found no partition
 * @param ends whether it ends at fixed offsets
 */
public record SavedSource(Set<String> topics, boolean ends) {
    /** Copies the set. */
    public SavedSource {
        topics = Set.copyOf(topics);
    }

    /**
     * Reads the state of a source.
     *
     * @param coordinator state of the source's coordinator in Flink's form: its version, and the
     *     enumerator's state with its own version
     * @throws IOException if it cannot be read
     */
    public static SavedSource of(byte[] coordinator) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(coordinator);
        in.readInt();
        PacketSourceStateSerializer.requireLength(coordinator, Integer.BYTES);
        KafkaSourceEnumState state =
                SimpleVersionedSerialization.readVersionAndDeSerialize(
                                new PacketSourceStateSerializer(
                                        new KafkaSourceEnumStateSerializer()),
                                in)
                        .kafka();
        Set<String> topics = new TreeSet<>();
        state.splits().forEach(split -> topics.add(split.split().getTopic()));
        return new SavedSource(
                topics,
                state.splits().stream()
                        .anyMatch(split -> split.split().getStoppingOffset().isPresent()));
    }
}
