package dev.sluice.job.graph;

import static org.apache.kafka.clients.producer.ProducerConfig.BATCH_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.COMPRESSION_TYPE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.SEND_BUFFER_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTION_TIMEOUT_CONFIG;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.RestorableSource;
import dev.sluice.job.kafka.SinkRecords;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.WatchedTopics;
import dev.sluice.job.kafka.WatchedTopics.Role;
import dev.sluice.job.packets.PacketSource;
import dev.sluice.job.ruletopic.RuleDeserializer;
import dev.sluice.job.sink.LostTransaction;
import dev.sluice.job.sink.UnchainedCommitSink;
import dev.sluice.job.sink.WatchedSink;
import dev.sluice.operators.classify.PassedColumns;
import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.CompressionType;

/**
 * Ends of the job's graph in Kafka: its two sources and its sinks.
 *
 * @param options of the job
 */
public record JobEndpoints(JobOptions options) {
    /** Kafka's default of {@code max.block.ms}, for transactions with a shorter time-out. */
    private static final Duration LEAST_BLOCK = Duration.ofMinutes(1);

    /** Kafka's default of {@code delivery.timeout.ms}. */
    private static final Duration LEAST_DELIVERY = Duration.ofMinutes(2);

    PacketSource packets() {
        OffsetsInitializer start =
                switch (options.from()) {
                    case EARLIEST -> OffsetsInitializer.earliest();
                    case LATEST -> OffsetsInitializer.latest();
                    case COMMITTED -> PacketSource.committed();
                };
        String topic = options.topics().packets();
        return new PacketSource(
                options.kafka().consumerInGraph(group(topic)),
                topic,
                start,
                options.bounded(),
                options.packetFormat(),
                options.classify().shards(),
                options.classify().fields().passed() == PassedColumns.NAMED,
                watched());
    }

    /** Returns the topics that the job needs. */
    private WatchedTopics watched() {
        TopicNames names = options.topics();
        List<WatchedTopics.Topic> topics = new ArrayList<>();
        topics.add(new WatchedTopics.Topic(names.packets(), Role.PACKETS));
        RulesTime time = options.classify().rulesTime();
        if (!time.event()) {
            topics.add(new WatchedTopics.Topic(names.rules(), Role.RULES));
        } else if (time.live()) {
            topics.add(new WatchedTopics.Topic(names.rules(), Role.FOLLOWED_RULES));
        } // otherwise the history was read before the first packet, and is never read again
        topics.add(new WatchedTopics.Topic(names.verdicts(), Role.VERDICTS));
        topics.add(new WatchedTopics.Topic(names.deadLetters(), Role.DEAD_LETTERS));
        if (options.statistics().on()) {
            topics.add(new WatchedTopics.Topic(names.statistics(), Role.STATISTICS));
        }
        if (options.statistics().hasWindows()) {
            topics.add(new WatchedTopics.Topic(names.statisticsWindows(), Role.STATISTICS));
        }
        String connections = options.connectionsTopic();
        if (connections != null) {
            topics.add(new WatchedTopics.Topic(connections, Role.CONNECTIONS));
        }
        ShadowJob shadow = options.shadow();
        if (shadow != null) {
            topics.add(new WatchedTopics.Topic(shadow.rules(), Role.FOLLOWED_RULES));
            topics.add(new WatchedTopics.Topic(shadow.counts(), Role.SHADOW));
        }
        return new WatchedTopics(options.kafka(), topics);
    }

    /** Returns the source of rules after the bootstrap's; of all rules where its end is unknown. */
    @SuppressWarnings("deprecation") // the connector asks for the deprecated enum
    RestorableSource<Tuple2<Integer, byte[]>> rules() {
        String topic = options.topics().rules();
        Long end = options.rulesEnd();
        OffsetsInitializer start =
                end == null
                        ? OffsetsInitializer.earliest()
                        : OffsetsInitializer.offsets(
                                Map.of(new TopicPartition(topic, 0), end),
                                org.apache.kafka.clients.consumer.OffsetResetStrategy.EARLIEST);
        // In a live job in event time the follower of the history reports unreadable messages.
        boolean reports = !options.classify().rulesTime().live();
        KafkaSourceBuilder<Tuple2<Integer, byte[]>> source =
                KafkaSource.<Tuple2<Integer, byte[]>>builder()
                        .setProperties(options.kafka().consumerInGraph(group(topic)))
                        .setTopics(topic)
                        .setStartingOffsets(start)
                        .setDeserializer(new RuleDeserializer(reports));
        return new RestorableSource<>(
                (options.bounded() ? source.setBounded(OffsetsInitializer.latest()) : source)
                        .build());
    }

    UnchainedCommitSink<Tuple2<Integer, byte[]>> verdicts() {
        return unchained(
                "verdicts",
                options.verdictCompression(),
                SinkRecords.sharded(options.topics().verdicts(), options.verdictFraming()));
    }

    UnchainedCommitSink<Tuple2<byte[], byte[]>> connections(String topic) {
        return unchained("connections", CompressionType.NONE, SinkRecords.keyed(topic));
    }

    /** Returns a sink whose writer shares its task with the classify operator. */
    private <T> UnchainedCommitSink<T> unchained(
            String role, CompressionType compression, KafkaRecordSerializationSchema<T> records) {
        return new UnchainedCommitSink<>(
                sink(role, compression, records), prefix(role), lost(role));
    }

    WatchedSink<Tuple2<Integer, byte[]>> deadLetters() {
        return sink(
                "dead-letters",
                SinkRecords.deadLetters(
                        options.topics().deadLetters(), options.transactionPrefix()));
    }

    WatchedSink<Tuple3<Boolean, byte[], byte[]>> statistics() {
        return sink("statistics", SinkRecords.statistics(options.topics()));
    }

    WatchedSink<Tuple2<byte[], byte[]>> shadow(ShadowJob shadow) {
        return sink("shadow", SinkRecords.keyed(shadow.counts()));
    }

    private <T> WatchedSink<T> sink(String role, KafkaRecordSerializationSchema<T> records) {
        return new WatchedSink<>(
                sink(role, CompressionType.NONE, records),
                prefix(role),
                lost(role.replace('-', ' ')));
    }

    /** Returns the prefix of a sink's transactional ids. */
    private String prefix(String role) {
        return options.transactionPrefix() + "-" + role;
    }

    /** Describes what the job loses with a transaction of a sink. */
    private LostTransaction lost(String output) {
        return new LostTransaction(
                options.kafka(),
                options.topics().packets(),
                group(options.topics().packets()),
                output,
                options.transactionTimeout());
    }

    private String group(String topic) {
        return options.group() + "-" + topic;
    }

    /** Returns an exactly-once sink. */
    private <T> KafkaSink<T> sink(
            String role, CompressionType compression, KafkaRecordSerializationSchema<T> records) {
        Duration open = options.transactionTimeout();
        Properties producer = new Properties();
        producer.put(COMPRESSION_TYPE_CONFIG, compression.name);
        producer.put(TRANSACTION_TIMEOUT_CONFIG, String.valueOf(open.toMillis()));
        // While Kafka accepts nothing, back-pressure holds the job until its transactions time out.
        // By Kafka's defaults the job would fail after a minute, and restart to the same end.
        producer.put(MAX_BLOCK_MS_CONFIG, String.valueOf(longer(open, LEAST_BLOCK).toMillis()));
        producer.put(
                DELIVERY_TIMEOUT_MS_CONFIG,
                String.valueOf(longer(open, LEAST_DELIVERY).toMillis()));
        producer.put(BATCH_SIZE_CONFIG, String.valueOf(256 << 10));
        producer.put(LINGER_MS_CONFIG, KafkaClients.LINGER_MILLIS);
        producer.put(SEND_BUFFER_CONFIG, KafkaClients.SYSTEMS_BUFFER);
        return KafkaSink.<T>builder()
                .setBootstrapServers(options.kafka().bootstrap())
                .setKafkaProducerConfig(options.kafka().inGraph(producer))
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionNamingStrategy(TransactionNamingStrategy.INCREMENTING)
                .setTransactionalIdPrefix(prefix(role))
                .setRecordSerializer(records)
                .build();
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
