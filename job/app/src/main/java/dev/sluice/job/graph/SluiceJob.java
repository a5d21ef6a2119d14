package dev.sluice.job.graph;

import dev.sluice.job.kafka.DeadLetterSerializer;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageSerializer;
import dev.sluice.job.kafka.RestorableSource;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.StatisticsSerializer;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.WatchedTopics;
import dev.sluice.job.kafka.WatchedTopics.Role;
import dev.sluice.job.packets.PacketSource;
import dev.sluice.job.ruletopic.KafkaRuleSource;
import dev.sluice.job.ruletopic.RuleDeserializer;
import dev.sluice.job.sink.LostTransaction;
import dev.sluice.job.sink.UnchainedCommitSink;
import dev.sluice.job.sink.WatchedSink;
import dev.sluice.operators.classify.ClassifyOperator;
import dev.sluice.operators.classify.ClassifyOperatorFactory;
import dev.sluice.operators.classify.PassedColumns;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.operators.classify.ShardKey;
import dev.sluice.operators.rules.topic.GatherRuleMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.statistics.StatisticsOperator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.CompressionType;

/**
 * Job graph of the corridor.
 *
 * <pre>
 * packets topic -> source -> check --keyed by flow shard--> classify -> verdicts topic
 *                              |                             ^   | |
 * rules topic -> source -> check ------broadcast-------------+   | +--keyed by rule--> statistics -> statistics topics
 *                          |   +--> dead-letter topic <----------+
 *                          +--------^
 * </pre>
 *
 * <p>The statistics operator is present even where nothing is counted. Its state then waits for a
 * job that counts again.
 */
public final class SluiceJob {
    /** Uid of the source of packets. */
    public static final String PACKETS_SOURCE = "packets-source";

    static final String RULES_SOURCE = "rules-source";

    /** Kafka's default of {@code max.block.ms}, for transactions with a shorter time-out. */
    private static final Duration LEAST_BLOCK = Duration.ofMinutes(1);

    /** Kafka's default of {@code delivery.timeout.ms}. */
    private static final Duration LEAST_DELIVERY = Duration.ofMinutes(2);

    private static final OutputTag<Tuple2<Integer, byte[]>> DEAD =
            new OutputTag<>("dead-letters", ShardedMessage.TYPE);

    private SluiceJob() {}

    /** Adds the graph to an environment. */
    public static void build(StreamExecutionEnvironment env, JobOptions options) {
        configure(env, options.checkpointInterval());
        recover(env, options);
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> packets =
                checked(
                        env.fromSource(
                                        packetSource(options),
                                        SourceAlignment.packets(options),
                                        "packets",
                                        ShardedMessage.TYPE)
                                .uid(PACKETS_SOURCE),
                        "packets-check");
        sendSoon(packets, options);
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules =
                checked(
                        env.fromSource(
                                        ruleSource(options),
                                        SourceAlignment.rules(options),
                                        "rules",
                                        ShardedMessage.TYPE)
                                .uid(RULES_SOURCE)
                                .setParallelism(1),
                        "rules-check");
        rules.setParallelism(1);
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> verdicts =
                classified(packets.keyBy(new ShardKey(), Types.INT), rules, options);
        verdicts.sinkTo(
                        new UnchainedCommitSink<>(
                                sink(
                                        options,
                                        new MessageSerializer(
                                                options.topics().verdicts(),
                                                options.verdictFraming()),
                                        "verdicts",
                                        options.verdictCompression()),
                                prefix(options, "verdicts"),
                                lost(options, "verdicts")))
                .name("verdicts")
                .uid("verdicts-sink");
        verdicts.getSideOutput(ClassifyOperator.DEAD_LETTERS)
                .map(letter -> Tuple2.of(ShardedMessage.DEAD, letter))
                .returns(ShardedMessage.TYPE)
                .name("dropped rule transactions")
                .uid("dropped-rule-transactions")
                .union(packets.getSideOutput(DEAD), rules.getSideOutput(DEAD))
                .map(new DeadLetterCount())
                .returns(ShardedMessage.TYPE)
                .name("dead letters by reason")
                .uid("dead-letters-count")
                .setParallelism(1) // so that its tasks end together
                .sinkTo(
                        sink(
                                options,
                                new DeadLetterSerializer(
                                        options.topics().deadLetters(),
                                        options.transactionPrefix()),
                                "dead-letters"))
                .name("dead letters")
                .uid("dead-letters-sink")
                .setParallelism(1); // letters come from one subtask: others would commit nothing
        statistics(verdicts, options);
    }

    /** Shortens the buffer time-out of the edge of packets, unless the configuration sets one. */
    private static void sendSoon(
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> packets, JobOptions options) {
        ReadableConfig config = packets.getExecutionEnvironment().getConfiguration();
        if (config.getOptional(ExecutionOptions.BUFFER_TIMEOUT).isEmpty()
                && config.getOptional(ExecutionOptions.BUFFER_TIMEOUT_ENABLED).isEmpty()) {
            packets.setBufferTimeout(bufferMillis(options.classify().maxDelayMicros()));
        }
    }

    /**
     * Returns the buffer time-out of packets, in ms: the maximal delay of a batch, rounded up. With
     * Flink's default of 100 ms packets would wait fifty times as long for the network as for their
     * look-up, and then arrive all at once.
     */
    static long bufferMillis(long maxDelayMicros) {
        long millis = (maxDelayMicros + 999) / 1000;
        return Math.min(millis, ExecutionOptions.BUFFER_TIMEOUT.defaultValue().toMillis());
    }

    /**
     * Adds the classify operator, with state by the packets' key. {@code connect} supports that
     * only if both inputs are keyed, or for Flink's own function operators.
     */
    private static SingleOutputStreamOperator<Tuple2<Integer, byte[]>> classified(
            KeyedStream<Tuple2<Integer, byte[]>, Integer> packets,
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules,
            JobOptions options) {
        StreamExecutionEnvironment env = packets.getExecutionEnvironment();
        Transformation<Tuple2<Integer, byte[]>> classify;
        if (options.classify().rulesTime().event()) {
            // The rules' source only aligns the packets' source; the operator reads the rules.
            OneInputTransformation<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>> one =
                    new OneInputTransformation<>(
                            packets.getTransformation(),
                            "classify",
                            classifier(options),
                            ShardedMessage.TYPE,
                            env.getParallelism(),
                            false);
            one.setStateKeySelector(packets.getKeySelector());
            one.setStateKeyType(packets.getKeyType());
            classify = one;
        } else {
            TwoInputTransformation<Tuple2<Integer, byte[]>, byte[], Tuple2<Integer, byte[]>> two =
                    new TwoInputTransformation<>(
                            packets.getTransformation(),
                            gathered(rules).broadcast().getTransformation(),
                            "classify",
                            classifier(options),
                            ShardedMessage.TYPE,
                            env.getParallelism(),
                            false);
            two.setStateKeySelectors(packets.getKeySelector(), null);
            two.setStateKeyType(packets.getKeyType());
            classify = two;
        }
        env.addOperator(classify);
        return new Classified(env, classify).uid("classify");
    }

    /** Adds the transport of rule messages to the tasks. */
    private static DataStream<byte[]> gathered(
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> rules) {
        return rules.transform(
                        "rule messages",
                        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                        new GatherRuleMessages())
                .uid("rules-messages")
                .setParallelism(1)
                .setBufferTimeout(0); // rules are sent at once, not after Flink's 100 ms
    }

    private static ClassifyOperatorFactory classifier(JobOptions options) {
        Long end = options.rulesEnd();
        if (end == null && options.classify().rulesTime().event()) {
            throw new IllegalArgumentException("event time needs the end of the rule history");
        }
        return new ClassifyOperatorFactory(
                options.classify(),
                new KafkaRuleSource(
                        options.kafka(),
                        options.topics().rules(),
                        end == null ? RuleSource.ALL : end),
                options.statistics());
    }

    /** Output of an operator that was added without {@link DataStream}'s methods. */
    private static final class Classified
            extends SingleOutputStreamOperator<Tuple2<Integer, byte[]>> {
        Classified(
                StreamExecutionEnvironment env, Transformation<Tuple2<Integer, byte[]>> classify) {
            super(env, classify);
        }
    }

    private static void statistics(
            SingleOutputStreamOperator<Tuple2<Integer, byte[]>> verdicts, JobOptions options) {
        verdicts.getSideOutput(ClassifyOperator.HITS)
                .keyBy(StatisticsOperator.KEY, StatisticsOperator.KEY_TYPE)
                .transform("statistics", StatisticsOperator.TYPE, new StatisticsOperator())
                .uid("statistics")
                .sinkTo(sink(options, new StatisticsSerializer(options.topics()), "statistics"))
                .name("statistics")
                .uid("statistics-sink");
    }

    /** A restart strategy set by the cluster or the launcher takes precedence. */
    private static void recover(StreamExecutionEnvironment env, JobOptions options) {
        Configuration config = new Configuration();
        Recovery.checkpoints(config, options.checkpointInterval(), options.transactionTimeout());
        if (env.getConfiguration().getOptional(RestartStrategyOptions.RESTART_STRATEGY).isEmpty()) {
            Recovery.always(config);
        }
        env.configure(config);
    }

    /** Sets checkpointing and pipeline options of a graph that is to be exactly-once and fast. */
    public static void configure(StreamExecutionEnvironment env, Duration checkpointInterval) {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
        config.set(
                CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
                CheckpointingMode.EXACTLY_ONCE);
        // Unaligned barriers would gain nothing: before a checkpoint the operator waits for
        // the batches in flight, so that barriers have little to overtake.
        config.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
        config.set(PipelineOptions.OBJECT_REUSE, true);
        config.set(PipelineOptions.GENERIC_TYPES, false);
        // State finds its operator by uid: an operator without one fails the build of the graph.
        config.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        config.set(PipelineOptions.NAME, "sluice");
        env.configure(config);
    }

    /** Sends dead letters to a side output, and passes on the other messages. */
    private static SingleOutputStreamOperator<Tuple2<Integer, byte[]>> checked(
            DataStream<Tuple2<Integer, byte[]>> messages, String uid) {
        return messages.process(new SideOutputDeadLetters())
                .returns(ShardedMessage.TYPE)
                .name(uid)
                .uid(uid);
    }

    private static final class SideOutputDeadLetters
            extends ProcessFunction<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple2<Integer, byte[]> message,
                Context context,
                Collector<Tuple2<Integer, byte[]>> out) {
            if (message.f0 == ShardedMessage.DEAD) {
                context.output(DEAD, message);
            } else {
                out.collect(message);
            }
        }
    }

    private static PacketSource packetSource(JobOptions options) {
        OffsetsInitializer start =
                switch (options.from()) {
                    case EARLIEST -> OffsetsInitializer.earliest();
                    case LATEST -> OffsetsInitializer.latest();
                    case COMMITTED -> PacketSource.committed();
                };
        String topic = options.topics().packets();
        return new PacketSource(
                consumer(options.kafka(), packetGroup(options)),
                topic,
                start,
                options.bounded(),
                options.packetFormat(),
                options.classify().shards(),
                options.classify().fields().passed() == PassedColumns.NAMED,
                watched(options));
    }

    /** Returns the topics that the job needs. */
    private static WatchedTopics watched(JobOptions options) {
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
        return new WatchedTopics(options.kafka(), topics);
    }

    /** Returns the source of rules after the bootstrap's; of all rules where its end is unknown. */
    @SuppressWarnings("deprecation") // the connector asks for the deprecated enum
    private static RestorableSource<Tuple2<Integer, byte[]>> ruleSource(JobOptions options) {
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
        return source(options, topic, start, new RuleDeserializer(reports));
    }

    private static RestorableSource<Tuple2<Integer, byte[]>> source(
            JobOptions options,
            String topic,
            OffsetsInitializer start,
            KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> deserializer) {
        KafkaSourceBuilder<Tuple2<Integer, byte[]>> source =
                source(options.kafka(), topic, options.group() + "-" + topic, start, deserializer);
        return new RestorableSource<>(
                (options.bounded() ? source.setBounded(OffsetsInitializer.latest()) : source)
                        .build());
    }

    /** Returns a source of a topic with the job's consumer settings. */
    public static <T> KafkaSourceBuilder<T> source(
            KafkaClients kafka,
            String topic,
            String group,
            OffsetsInitializer start,
            KafkaRecordDeserializationSchema<T> deserializer) {
        return KafkaSource.<T>builder()
                .setProperties(consumer(kafka, group))
                .setTopics(topic)
                .setStartingOffsets(start)
                .setDeserializer(deserializer);
    }

    private static Properties consumer(KafkaClients kafka, String group) {
        Properties consumer = new Properties();
        consumer.setProperty(ConsumerConfig.GROUP_ID_CONFIG, group);
        consumer.setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, KafkaClients.ISOLATION_LEVEL);
        consumer.setProperty(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        consumer.setProperty(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                String.valueOf(KafkaClients.FETCH_BYTES));
        consumer.setProperty(ConsumerConfig.RECEIVE_BUFFER_CONFIG, KafkaClients.SYSTEMS_BUFFER);
        return kafka.inGraph(consumer);
    }

    private static <T> WatchedSink<T> sink(
            JobOptions options, KafkaRecordSerializationSchema<T> serializer, String role) {
        return new WatchedSink<>(
                sink(options, serializer, role, CompressionType.NONE),
                prefix(options, role),
                lost(options, role.replace('-', ' ')));
    }

    /** Returns the prefix of a sink's transactional ids. */
    private static String prefix(JobOptions options, String role) {
        return options.transactionPrefix() + "-" + role.toLowerCase(Locale.ROOT);
    }

    /** Describes what the job loses with a transaction of a sink. */
    private static LostTransaction lost(JobOptions options, String output) {
        return new LostTransaction(
                options.kafka(),
                options.topics().packets(),
                packetGroup(options),
                output,
                options.transactionTimeout());
    }

    private static String packetGroup(JobOptions options) {
        return options.group() + "-" + options.topics().packets();
    }

    private static <T> KafkaSink<T> sink(
            JobOptions options,
            KafkaRecordSerializationSchema<T> serializer,
            String role,
            CompressionType compression) {
        return sink(
                options.kafka(),
                options.transactionTimeout(),
                prefix(options, role),
                compression,
                serializer);
    }

    /** Returns an exactly-once sink with the job's producer settings. */
    public static <T> KafkaSink<T> sink(
            KafkaClients kafka,
            Duration transactionTimeout,
            String transactionPrefix,
            CompressionType compression,
            KafkaRecordSerializationSchema<T> serializer) {
        Properties producer = new Properties();
        producer.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression.name);
        producer.put(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                String.valueOf(transactionTimeout.toMillis()));
        // While Kafka accepts nothing, back-pressure holds the job until its transactions time out.
        // By Kafka's defaults the job would fail after a minute, and restart to the same end.
        producer.put(
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                String.valueOf(longer(transactionTimeout, LEAST_BLOCK).toMillis()));
        producer.put(
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                String.valueOf(longer(transactionTimeout, LEAST_DELIVERY).toMillis()));
        producer.put(ProducerConfig.BATCH_SIZE_CONFIG, String.valueOf(256 << 10));
        producer.put(ProducerConfig.LINGER_MS_CONFIG, KafkaClients.LINGER_MILLIS);
        producer.put(ProducerConfig.SEND_BUFFER_CONFIG, KafkaClients.SYSTEMS_BUFFER);
        return KafkaSink.<T>builder()
                .setBootstrapServers(kafka.bootstrap())
                .setKafkaProducerConfig(kafka.inGraph(producer))
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionNamingStrategy(TransactionNamingStrategy.INCREMENTING)
                .setTransactionalIdPrefix(transactionPrefix)
                .setRecordSerializer(serializer)
                .build();
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
