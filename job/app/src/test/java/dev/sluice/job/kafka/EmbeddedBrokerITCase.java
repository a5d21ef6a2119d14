package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerITCase {
    private static final TopicPartition TOPIC = new TopicPartition("t", 0);

    @TempDir private Path directory;

    /** One of 64 directories gives such an id. */
    @Test
    void aClusterIdThatLooksLikeAnOptionIsTaken() {
        Path dashed =
                IntStream.range(0, 10_000)
                        .mapToObj(i -> directory.resolve("b" + i))
                        .filter(each -> EmbeddedBroker.clusterId(each).startsWith("-"))
                        .findFirst()
                        .orElseThrow();
        try (EmbeddedBroker broker =
                EmbeddedBroker.start(dashed, EmbeddedBroker.Address.local(0))) {
            assertTrue(broker.bootstrap().startsWith("localhost:"), broker.bootstrap());
        }
    }

    @Test
    void theBrokerIsNewerThanTheClientsBesideIt() throws Exception {
        try (EmbeddedBroker broker =
                EmbeddedBroker.start(directory.resolve("newer"), EmbeddedBroker.Address.local(0))) {
            assertTrue(broker.bootstrap().startsWith("localhost:"), broker.bootstrap());
            ObjectName itself = new ObjectName("kafka.server:type=app-info,id=1");
            assertEquals(
                    "4.3.1",
                    ManagementFactory.getPlatformMBeanServer().getAttribute(itself, "Version"));
        }
        assertEquals("4.2.0", AppInfoParser.getVersion());
    }

    /** A producer whose first batch is refused would never get it stored. */
    @Test
    void theLeadersOfTopicsServeOnceTheseAreCreated() throws Exception {
        int partitions = 200;
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        IntStream.range(0, partitions)
                .forEach(i -> ends.put(new TopicPartition("new", i), OffsetSpec.latest()));
        try (EmbeddedBroker broker =
                        EmbeddedBroker.start(
                                directory.resolve("topics"), EmbeddedBroker.Address.local(0));
                Admin impatient =
                        Admin.create(
                                Map.<String, Object>of(
                                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                        broker.bootstrap(),
                                        AdminClientConfig.RETRIES_CONFIG,
                                        0))) {
            impatient.describeCluster().nodes().get();
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
                access.createTopics(
                        List.of(new NewTopic("new", Optional.of(partitions), Optional.empty())));
            }
            assertEquals(partitions, impatient.listOffsets(ends).all().get().size());
        }
    }

    /** Its timeout passes while the broker is away: the next broker writes its end. */
    @Test
    void aTransactionThatWasOpenWhenTheBrokerWasKilledEndsAfterwards() throws Exception {
        Path data = directory.resolve("killed");
        Process killed = process(data);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrap(killed),
                                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                                "open",
                                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                                "1000"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            try (Admin admin = admin(bootstrap(killed))) {
                admin.createTopics(List.of(new NewTopic(TOPIC.topic(), 1, (short) 1))).all().get();
            }
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC.topic(), new byte[1]));
            producer.flush();
            killed.destroyForcibly().waitFor();
            producer.close(Duration.ZERO);
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(data, EmbeddedBroker.Address.local(0));
                Admin admin = admin(broker.bootstrap())) {
            // Behind the message the marker of its end; a transaction that hangs holds readers at
            // 0.
            while (end(admin, IsolationLevel.READ_COMMITTED) < 2) {
                Thread.onSpinWait();
            }
            assertEquals(2, end(admin, IsolationLevel.READ_UNCOMMITTED));
        }
    }

    private static long end(Admin admin, IsolationLevel isolation) throws Exception {
        return admin.listOffsets(
                        Map.of(TOPIC, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .partitionResult(TOPIC)
                .get()
                .offset();
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }

    private Process process(Path data) throws Exception {
        return Sluice.process("broker", "--data", data, "--port", 0)
                .redirectError(directory.resolve("killed.err").toFile())
                .redirectOutput(directory.resolve("killed.out").toFile())
                .start();
    }

    private String bootstrap(Process broker) throws Exception {
        Pattern address = Pattern.compile("--bootstrap (\\S+)");
        while (broker.isAlive()) {
            Matcher said = address.matcher(Files.readString(directory.resolve("killed.out")));
            if (said.find()) {
                return said.group(1);
            }
            Thread.onSpinWait();
        }
        throw new AssertionError(Files.readString(directory.resolve("killed.err")));
    }
}
