package dev.sluice.job.packets;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketGlance;
import dev.sluice.schemas.codec.PacketHeaderReader;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.PacketPlace;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reader of PacketBlock and PacketHeader messages.
 *
 * <p>A block is only checked, and passed on as a slice of the fetched bytes; the classify operator
 * decodes it. Where verdicts are to name their block, its topic, partition and offset follow it.
 */
final class AvroReading implements PacketReading {
    private final boolean placed;
    private final PacketGlance glance = new PacketGlance();
    private final PacketHeaderReader header = new PacketHeaderReader();

    /**
     * Creates a reader.
     *
     * @param placed whether a block is passed on with its place in Kafka
     */
    AvroReading(boolean placed) {
        this.placed = placed;
    }

    @Override
    public void read(ConsumerRecord<byte[], ByteBuffer> message, Target target) {
        ByteBuffer lies = PacketReading.inArray(message);
        byte[] among = lies.array();
        int from = lies.arrayOffset() + lies.position();
        int length = lies.remaining();
        try {
            if (PacketGlance.isBlock(among, from, length)) {
                int shard = glance.shard(among, from, length);
                target.block(
                        shard,
                        placed ? PacketMessages.placed(lies, place(message)) : List.of(lies));
                return;
            }
            byte[] value = PacketReading.value(message);
            if (!PacketHeaderReader.isHeader(value)) {
                throw PacketMessages.refusal(value);
            }
            header.read(value);
        } catch (MalformedMessageException e) {
            byte[] value = PacketReading.value(message);
            target.dead(new DeadLetter(e, ShardedMessage.where(message, value)));
            return;
        }
        int index = header.captureIndex();
        target.header(header.capture(), index, header.words(), header.packet(), header.timeNs());
    }

    private static PacketPlace place(ConsumerRecord<?, ?> message) {
        return new PacketPlace(message.topic(), message.partition(), message.offset());
    }
}
