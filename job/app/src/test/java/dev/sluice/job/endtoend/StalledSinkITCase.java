package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Verdicts that Kafka takes more slowly than packets come. */
@Timeout(120)
class StalledSinkITCase {
    private static final int BLOCKS = 30_000;

    /** Verdicts on some 500 blocks: a sixtieth of them. */
    private static final double BYTES_A_SECOND = 300_000;

    /** Longer than transactions of a minute live, and than Kafka looks after them. */
    private static final Duration BEYOND = Duration.ofSeconds(150);

    /** For which packets that are sent may wait for the broker. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static JobOptions options(Topics topics) {
        return new JobOptions(
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
                "stalled",
                JobOptions.StartFrom.EARLIEST,
                false,
                "stalled",
                Duration.ofMinutes(10),
                Duration.ofMillis(200),
                Framing.SINGLE_OBJECT,
                CompressionType.NONE,
                null,
                null,
                null,
                null);
    }

    @Tag("long")
    @Test
    void theInputIsHeldBackAsTheMetricSaysAndEachPacketHasOneVerdictInTheEnd() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "stalled").create();
        Path rules = Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
        topics.publish(rules);
        Configuration config = LocalFlink.configuration(folder);
        BackPressure.addTo(config);
        try (Admin admin = broker.admin();
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            packets.send(BLOCKS);
            producer.flush();
            ProducerBound.set(admin, BYTES_A_SECOND);
            try (LocalFlink job = LocalFlink.start(options(topics), 1, config)) {
                while (BackPressure.millis("Source: packets") < 500) {
                    job.requireRunning();
                    assertFalse(Thread.interrupted(), "nothing is held back");
                    verdicts.poll();
                }
                assertTrue(verdicts.answered() < packets.sent() / 2, "the sink is not slow");
                ProducerBound.set(admin, null);
                while (verdicts.answered() < packets.sent()) {
                    job.requireRunning();
                    verdicts.poll();
                }
                verdicts.pollToEnd();
                assertEquals(0, verdicts.doubled());
                assertTrue(job.restart().isEmpty(), "the job has failed");
            }
        }
    }

    /** Sends until the broker stands still: the last packets are on their way then. */
    private static void suspendWhilePacketsCome(SluiceProcess broker, PacketStream packets)
            throws Exception {
        AtomicBoolean stands = new AtomicBoolean();
        CompletableFuture<Void> sending =
                CompletableFuture.runAsync(
                        () -> {
                            while (!stands.get()) {
                                packets.send(10);
                                LockSupport.parkNanos(1_000_000); // its buffer must not fill
                            }
                        });
        try {
            broker.suspend();
        } finally {
            stands.set(true);
        }
        sending.get();
    }

    /**
     * Transactions that were open when the broker stopped are ended by Kafka as it goes on. The job
     * starts again from its last checkpoint; only where the commit of a checkpoint was under way
     * then it ends, and says what is missing.
     */
    @Tag("long")
    @Test
    @Timeout(600)
    void aBrokerThatStandsStillForLongerThanTransactionsLiveCostsNoVerdictInSilence()
            throws Exception {
        try (SluiceProcess own = SluiceProcess.broker(folder)) {
            Topics topics = Topics.of(own.address(), "beyond").create();
            Path rules =
                    Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
            topics.publish(rules);
            Object[] run =
                    topics.line(
                            "run",
                            "--from",
                            "earliest",
                            "--transaction-timeout",
                            60,
                            "--checkpoints",
                            folder.resolve("checkpoints"),
                            "--create-topics");
            try (MessageProducer producer =
                            MessageProducer.patient(new KafkaClients(own.address()), PATIENCE);
                    PacketCount verdicts =
                            new PacketCount(own.address(), topics.names().verdicts())) {
                PacketStream packets = new PacketStream(producer, topics.names().packets());
                try (SluiceProcess job = new SluiceProcess(folder.resolve("job.log"), run)) {
                    while (verdicts.answered() == 0) {
                        packets.send(100);
                        verdicts.poll();
                        job.requireRunning();
                    }
                    suspendWhilePacketsCome(own, packets);
                    try {
                        long end = System.nanoTime() + BEYOND.toNanos();
                        while (System.nanoTime() < end) {
                            verdicts.poll();
                        }
                    } finally {
                        own.goOn();
                    }
                    assertTrue(verdicts.answered() < packets.sent(), "all was judged before");
                    while (verdicts.answered() < packets.sent() && job.isRunning()) {
                        verdicts.poll();
                    }
                    verdicts.pollToEnd();
                    assertEquals(0, verdicts.doubled(), "packets with two verdicts");
                    String printed = job.printed();
                    if (job.isRunning()) {
                        assertEquals(packets.sent(), verdicts.answered());
                        assertTrue(printed.contains("the job runs again"), printed);
                    } else {
                        assertTrue(printed.contains("Kafka has ended transaction"), printed);
                    }
                }
            }
        }
    }
}
