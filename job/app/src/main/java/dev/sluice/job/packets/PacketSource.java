package dev.sluice.job.packets;

import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.RestorableSource;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.TopicWatch;
import dev.sluice.job.kafka.WatchedTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
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
 * The packets topic as {@link ShardedMessage}s: (flow shard, PacketBlock message), and ({@link
 * ShardedMessage#DEAD}, DeadLetter message) for what cannot be read or classified.
 *
 * <p>A {@link KafkaSource} whose readers batch (see the package), and whose enumerator looks after
 * the job's topics. State is the KafkaSource's, and the ids of these topics.
 */
public final class PacketSource
        implements Source<Tuple2<Integer, byte[]>, KafkaPartitionSplit, PacketSourceState>,
                ResultTypeQueryable<Tuple2<Integer, byte[]>>,
                LineageVertexProvider {
    private static final long serialVersionUID = 1L;

    /** Time between looks for partitions that were added to the topic. */
    private static final Duration DISCOVERY = Duration.ofSeconds(5);

    private static final String CLIENT_ID_PREFIX = "client.id.prefix";

    private final RestorableSource<Tuple2<Integer, byte[]>> kafka;
    private final Properties consumer;
    private final PacketFormat format;
    private final int shards;
    private final boolean placed;
    private final WatchedTopics watched;

    /** Where a job without state goes on behind what its group has committed. */
    public static OffsetsInitializer committed() {
        return new GroupOffsets();
    }

    /**
     * A source.
     *
     * @param consumer bootstrap servers, group and what else the readers' consumers are to have
     * @param topic the packets topic
     * @param start where a job without state starts
     * @param bounded whether it ends at the offsets that are the last when the job starts
     * @param format what messages are
     * @param shards flow shards to spread single packets over
     * @param placed whether blocks go on with where they lie ({@link
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

    /** What KafkaSourceBuilder adds for its readers, which it does not give away. */
    private static Properties readerProperties(Properties given) {
        Properties all = new Properties();
        all.putAll(given);
        String bytes = ByteArrayDeserializer.class.getName();
        all.setProperty(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
        all.setProperty(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
        all.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        // What is deleted before it is read is told, not passed over.
        all.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        all.setProperty(CLIENT_ID_PREFIX, all.getProperty(ConsumerConfig.GROUP_ID_CONFIG));
        // The builder leaves it out where the source is bounded.
        all.setProperty(
                KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(),
                String.valueOf(DISCOVERY.toMillis()));
        // As many as a batch takes; the bytes of a fetch bound it where messages are large.
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
        Consumer<Tunnel> shut = shutTunnels(context);
        return new PacketSourceReader(
                polled,
                new PacketSourceReader.Commits(
                        polled,
                        () -> new PacketSplitReader(consumer, context, metrics, batcher(shut))),
                config,
                context,
                metrics);
    }

    /** Counters of tunnels that stay shut, where tunnels are opened. */
    private Consumer<Tunnel> shutTunnels(SourceReaderContext context) {
        return format.parsing().isInner()
                ? new ShutTunnelMetrics(context.metricGroup())
                : tunnel -> {};
    }

    private PacketBatcher batcher(Consumer<Tunnel> shut) {
        return new PacketBatcher(format, shards, placed, PacketBatcher.CAPACITY, shut);
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
