package dev.sluice.job.packets;

import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;

/**
 * What a checkpoint keeps of the packet source beside the offsets.
 *
 * @param kafka the connector's own
 * @param topics Kafka's ids of the job's topics, by name
 * @param checkpoint its number; 0: of a job from before, not known
 */
record PacketSourceState(KafkaSourceEnumState kafka, Map<String, String> topics, long checkpoint) {
    /** Copies the map. */
    PacketSourceState {
        topics = Map.copyOf(topics);
    }
}
