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
 * Reads PacketBlock and PacketHeader messages. Of a block, which the classify operator decodes,
 * nothing is built here: it is checked by a glance and goes on as it lies in what was fetched, and,
 * where verdicts are to name it, with its topic, partition and offset behind it.
 */
final class AvroReading implements PacketReading {
    private final boolean placed;
    private final PacketGlance glance = new PacketGlance();
    private final PacketHeaderReader header = new PacketHeaderReader();

    /**
     * A reading.
     *
     * @param placed whether blocks go on with where they lie
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
        target.header(
                header.capture(),
                header.captureIndex(),
                header.words(),
                header.packet(),
                header.timeNs(),
                header.frameLength());
    }

    private static PacketPlace place(ConsumerRecord<?, ?> message) {
        return new PacketPlace(message.topic(), message.partition(), message.offset());
    }
}
