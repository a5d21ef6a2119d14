package dev.sluice.job.kafka;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes every Kafka client that Sluice uses beside the job's own sources and sinks, and gives these
 * what they share with it.
 *
 * @param bootstrap Kafka brokers, HOST:PORT separated by commas
 * @param configFile path of a {@link KafkaConfigFile} on each machine that has a client; null:
 *     Kafka asks nobody who he is
 */
public record KafkaClients(String bootstrap, @Nullable String configFile) implements Serializable {
    /** Only what a transaction has committed is read. */
    public static final String ISOLATION_LEVEL = "read_committed";

    /** Bytes of a partition that a fetch asks for: some blocks of headers at their widest. */
    public static final int FETCH_BYTES = 4 << 20;

    /**
     * The size of a socket's buffer: what the system makes it, which grows with what is on its way.
     * Kafka's own defaults, 64 to 128 KiB, cut a block of headers into several reads (decision
     * 0094).
     */
    public static final String SYSTEMS_BUFFER = "-1";

    /** How long a producer waits for more messages of a batch. */
    public static final String LINGER_MILLIS = "5";

    /** Of brokers that ask nobody who he is. */
    public KafkaClients(String bootstrap) {
        this(bootstrap, null);
    }

    /** Adds brokers and configuration file to what a client is made with. */
    private Properties complete(Properties config) {
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        if (configFile != null) {
            config.putAll(KafkaConfigFile.read(Path.of(configFile)).values());
        }
        return config;
    }

    /**
     * As {@link #complete}, for the job's sources and sinks: the file is read where they make their
     * clients.
     */
    public Properties inGraph(Properties config) {
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        if (configFile != null) {
            KafkaConfigProvider.addTo(config, Path.of(configFile));
        }
        return config;
    }

    /**
     * A client that asks for topics and brokers.
     *
     * @param patience after which a request fails
     */
    public Admin admin(Duration patience) {
        Properties config = new Properties();
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
        config.put(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                String.valueOf(patience.toMillis()));
        return Admin.create(complete(config));
    }

    /** An idempotent producer whose messages every replica has taken before they count as sent. */
    public KafkaProducer<byte[], byte[]> producer() {
        return producer(CompressionType.NONE);
    }

    /** As {@link #producer()}, with batches compressed. */
    public KafkaProducer<byte[], byte[]> producer(CompressionType compression) {
        return producer(compression, producerConfig());
    }

    /** As {@link #producer()}, for a broker that may be away for some time. */
    KafkaProducer<byte[], byte[]> patientProducer(Duration away) {
        Properties config = producerConfig();
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, String.valueOf(away.toMillis()));
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, String.valueOf(away.toMillis()));
        return producer(CompressionType.NONE, config);
    }

    private KafkaProducer<byte[], byte[]> producer(CompressionType compression, Properties config) {
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression.name);
        return new KafkaProducer<>(
                complete(config), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static Properties producerConfig() {
        Properties config = new Properties();
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        config.put(ProducerConfig.SEND_BUFFER_CONFIG, SYSTEMS_BUFFER);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, String.valueOf(512 << 10));
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, String.valueOf(32L << 20));
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "30000");
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "60000");
        return config;
    }

    /**
     * A producer whose messages become visible when its transaction commits. Another one of the
     * same id that initializes its transactions ends what this one has open, and fences it.
     */
    public KafkaProducer<byte[], byte[]> transactionalProducer(String id, Duration timeout) {
        Properties config = producerConfig();
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, String.valueOf(timeout.toMillis()));
        config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "20");
        return new KafkaProducer<>(
                complete(config), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A consumer of committed messages that belongs to no group and commits no offsets. */
    public KafkaConsumer<byte[], byte[]> consumer() {
        return consumer(new Properties());
    }

    /** As {@link #consumer()}; shows messages that no transaction has committed yet, too. */
    KafkaConsumer<byte[], byte[]> uncommittedConsumer() {
        Properties config = new Properties();
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        return consumer(config);
    }

    /** As {@link #consumer()}; messages that were deleted are told, not passed over. */
    KafkaConsumer<byte[], byte[]> exactConsumer() {
        Properties config = new Properties();
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return consumer(config);
    }

    /** A consumer group that nobody is a member of, for offsets that a producer commits. */
    public ConsumerGroupMetadata group(String name) {
        Properties config = new Properties();
        config.put(ConsumerConfig.GROUP_ID_CONFIG, name);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(config)) {
            return consumer.groupMetadata();
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer(Properties config) {
        config.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, ISOLATION_LEVEL);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        // A topic that was deleted is made by whom it belongs to, with the settings that it needs.
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, String.valueOf(FETCH_BYTES));
        config.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, SYSTEMS_BUFFER);
        return new KafkaConsumer<>(
                complete(config), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** The principal that brokers take these clients for, as ACLs name it. */
    public String principal() {
        return configFile == null
                ? KafkaConfigFile.ANONYMOUS
                : KafkaConfigFile.read(Path.of(configFile)).principal();
    }

    /** Where a property is to be looked at, behind its name. */
    String in() {
        return configFile == null ? "; give them with --kafka-config FILE" : " in " + configFile;
    }

    /** The brokers, as messages name them. */
    @Override
    public String toString() {
        return bootstrap;
    }
}
