package dev.sluice.job.packets;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketGlance;
import dev.sluice.schemas.codec.PacketHeaderReader;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.PacketPlace;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads PacketBlock and PacketHeader messages. Of a block, which the classify operator decodes,
 * nothing is built here: it is checked by a glance and goes on as it is, or, where verdicts are to
 * name it, with its topic, partition and offset behind it.
 */
final class AvroReading implements PacketReading {
    private final int shards;
    private final boolean placed;
    private final PacketGlance glance = new PacketGlance();
    private final PacketHeaderReader header = new PacketHeaderReader();

    /**
     * A reading.
     *
     * @param shards flow shards to spread single headers over
     * @param placed whether blocks go on with where they lie
     */
    AvroReading(int shards, boolean placed) {
        this.shards = shards;
        this.placed = placed;
    }

    @Override
    public void read(ConsumerRecord<byte[], byte[]> message, Target target) {
        byte[] value = PacketReading.value(message);
        try {
            if (!PacketHeaderReader.isHeader(value)) {
                int shard = glance.shard(value, shards);
                target.block(shard, placed ? PacketMessages.placed(value, place(message)) : value);
                return;
            }
            header.read(value);
        } catch (MalformedMessageException e) {
            target.dead(
                    new DeadLetter(
                            e.reason(), e.detail(), null, ShardedMessage.where(message, value)));
            return;
        }
        target.header(
                header.capture(),
                header.captureIndex(),
                header.words(),
                header.packet(),
                header.timeNs(),
                header.frameLength());
    }

    private static PacketPlace place(ConsumerRecord<byte[], byte[]> message) {
        return new PacketPlace(message.topic(), message.partition(), message.offset());
    }
}
