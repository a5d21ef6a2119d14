package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.operators.rules.topic.GatherRuleMessages;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Phase;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks messages of the rules topic: (whether it ends a transaction, message) for those that can
 * be read, as {@link GatherRuleMessages} takes them. The others become dead letters, or are passed
 * over where something else reports them.
 */
public final class RuleDeserializer
        implements KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final boolean reports;

    /**
     * A deserializer.
     *
     * @param reports whether messages that cannot be read become dead letters
     */
    public RuleDeserializer(boolean reports) {
        this.reports = reports;
    }

    @Override
    public void deserialize(
            ConsumerRecord<byte[], byte[]> message, Collector<Tuple2<Integer, byte[]>> out) {
        byte[] value = message.value() == null ? new byte[0] : message.value();
        try {
            RuleChange change = RuleChange.decode(value);
            boolean ends = change.phase() == Phase.COMMIT || change.phase() == Phase.HEARTBEAT;
            out.collect(
                    Tuple2.of(
                            ends ? GatherRuleMessages.ENDS : GatherRuleMessages.MORE_FOLLOWS,
                            value));
        } catch (MalformedMessageException e) {
            if (reports) {
                out.collect(
                        Tuple2.of(
                                ShardedMessage.DEAD,
                                new DeadLetter(e, ShardedMessage.where(message, value)).encode()));
            }
        }
    }

    @Override
    public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
        return ShardedMessage.TYPE;
    }
}
