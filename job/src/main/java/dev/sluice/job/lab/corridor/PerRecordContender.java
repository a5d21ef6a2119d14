package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.KafkaClients;
import java.io.IOException;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.CompressionType;

/**
 * The job as one would write it with Flink's own means: a message a packet, keyed by flow, rules as
 * broadcast state that each packet is compared with one after another, a message a verdict. No
 * priorities are kept apart, no version, no statistics.
 *
 * @param rulesTopic holds the rules as {@link PlainRule} has them
 */
record PerRecordContender(String rulesTopic) implements Contender {
    /** Its name. */
    static final String NAME = "per-record";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Running start(Track track) {
        return FlinkRunning.start(track, env -> build(env, track));
    }

    private void build(StreamExecutionEnvironment env, Track track) {
        BroadcastStream<byte[]> rules =
                env.fromSource(
                                SluiceJob.source(
                                                new KafkaClients(track.bootstrap()),
                                                rulesTopic,
                                                name() + "-rules",
                                                OffsetsInitializer.earliest(),
                                                new RuleMessages())
                                        .build(),
                                WatermarkStrategy.noWatermarks(),
                                "rules",
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                        .uid("rules")
                        .setParallelism(1)
                        .broadcast(Scan.RULES);
        env.fromSource(
                        SluiceJob.source(
                                        new KafkaClients(track.bootstrap()),
                                        track.packets(),
                                        name(),
                                        OffsetsInitializer.earliest(),
                                        new PacketRecords())
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "packets",
                        PlainPacket.TYPE)
                .uid("packets")
                .keyBy(PlainPacket::flow, Types.INT)
                .connect(rules)
                .process(new Scan())
                .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                .name("classify")
                .uid("classify")
                .sinkTo(
                        SluiceJob.sink(
                                new KafkaClients(track.bootstrap()),
                                Contender.TRANSACTION_TIMEOUT,
                                name(),
                                CompressionType.NONE,
                                new VerdictRecords(track.verdicts())))
                .name("verdicts")
                .uid("verdicts");
    }

    @Override
    public int headers(byte[] message) {
        return 1;
    }

    /** Compares a packet with all rules. */
    private static final class Scan
            extends KeyedBroadcastProcessFunction<Integer, PlainPacket, byte[], byte[]> {
        static final MapStateDescriptor<Integer, int[]> RULES =
                new MapStateDescriptor<>(
                        "rules", Types.INT, PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO);

        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                PlainPacket packet, ReadOnlyContext context, Collector<byte[]> out)
                throws Exception {
            int best = Integer.MAX_VALUE;
            for (var entry : context.getBroadcastState(RULES).immutableEntries()) {
                if (entry.getKey() < best && PlainRule.matches(entry.getValue(), packet)) {
                    best = entry.getKey();
                }
            }
            out.collect(packet.verdict(best == Integer.MAX_VALUE ? null : (long) best));
        }

        @Override
        public void processBroadcastElement(byte[] rule, Context context, Collector<byte[]> out)
                throws Exception {
            int[] numbers = PlainRule.of(rule);
            context.getBroadcastState(RULES).put(numbers[0], numbers);
        }
    }

    private static final class PacketRecords
            implements KafkaRecordDeserializationSchema<PlainPacket> {
        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> message, Collector<PlainPacket> out)
                throws IOException {
            out.collect(PlainPacket.of(message.value()));
        }

        @Override
        public TypeInformation<PlainPacket> getProducedType() {
            return PlainPacket.TYPE;
        }
    }

    private static final class RuleMessages implements KafkaRecordDeserializationSchema<byte[]> {
        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> message, Collector<byte[]> out) {
            out.collect(message.value());
        }

        @Override
        public TypeInformation<byte[]> getProducedType() {
            return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        }
    }

    private record VerdictRecords(String topic) implements KafkaRecordSerializationSchema<byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                byte[] message, KafkaSinkContext context, Long timestamp) {
            return new ProducerRecord<>(topic, message);
        }
    }
}
