package dev.sluice.schemas.codec;

/**
 * Place in Kafka of the packets of a PacketBlock, from one of them on.
 *
 * @param topic of the PacketBlock, not empty
 * @param partition of the topic
 * @param offset of the PacketBlock's message
 * @param first the first of the packets, from 0
 */
public record PacketPlace(String topic, int partition, long offset, int first) {
    /** Checks that the numbers are none below 0. */
    public PacketPlace {
        if (topic.isEmpty() || partition < 0 || offset < 0 || first < 0) {
            throw new IllegalArgumentException(
                    "packet %d at offset %d of partition %d of topic '%s' is no place"
                            .formatted(first, offset, partition, topic));
        }
    }

    /** The place of a whole block. */
    public PacketPlace(String topic, int partition, long offset) {
        this(topic, partition, offset, 0);
    }

    /** The place of packets that begin with a later one of these. */
    public PacketPlace from(int packet) {
        return new PacketPlace(topic, partition, offset, first + packet);
    }
}
