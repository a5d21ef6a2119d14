package dev.sluice.job.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.sink.TransactionFate;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Verdicts that a checkpoint holds and Kafka has dropped, as their job was away for too long. */
@Timeout(120)
class LostTransactionITCase {
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static TransactionDescription describe(Admin admin, String id) throws Exception {
        return admin.describeTransactions(List.of(id)).description(id).get();
    }

    private static KafkaProducer<byte[], byte[]> open(String id, Duration timeout)
            throws Exception {
        KafkaProducer<byte[], byte[]> producer =
                new KafkaClients(broker.bootstrap()).transactionalProducer(id, timeout);
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("fate-v", "message".getBytes(UTF_8))).get();
        return producer;
    }

    @Test
    void whatBecameOfATransactionIsToldAsLongAsItsIdHasServedNoOther() throws Exception {
        Topics.of(broker.bootstrap(), "fate").create();
        try (Admin admin = broker.admin();
                KafkaProducer<byte[], byte[]> committed = open("fate-0-1", NEVER.dividedBy(6));
                KafkaProducer<byte[], byte[]> dropped = open("fate-0-2", Duration.ofSeconds(1))) {
            TransactionDescription first = describe(admin, "fate-0-1");
            TransactionDescription second = describe(admin, "fate-0-2");
            committed.commitTransaction();
            while (describe(admin, "fate-0-2").state() != TransactionState.COMPLETE_ABORT) {
                assertFalse(Thread.interrupted(), "Kafka does not end it");
            }
            assertEquals(TransactionFate.COMMITTED, fate("fate-0-1", first));
            assertEquals(TransactionFate.ABORTED, fate("fate-0-2", second));
            try (KafkaProducer<byte[], byte[]> other = open("fate-0-1", TIMEOUT)) {
                assertEquals(TransactionFate.UNKNOWN, fate("fate-0-1", first));
                other.abortTransaction();
            }
            assertEquals(TransactionFate.UNKNOWN, fate("fate-0-3", first), "no such id");
        }
    }

    private static TransactionFate fate(String id, TransactionDescription was) throws Exception {
        return TransactionFate.of(
                new KafkaClients(broker.bootstrap()),
                id,
                was.producerId(),
                (short) was.producerEpoch());
    }

    private JobClient start(Topics topics, Duration checkpoints, Optional<String> savepoint)
            throws Exception {
        return start("lost", topics, checkpoints, savepoint);
    }

    /** A job with a name that its transactions and its group have. */
    private JobClient start(
            String name, Topics topics, Duration checkpoints, Optional<String> savepoint)
            throws Exception {
        Configuration config = LocalFlink.configuration(folder);
        savepoint.ifPresent(from -> config.set(StateRecoveryOptions.SAVEPOINT_PATH, from));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(1, config);
        SluiceJob.build(
                env,
                new JobOptions(
                        new KafkaClients(broker.bootstrap()),
                        topics.names(),
                        PacketFormat.AVRO,
                        new ClassifyOptions(
                                EngineOptions.DEFAULTS,
                                8192,
                                2000,
                                4,
                                64,
                                VerdictFormat.BLOCKS,
                                VerdictFields.NONE),
                        StatisticsOptions.OFF,
                        name,
                        JobOptions.StartFrom.EARLIEST,
                        false,
                        name,
                        TIMEOUT,
                        checkpoints,
                        Framing.SINGLE_OBJECT,
                        CompressionType.NONE,
                        null,
                        null,
                        null,
                        null));
        return env.executeAsync();
    }

    /** Reads what is sent from now on, committed or not. */
    private static KafkaConsumer<byte[], byte[]> uncommitted(String topic) {
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrap(),
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_uncommitted"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        List<TopicPartition> all =
                consumer.partitionsFor(topic).stream()
                        .map(p -> new TopicPartition(topic, p.partition()))
                        .toList();
        consumer.assign(all);
        consumer.seekToEnd(all);
        all.forEach(consumer::position);
        return consumer;
    }

    private static void awaitMessage(KafkaConsumer<byte[], byte[]> consumer) {
        while (consumer.poll(Duration.ofMillis(20)).isEmpty()) {
            assertFalse(Thread.interrupted(), "no verdict comes");
        }
    }

    /** Blocks in front of the offsets that the job's group has committed. */
    private static long committedBlocks(Admin admin) throws Exception {
        return admin
                .listConsumerGroupOffsets("lost-lost-p")
                .partitionsToOffsetAndMetadata()
                .get()
                .values()
                .stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static void awaitDropped(Admin admin) throws Exception {
        Set<TransactionState> states = Set.of();
        do {
            assertFalse(Thread.interrupted(), states.toString());
            states =
                    admin.listTransactions().all().get().stream()
                            .filter(t -> t.transactionalId().startsWith("lost-verdicts"))
                            .map(TransactionListing::state)
                            .collect(Collectors.toSet());
        } while (states.contains(TransactionState.ONGOING)
                || !states.contains(TransactionState.COMPLETE_ABORT));
    }

    /** States of a subtask's transactions, that of the newest checkpoint first. */
    private static List<TransactionState> newestFirst(Admin admin, String subtask)
            throws Exception {
        Map<Integer, TransactionState> states = new TreeMap<>(Comparator.reverseOrder());
        for (TransactionListing each : admin.listTransactions().all().get()) {
            String id = each.transactionalId();
            if (id.startsWith(subtask)) {
                states.put(Integer.valueOf(id.substring(subtask.length())), each.state());
            }
        }
        return List.copyOf(states.values());
    }

    private Topics topicsWithRules(String prefix) throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), prefix).create();
        topics.publish(
                Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop")));
        return topics;
    }

    /** Of the real connector, whose fields are set for it. */
    @Test
    void theTransactionBehindTheOpenOneIsReadyBeforeItsCheckpoint() throws Exception {
        Topics topics = topicsWithRules("ahead");
        try (Admin admin = broker.admin();
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            JobClient job = start("ahead", topics, Duration.ofHours(1), Optional.empty());
            String savepoint = null;
            while (savepoint == null) {
                assertFalse(Thread.interrupted(), "its tasks do not all run");
                try {
                    savepoint =
                            job.triggerSavepoint(savepoints(), SavepointFormatType.NATIVE).get();
                } catch (ExecutionException e) {
                    assertTrue(e.getMessage().contains("are currently running"), e.getMessage());
                }
            }
            packets.send(5);
            producer.flush();
            List<TransactionState> newest = List.of();
            while (!newest.equals(List.of(TransactionState.EMPTY, TransactionState.ONGOING))) {
                assertFalse(Thread.interrupted(), newest.toString());
                newest = newestFirst(admin, "ahead-verdicts-0-").stream().limit(2).toList();
            }
            job.cancel().get();
        }
    }

    @Test
    void theJobEndsAndNamesCheckpointAndOffsetsAndFromTheCheckpointBeforeNothingIsMissing()
            throws Exception {
        Topics topics = topicsWithRules("lost");
        try (Admin admin = broker.admin();
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            packets.send(5);
            producer.flush();
            JobClient job = start(topics, Duration.ofMillis(300), Optional.empty());
            while (verdicts.answered() < packets.sent() || committedBlocks(admin) < 5) {
                verdicts.poll();
            }
            String first =
                    job.stopWithSavepoint(false, savepoints(), SavepointFormatType.NATIVE).get();
            job.getJobExecutionResult().get();

            try (var coming = uncommitted(topics.names().verdicts())) {
                // Its verdicts are committed once more: Kafka takes that as done.
                job = start(topics, NEVER, Optional.of(first));
                packets.send(5);
                producer.flush();
                awaitMessage(coming);
            }
            String second = job.triggerSavepoint(savepoints(), SavepointFormatType.NATIVE).get();
            job.cancel().get();
            JobClient cancelled = job;
            assertThrows(ExecutionException.class, () -> cancelled.getJobExecutionResult().get());
            awaitDropped(admin);

            JobClient ending = start(topics, NEVER, Optional.of(second));
            ExecutionException end =
                    assertThrows(
                            ExecutionException.class, () -> ending.getJobExecutionResult().get());
            String sentence = ours(end);
            assertTrue(
                    Pattern.compile(
                                    "Kafka has ended transaction lost-verdicts-0-\\d+ without committing it, so the verdicts of checkpoint \\d+ are lost.* packets of topic lost-p from here on: partition 0 offset \\d+ \\(checkpoint \\d+\\), partition 1 offset \\d+ \\(checkpoint \\d+\\)\\. To have them classified again, delete checkpoint ")
                            .matcher(sentence)
                            .find(),
                    sentence);
            verdicts.pollToEnd();
            assertEquals(packets.sent() / 2, verdicts.answered(), "of the first savepoint alone");

            job = start(topics, Duration.ofMillis(300), Optional.of(first));
            while (verdicts.answered() < packets.sent()) {
                verdicts.poll();
            }
            job.cancel().get();
            assertEquals(0, verdicts.doubled());
        }
    }

    private String savepoints() {
        return folder.resolve("savepoints").toUri().toString();
    }

    private static String ours(Throwable failure) {
        Throwable t = failure;
        while (!(t instanceof SluiceException)) {
            t = Objects.requireNonNull(t.getCause(), () -> "not said in words: " + failure);
        }
        return String.valueOf(t.getMessage());
    }
}
