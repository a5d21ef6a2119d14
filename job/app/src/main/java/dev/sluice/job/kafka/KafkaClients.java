package dev.sluice.job.kafka;

import static org.apache.kafka.clients.admin.AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.admin.AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Factory of all Kafka clients but those of the job's sources and sinks, which get their common
 * settings here.
 *
 * @param bootstrap Kafka brokers, HOST:PORT separated by commas
 * @param configFile path of a {@link KafkaConfigFile} on each machine with a client; null: clients
 *     are not authenticated
 */
public record KafkaClients(String bootstrap, @Nullable String configFile) implements Serializable {
    /** Maximal bytes of a fetch from a partition: some blocks of headers at their widest. */
    private static final int FETCH_BYTES = 4 << 20;

    /**
     * Time that a broker holds a fetch at the end of a topic. Each further request of a consumer,
     * and its end, waits for the fetch that is under way: Kafka's default makes that half a second.
     */
    private static final String FETCH_WAIT_MILLIS = "50";

    /**
     * Size of a socket's buffer: the system chooses it, and enlarges it with the data in flight.
     * Kafka's own defaults, 64 to 128 KiB, cut a block of headers into several reads (decision
     * 0094).
     */
    public static final String SYSTEMS_BUFFER = "-1";

    /** Time that a producer waits for further messages of a batch. */
    public static final String LINGER_MILLIS = "5";

    /** Creates a factory for brokers that do not authenticate clients. */
    public KafkaClients(String bootstrap) {
        this(bootstrap, null);
    }

    /** Adds brokers and configuration file to a client's properties. */
    private Properties complete(Properties config) {
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        if (configFile != null) {
            config.putAll(KafkaConfigFile.read(Path.of(configFile)).values());
        }
        return config;
    }

    /**
     * Adds brokers and a reference to the configuration file, for the job's sources and sinks. Each
     * machine reads the file where it makes clients.
     */
    public Properties inGraph(Properties config) {
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        if (configFile != null) {
            KafkaConfigProvider.addTo(config, Path.of(configFile));
        }
        return config;
    }

    /**
     * Creates an admin client.
     *
     * @param patience after which a request fails
     */
    public Admin admin(Duration patience) {
        Properties config = new Properties();
        config.put(REQUEST_TIMEOUT_MS_CONFIG, "5000");
        config.put(DEFAULT_API_TIMEOUT_MS_CONFIG, String.valueOf(patience.toMillis()));
        return Admin.create(complete(config));
    }

    /** Creates an idempotent producer that waits for the acknowledgement of every replica. */
    public KafkaProducer<byte[], byte[]> producer() {
        return producer(CompressionType.NONE);
    }

    /** Creates a producer as {@link #producer()} does, with compressed batches. */
    public KafkaProducer<byte[], byte[]> producer(CompressionType compression) {
        return producer(compression, producerConfig());
    }

    /**
     * Creates a producer as {@link #producer()} does, for a broker that may be away for some time.
     */
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
     * Creates a transactional producer. Another producer of the same id that initializes its
     * transactions aborts the open transaction of this one, and fences it.
     */
    public KafkaProducer<byte[], byte[]> transactionalProducer(String id, Duration timeout) {
        Properties config = producerConfig();
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, String.valueOf(timeout.toMillis()));
        config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "20");
        return producer(CompressionType.NONE, config);
    }

    /** Creates a consumer of committed messages, without a group and offset commits. */
    public KafkaConsumer<byte[], byte[]> consumer() {
        return consumer(Map.of());
    }

    /** Creates a consumer as {@link #consumer()} does, which also reads uncommitted messages. */
    KafkaConsumer<byte[], byte[]> uncommittedConsumer() {
        return consumer(Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted"));
    }

    /**
     * Creates a consumer as {@link #consumer()} does, which fails at deleted messages instead of
     * skipping them.
     */
    KafkaConsumer<byte[], byte[]> exactConsumer() {
        return consumer(Map.of(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"));
    }

    private static Properties consumerConfig() {
        Properties config = new Properties();
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        // A deleted topic must be made by its owner, with the settings that it needs.
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, String.valueOf(FETCH_BYTES));
        config.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, SYSTEMS_BUFFER);
        return config;
    }

    /** Returns the settings of a group's consumer in a job's graph, as {@link #inGraph}. */
    public Properties consumerInGraph(String group) {
        Properties config = consumerConfig();
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        return inGraph(config);
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, String> others) {
        Properties config = consumerConfig();
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS);
        config.putAll(others);
        return new KafkaConsumer<>(
                complete(config), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Returns the principal of these clients, as ACLs name it. */
    public String principal() {
        return configFile == null
                ? KafkaConfigFile.ANONYMOUS
                : KafkaConfigFile.read(Path.of(configFile)).principal();
    }

    /** Describes where a property is set, as the end of a message. */
    String in() {
        return configFile == null ? "; give them with --kafka-config FILE" : " in " + configFile;
    }

    /** Returns the brokers, as messages name them. */
    @Override
    public String toString() {
        return bootstrap;
    }
}
