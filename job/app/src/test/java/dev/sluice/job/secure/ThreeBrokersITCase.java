package dev.sluice.job.secure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.Topics;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three brokers, replication 3, and one that is lost by kill -9 while a job runs. */
@Tag("long")
@Timeout(300)
class ThreeBrokersITCase {
    private static final int BROKERS = 3;
    private static final int PACKETS = 1057;

    @TempDir private Path folder;
    private final List<BrokerProcess> processes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        List<ServerSocket> held = new ArrayList<>();
        for (int i = 0; i < 2 * BROKERS; i++) {
            held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            ports.add(held.get(i).getLocalPort());
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        String voters =
                IntStream.range(0, BROKERS)
                        .mapToObj(i -> i + "@localhost:" + ports.get(BROKERS + i))
                        .collect(Collectors.joining(","));
        String cluster = Uuid.randomUuid().toString();
        for (int i = 0; i < BROKERS; i++) {
            Path config = config(i, voters);
            processes.add(new BrokerProcess(config, cluster, List.of(), List.of()));
        }
        BrokerProcess.await(processes, bootstrap());
    }

    @AfterEach
    void stop() {
        processes.forEach(BrokerProcess::close);
    }

    private Path config(int node, String voters) throws IOException {
        Properties p = new Properties();
        p.setProperty("process.roles", "broker,controller");
        p.setProperty("node.id", String.valueOf(node));
        p.setProperty("controller.quorum.voters", voters);
        p.setProperty(
                "listeners",
                "PLAINTEXT://localhost:%d,CONTROLLER://localhost:%d"
                        .formatted(ports.get(node), ports.get(BROKERS + node)));
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("log.dirs", folder.resolve("data-" + node).toString());
        p.setProperty("default.replication.factor", "3");
        p.setProperty("min.insync.replicas", "2");
        p.setProperty("offsets.topic.replication.factor", "3");
        p.setProperty("offsets.topic.num.partitions", "1");
        p.setProperty("transaction.state.log.replication.factor", "3");
        p.setProperty("transaction.state.log.min.isr", "2");
        p.setProperty("transaction.state.log.num.partitions", "3");
        p.setProperty("group.initial.rebalance.delay.ms", "0");
        p.setProperty("log.cleaner.dedupe.buffer.size", "4194304");
        p.setProperty("broker.session.timeout.ms", "6000");
        Path file = folder.resolve("broker-" + node + ".properties");
        try (var out = Files.newBufferedWriter(file)) {
            p.store(out, null);
        }
        return file;
    }

    private String bootstrap() {
        return ports.subList(0, BROKERS).stream()
                .map(port -> "localhost:" + port)
                .collect(Collectors.joining(","));
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap()));
    }

    private static void await(Topics topics, int packets) {
        Sluice verdicts = topics.run("verdicts", "--follow", "--limit", packets);
        assertEquals(0, verdicts.status(), verdicts.err());
    }

    private static void export(Topics topics) {
        Sluice sent = topics.run("export", TestData.office("office.pcapng.gz"));
        assertEquals(0, sent.status(), sent.err());
    }

    /** The leader of the verdicts, so that open transactions lose theirs. */
    private void lose(Topics topics) throws Exception {
        int leader;
        try (Admin admin = admin()) {
            String verdicts = topics.names().verdicts();
            leader =
                    admin.describeTopics(List.of(verdicts))
                            .allTopicNames()
                            .get()
                            .get(verdicts)
                            .partitions()
                            .get(0)
                            .leader()
                            .id();
        }
        processes.get(leader).close();
    }

    @Test
    void theJobGoesOnWithEachPacketOnceWhenABrokerIsLost() throws Exception {
        Topics topics = Topics.of(bootstrap(), "three").create();
        topics.publish(TestData.office("office.ovs"));
        try (Sluice.Running job =
                new Sluice.Running(
                        topics.line("run", "--checkpoint-interval", 500, "--from", "earliest"))) {
            export(topics);
            await(topics, PACKETS);
            export(topics);
            lose(topics);
            export(topics);
            await(topics, 3 * PACKETS);
        }
        Sluice all = topics.run("verdicts");
        assertEquals(1 + 3 * PACKETS, all.out().lines().count());
        Map<String, Long> times =
                all.out()
                        .lines()
                        .skip(1)
                        .collect(Collectors.groupingBy(line -> line, Collectors.counting()));
        assertEquals(PACKETS, times.size());
        assertTrue(times.values().stream().allMatch(n -> n == 3), "each was exported three times");
    }
}
