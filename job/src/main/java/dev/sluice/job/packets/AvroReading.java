package dev.sluice.job.packets;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketGlance;
import dev.sluice.schemas.codec.PacketHeaderReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads PacketBlock and PacketHeader messages. Of a block, which the classify operator decodes,
 * nothing is built here: it is checked by a glance and goes on as it is.
 */
final class AvroReading implements PacketReading {
    private final int shards;
    private final PacketGlance glance = new PacketGlance();
    private final PacketHeaderReader header = new PacketHeaderReader();

    AvroReading(int shards) {
        this.shards = shards;
    }

    @Override
    public void read(ConsumerRecord<byte[], byte[]> message, Target target) {
        byte[] value = PacketReading.value(message);
        try {
            if (!PacketHeaderReader.isHeader(value)) {
                target.block(glance.shard(value, shards), value);
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
}
