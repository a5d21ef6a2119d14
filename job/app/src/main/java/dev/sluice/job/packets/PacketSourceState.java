package dev.sluice.job.packets;

import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;

/**
 * State of the packet source in a checkpoint.
 *
 * @param kafka the connector's own state
 * @param topics Kafka's ids of the job's topics, by name
 * @param checkpoint its number; 0: unknown
 */
record PacketSourceState(KafkaSourceEnumState kafka, Map<String, String> topics, long checkpoint) {
    /** Copies the map. */
    PacketSourceState {
        topics = Map.copyOf(topics);
    }
}
