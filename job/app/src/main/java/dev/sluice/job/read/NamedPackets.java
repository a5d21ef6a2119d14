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
 * Completion of verdict blocks that name their packet block instead of holding its columns ({@code
 * run --verdict-columns named}).
 *
 * <p>The columns come from the topic that the block names. Connects to Kafka at the first such
 * block. Not thread-safe.
 */
public final class NamedPackets implements AutoCloseable {
    /** Cache of some hundred packet blocks, since verdicts of several partitions alternate. */
    private static final long KEPT_BYTES = 64L << 20;

    private final KafkaClients kafka;
    private @Nullable MessageLookup lookup;

    /** Creates a completion from the topics of a broker. */
    public NamedPackets(KafkaClients kafka) {
        this.kafka = kafka;
    }

    /**
     * Returns a block with all its columns.
     *
     * @throws MalformedMessageException if its packets were deleted, or are others
     * @throws SluiceException if the broker does not answer
     */
    public VerdictBlock complete(VerdictBlock block) throws MalformedMessageException {
        PacketPlace at = block.place();
        if (at == null || !block.lacksPackets()) {
            return block;
        }
        MessageLookup messages = lookup;
        if (messages == null) {
            messages = new MessageLookup(kafka, KEPT_BYTES);
            lookup = messages;
        }
        byte[] packets = messages.value(at.topic(), at.partition(), at.offset());
        if (packets == null) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_PACKETS_DELETED,
                    "offset %d of partition %d of %s, which held the packets of %d verdicts; keep that topic as long as the verdicts"
                            .formatted(at.offset(), at.partition(), at.topic(), block.count()));
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
