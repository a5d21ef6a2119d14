package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The transactional ids that a job takes, and the heap of its broker. */
@Timeout(1800)
class TransactionalIdsITCase {
    /** More than the ids of a sink that rest, of which a look may tell of several. */
    private static final int FEW = 200;

    private static final int CHECKPOINTS = 300;
    private static final int MANY = 20_000;

    private static final long LOOK_NANOS = 1_000_000;

    private static final Pattern SINK = Pattern.compile("(ids-.*)-\\d+-\\d+");

    /** Threads of a sink: a producer's, and the one that prepares the next. */
    private static final Pattern LEFT = Pattern.compile("producer.*ids-|^next transaction of ");

    private static final Pattern TOTAL = Pattern.compile("Total\\s+\\d+\\s+(\\d+)");

    @TempDir private Path folder;

    @Test
    void checkpointsThatWriteTakeFewIdsAndASinkWithoutOutputTakesTwo() throws Exception {
        Map<String, Long> ids = idsOf(CHECKPOINTS, true);
        assertEquals(2, ids.get("ids-dead-letters"), "its first one, and the next is ready");
        assertTrue(ids.get("ids-verdicts") <= FEW, ids.toString());
        assertTrue(ids.get("ids-statistics") <= FEW, ids.toString());
    }

    /** Prints what the broker keeps. */
    @Test
    @Tag("long")
    void checkpointsOfAnIdleJobTakeNone() throws Exception {
        Map<String, Long> ids = idsOf(MANY, false);
        assertEquals(2, ids.get("ids-dead-letters"));
        // The first transaction wrote, the one behind it did not, and the next is ready.
        assertTrue(ids.get("ids-verdicts") <= 3, ids.toString());
        assertTrue(ids.get("ids-statistics") <= 3, ids.toString());
    }

    /**
     * Killed when its ids serve again, and resumed with another parallelism, twice. What it had
     * begun behind its checkpoint would hold up readers for ten minutes.
     */
    @Test
    @Tag("long")
    void nothingIsLostOrDoubledOrHeldUpThroughKillMinusNineWhenIdsServeAgain() throws Exception {
        try (SluiceProcess broker = SluiceProcess.broker(folder)) {
            String bootstrap = broker.address();
            Topics topics = Topics.of(bootstrap, "again").create();
            topics.publish(
                    Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop")));
            Map<String, Object> config =
                    Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
            try (Admin admin = Admin.create(config);
                    MessageProducer producer = new MessageProducer(new KafkaClients(bootstrap));
                    PacketCount verdicts = new PacketCount(bootstrap, topics.names().verdicts())) {
                PacketStream packets = new PacketStream(producer, topics.names().packets());
                for (int parallelism : new int[] {1, 2}) {
                    try (JobProcess job = start(topics, parallelism)) {
                        long checkpoint = 0;
                        while (openAgain(admin, checkpoint).isEmpty()) {
                            job.requireRunning();
                            packets.send(parallelism);
                            producer.flush();
                            verdicts.poll();
                            checkpoint = job.newestCheckpoint().map(c -> c.id()).orElse(0L);
                        }
                        job.kill();
                    }
                }
                try (JobProcess job = start(topics, 3)) {
                    while (verdicts.answered() < packets.sent()) {
                        job.requireRunning();
                        verdicts.poll();
                    }
                    job.kill();
                }
                verdicts.pollToEnd();
                assertEquals(packets.sent(), verdicts.answered());
                assertEquals(0, verdicts.doubled());
            }
        }
    }

    /** Transactions of verdicts that are open, of ids from long before a checkpoint. */
    private static Set<String> openAgain(Admin admin, long checkpoint) throws Exception {
        return admin
                .listTransactions(
                        new ListTransactionsOptions()
                                .filterStates(Set.of(TransactionState.ONGOING)))
                .all()
                .get()
                .stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> id.startsWith("again-verdicts-"))
                .filter(
                        id ->
                                Long.parseLong(id.substring(id.lastIndexOf('-') + 1))
                                        < checkpoint - FEW / 4)
                .collect(Collectors.toSet());
    }

    private JobProcess start(Topics topics, int parallelism) throws IOException {
        Path checkpoints = folder.resolve("checkpoints");
        return new JobProcess(
                checkpoints,
                folder.resolve("job.log"),
                topics.line(
                        "run",
                        "--from",
                        "earliest",
                        "--checkpoints",
                        checkpoints,
                        "--checkpoint-interval",
                        10,
                        "--parallelism",
                        parallelism,
                        "--transactional-id-prefix",
                        "again",
                        "--group",
                        "again"));
    }

    /**
     * Runs a job.
     *
     * @param checkpoints how many it is to complete
     * @param writes whether packets come before each
     * @return the number of ids by sink
     */
    private Map<String, Long> idsOf(int checkpoints, boolean writes) throws Exception {
        Map<String, Long> ids = ids(checkpoints, writes);
        assertEquals(
                List.of(),
                Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> LEFT.matcher(name).find())
                        .toList(),
                "producers that the end of the job left");
        return ids;
    }

    private Map<String, Long> ids(int checkpoints, boolean writes) throws Exception {
        try (SluiceProcess broker = SluiceProcess.broker(folder)) {
            String bootstrap = broker.address();
            Topics topics = Topics.of(bootstrap, "ids").create();
            topics.publish(
                    Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop")));
            Map<String, Object> config =
                    Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
            try (Admin admin = Admin.create(config);
                    MessageProducer producer = new MessageProducer(new KafkaClients(bootstrap));
                    PacketCount verdicts = new PacketCount(bootstrap, topics.names().verdicts());
                    LocalFlink job = LocalFlink.start(options(topics), 1, folder)) {
                PacketStream packets = new PacketStream(producer, topics.names().packets());
                packets.send(1);
                producer.flush();
                await(job, verdicts, packets);
                long first = job.figures().checkpoints();
                long before = heap(broker);
                for (long done = first; done < first + checkpoints; ) {
                    if (writes) {
                        packets.send(1);
                        producer.flush();
                    }
                    long last = done;
                    while (done == last) {
                        job.requireRunning();
                        LockSupport.parkNanos(LOOK_NANOS);
                        done = job.figures().checkpoints();
                    }
                }
                Map<String, Long> ids = ids(admin);
                System.out.printf(
                        "%,d checkpoints: transactional ids %s; the broker's heap went from %,d to %,d bytes%n",
                        checkpoints, ids, before, heap(broker));
                await(job, verdicts, packets);
                assertEquals(0, verdicts.doubled());
                return ids;
            }
        }
    }

    private static void await(LocalFlink job, PacketCount verdicts, PacketStream packets)
            throws Exception {
        while (verdicts.answered() < packets.sent()) {
            job.requireRunning();
            verdicts.poll();
        }
    }

    private static JobOptions options(Topics topics) {
        return new JobOptions(
                new KafkaClients(topics.bootstrap()),
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
                StatisticsOptions.TOTALS,
                "ids",
                JobOptions.StartFrom.EARLIEST,
                false,
                "ids",
                Duration.ofMinutes(10),
                Duration.ofMillis(10),
                Framing.SINGLE_OBJECT,
                CompressionType.NONE,
                null,
                null,
                null,
                null);
    }

    /** How many ids the broker keeps of each sink. */
    private static Map<String, Long> ids(Admin admin) throws Exception {
        return admin.listTransactions().all().get().stream()
                .map(TransactionListing::transactionalId)
                .map(SINK::matcher)
                .filter(Matcher::matches)
                .collect(
                        Collectors.groupingBy(
                                id -> id.group(1), TreeMap::new, Collectors.counting()));
    }

    /** Bytes of the objects that a broker's process holds, behind a full collection. */
    private static long heap(SluiceProcess broker) throws Exception {
        Process jcmd =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                String.valueOf(broker.pid()),
                                "GC.class_histogram")
                        .redirectErrorStream(true)
                        .start();
        String told = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        Matcher total = TOTAL.matcher(told);
        assertTrue(total.find(), told);
        return Long.parseLong(total.group(1));
    }
}
