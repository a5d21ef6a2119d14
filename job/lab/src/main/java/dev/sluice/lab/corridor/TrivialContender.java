package dev.sluice.lab.corridor;

import dev.sluice.job.graph.JobEndpoints;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.SinkRecords;
import dev.sluice.operators.classify.ShardKey;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketMessages;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.CompressionType;

/**
 * Job with a trivial verdict: blocks of packets keyed by flow shard, four bytes a packet to the
 * exactly-once sink, and nothing looked up. It shows what Flink and Kafka take for themselves.
 */
record TrivialContender() implements Contender {
    @Override
    public String name() {
        return "trivial";
    }

    @Override
    public Running start(Track track) {
        LocalFlink flink =
                LocalFlink.start(
                        env -> {
                            SluiceJob.configure(env, track.site().options.checkpoints);
                            build(env, track);
                        },
                        track.site().options.parallelism,
                        LocalFlink.configuration(track.directory()));
        return new Running(flink::requireRunning, flink::close, null);
    }

    private void build(StreamExecutionEnvironment env, Track track) {
        KafkaClients kafka = new KafkaClients(track.site().bootstrap);
        env.fromSource(
                        JobEndpoints.source(
                                        kafka,
                                        track.packets(),
                                        name(),
                                        OffsetsInitializer.earliest(),
                                        new AsTheyCome())
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "packets",
                        ShardedMessage.TYPE)
                .uid("packets")
                .keyBy(new ShardKey(), Types.INT)
                .process(new Trivial())
                .returns(ShardedMessage.TYPE)
                .name("classify")
                .uid("classify")
                .sinkTo(
                        JobEndpoints.sink(
                                kafka,
                                TRANSACTION_TIMEOUT,
                                name(),
                                CompressionType.NONE,
                                SinkRecords.sharded(track.verdicts(), Framing.SINGLE_OBJECT)))
                .name("verdicts")
                .uid("verdicts");
    }

    private static final class Trivial
            extends KeyedProcessFunction<
                    Integer, Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple2<Integer, byte[]> message,
                Context context,
                Collector<Tuple2<Integer, byte[]>> out)
                throws MalformedMessageException {
            int count = PacketMessages.decode(message.f1, 1).count();
            out.collect(Tuple2.of(message.f0, Contender.message(count, Integer.BYTES * count)));
        }
    }

    /** (flow shard, message), the flow shard by Kafka's key. */
    private static final class AsTheyCome
            implements KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(
                ConsumerRecord<byte[], byte[]> message, Collector<Tuple2<Integer, byte[]>> out) {
            out.collect(Tuple2.of(ByteBuffer.wrap(message.key()).getInt(), message.value()));
        }

        @Override
        public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
            return ShardedMessage.TYPE;
        }
    }
}
