package dev.sluice.job.packets;

import dev.sluice.job.kafka.RestorableSource;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.TopicWatch;
import dev.sluice.job.kafka.WatchedTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Source of the packets topic's {@link ShardedMessage}s: (flow shard, PacketBlock message), and
 * ({@link ShardedMessage#DEAD}, DeadLetter message) for messages that cannot be read or classified.
 *
 * <p>It is a {@link KafkaSource} whose readers batch (see the package), and whose enumerator
 * watches the job's topics. Its state is the KafkaSource's, and the ids of these topics.
 */
public final class PacketSource
        implements Source<Tuple2<Integer, byte[]>, KafkaPartitionSplit, PacketSourceState>,
                ResultTypeQueryable<Tuple2<Integer, byte[]>>,
                LineageVertexProvider {
    private static final long serialVersionUID = 1L;

    /** Interval of the discovery of new partitions. */
    private static final Duration DISCOVERY = Duration.ofSeconds(5);

    private static final String CLIENT_ID_PREFIX = "client.id.prefix";

    private final RestorableSource<Tuple2<Integer, byte[]>> kafka;
    private final Properties consumer;
    private final PacketFormat format;
    private final int shards;
    private final boolean placed;
    private final WatchedTopics watched;

    /** Returns the starting offsets of a job without state that the group has committed. */
    public static OffsetsInitializer committed() {
        return new GroupOffsets();
    }

    /**
     * Creates a source.
     *
     * @param consumer bootstrap servers, group and further properties of the readers' consumers
     * @param topic the packets topic
     * @param start starting offsets of a job without state
     * @param bounded whether it ends at the last offsets of the job's start
     * @param format of the messages
     * @param shards flow shards of single packets
     * @param placed whether a block is passed on with its place in Kafka ({@link
     *     dev.sluice.schemas.codec.PacketMessages#placed})
     * @param watched the job's topics
     */
    public PacketSource(
            Properties consumer,
            String topic,
            OffsetsInitializer start,
            boolean bounded,
            PacketFormat format,
            int shards,
            boolean placed,
            WatchedTopics watched) {
        this.consumer = readerProperties(consumer);
        this.format = format;
        this.shards = shards;
        this.placed = placed;
        this.watched = watched;
        var builder =
                KafkaSource.<Tuple2<Integer, byte[]>>builder()
                        .setProperties(this.consumer)
                        .setTopics(topic)
                        .setStartingOffsets(start)
                        .setDeserializer(new PacketEmission());
        this.kafka =
                new RestorableSource<>(
                        (bounded ? builder.setBounded(OffsetsInitializer.latest()) : builder)
                                .build());
    }

    /** Adds the properties that KafkaSourceBuilder adds for its readers but does not expose. */
    private static Properties readerProperties(Properties given) {
        Properties all = new Properties();
        all.putAll(given);
        String bytes = ByteArrayDeserializer.class.getName();
        all.setProperty(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
        all.setProperty(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
        all.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        // Messages deleted before they are read are reported, not skipped.
        all.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        all.setProperty(CLIENT_ID_PREFIX, all.getProperty(ConsumerConfig.GROUP_ID_CONFIG));
        // The builder omits it for a bounded source.
        all.setProperty(
                KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(),
                String.valueOf(DISCOVERY.toMillis()));
        // The capacity of a batch; with large messages the bytes of a fetch are the bound.
        all.setProperty(
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, String.valueOf(PacketBatcher.CAPACITY));
        return all;
    }

    @Override
    public SourceReader<Tuple2<Integer, byte[]>, KafkaPartitionSplit> createReader(
            SourceReaderContext context) {
        KafkaSourceReaderMetrics metrics = new KafkaSourceReaderMetrics(context.metricGroup());
        FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> polled =
                new FutureCompletingBlockingQueue<>();
        Configuration config = new Configuration();
        consumer.stringPropertyNames()
                .forEach(name -> config.setString(name, consumer.getProperty(name)));
        FrameCounts counts =
                format.kind() == PacketFormat.Kind.FRAMES
                        ? new FrameMetrics(context.metricGroup(), format.parsing().isInner())
                        : tunnel -> {};
        Supplier<PacketBatcher> batchers =
                () -> new PacketBatcher(format, shards, placed, PacketBatcher.CAPACITY, counts);
        return new PacketSourceReader(
                polled,
                new PacketSourceReader.Commits(
                        polled,
                        () ->
                                new PacketSplitReader(
                                        consumer,
                                        context,
                                        metrics,
                                        batchers.get(),
                                        format.kind() == PacketFormat.Kind.FRAMES)),
                config,
                context,
                metrics);
    }

    @Override
    public Boundedness getBoundedness() {
        return kafka.getBoundedness();
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, PacketSourceState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) {
        return new WatchingEnumerator(
                kafka.createEnumerator(context),
                context,
                new TopicWatch(watched, Map.of()),
                0,
                isBounded());
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, PacketSourceState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, PacketSourceState state)
            throws IOException {
        return new WatchingEnumerator(
                kafka.restoreEnumerator(context, state.kafka()),
                context,
                new TopicWatch(watched, state.topics()),
                state.checkpoint(),
                isBounded());
    }

    private boolean isBounded() {
        return getBoundedness() == Boundedness.BOUNDED;
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return kafka.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<PacketSourceState> getEnumeratorCheckpointSerializer() {
        return new PacketSourceStateSerializer(kafka.getEnumeratorCheckpointSerializer());
    }

    @Override
    public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
        return ShardedMessage.TYPE;
    }

    @Override
    public LineageVertex getLineageVertex() {
        return kafka.getLineageVertex();
    }
}
