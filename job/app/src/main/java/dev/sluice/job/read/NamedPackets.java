package dev.sluice.job.read;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageLookup;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.codec.VerdictBlock;
import org.jspecify.annotations.Nullable;

/**
 * Puts back the columns of verdict blocks that name their packet block in their place ({@code run
 * --verdict-columns named}), out of the topic that they name. Connects to Kafka when the first such
 * block comes. Not thread-safe.
 */
public final class NamedPackets implements AutoCloseable {
    /** Some hundred blocks: verdicts of several partitions of packets come in turns. */
    private static final long KEPT_BYTES = 64L << 20;

    private final KafkaClients kafka;
    private @Nullable MessageLookup lookup;

    /** Packets of the topics of a broker. */
    public NamedPackets(KafkaClients kafka) {
        this.kafka = kafka;
    }

    /**
     * The block with all its columns.
     *
     * @throws MalformedMessageException if its packets are not there any more, or others are
     * @throws SluiceException if the broker does not answer
     */
    public VerdictBlock complete(VerdictBlock block) throws MalformedMessageException {
        PacketPlace place = block.place();
        if (place == null || !block.lacksPackets()) {
            return block;
        }
        MessageLookup messages = lookup;
        if (messages == null) {
            messages = new MessageLookup(kafka, KEPT_BYTES);
            lookup = messages;
        }
        byte[] packets = messages.value(place.topic(), place.partition(), place.offset());
        if (packets == null) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_PACKETS_DELETED,
                    "offset %d of partition %d of %s, where the packets of %d verdicts were; keep that topic as long as the verdicts"
                            .formatted(
                                    place.offset(),
                                    place.partition(),
                                    place.topic(),
                                    block.count()));
        }
        return block.with(PacketMessages.decode(packets, 1));
    }

    @Override
    public void close() {
        MessageLookup messages = lookup;
        if (messages != null) {
            messages.close();
        }
    }
}
