package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A publisher of rules that is killed while a part of its transaction is in Kafka. */
@Tag("long")
@Timeout(120)
class KilledPublisherITCase {
    private static final int RULES = 30_000;

    /** At which those rules take several seconds: less than Kafka leaves to their transaction. */
    private static final double BYTES_A_SECOND = 400_000;

    private static final String OLD = "priority=5,tcp,actions=drop";
    private static final String EVEN = "priority=9,tcp,tp_dst=0/1,actions=output:1";

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static Path large(Path file) throws Exception {
        List<String> lines = new ArrayList<>(List.of(EVEN, OLD));
        for (int i = 0; i < RULES; i++) {
            lines.add(
                    "priority=7,udp,nw_dst=10.0.%d.%d,actions=output:2".formatted(i >> 8, i & 255));
        }
        return Files.write(file, lines);
    }

    @Test
    void nothingOfItComesIntoForceAndTheNextPublisherNeedNotWaitForItsEnd() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "killed").create();
        String rules = topics.names().rules();
        String open = RulePublisher.transactionalId(rules);
        Path small = Files.write(folder.resolve("small.ovs"), List.of(OLD));
        topics.publish(small);
        Object[] publish = {
            "rules", "publish", "--algorithm", "tuple", "--rules", large(folder.resolve("l.ovs"))
        };
        try (Admin admin = broker.admin();
                KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()));
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts());
                Sluice.Running job =
                        new Sluice.Running(
                                topics.line(
                                        "run",
                                        "--checkpoint-interval",
                                        200,
                                        "--parallelism",
                                        1,
                                        "--algorithm",
                                        "tuple",
                                        "--status-every",
                                        "off"))) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            judge(packets, producer, verdicts, job);

            ProducerBound.set(admin, BYTES_A_SECOND);
            try (TopicReader sent =
                            TopicReader.part(
                                    new KafkaClients(broker.bootstrap()), rules, false, 0, 1);
                    SluiceProcess publisher =
                            new SluiceProcess(folder.resolve("log"), topics.line(publish))) {
                long before = length(sent);
                while (length(sent) == before) {
                    publisher.requireRunning();
                }
                publisher.kill();
            }
            ProducerBound.set(admin, null);
            assertTrue(access.openTransactions().contains(open), "its transaction is over");
            judge(packets, producer, verdicts, job);
            assertEquals(Set.of(1L), verdicts.versionsFrom(0));
            assertTrue(access.openTransactions().contains(open), "Kafka has ended it meanwhile");

            Sluice next = topics.run(publish);
            assertEquals(0, next.status(), next.err());
            assertTrue(next.out().contains(" as version 2: 30,001 put, 0 removed"), next.out());
            assertFalse(access.openTransactions().contains(open), "it is open still");
            job.await(
                    () -> {
                        judge(packets, producer, verdicts, job);
                        return verdicts.versionsFrom(0).contains(2L);
                    });
            assertEquals(packets.sent(), verdicts.entries().size());
        }
        assertVerdicts(topics);
    }

    private static long length(TopicReader rules) {
        return rules.ends().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Sends packets and waits until they are judged. */
    private static void judge(
            PacketStream packets,
            MessageProducer producer,
            VerdictJournal verdicts,
            Sluice.Running job) {
        packets.send(2);
        producer.flush();
        job.await(
                () -> {
                    verdicts.poll();
                    return verdicts.answered() == packets.sent();
                });
    }

    /** Each is that of its version: of the old rules, or of all the new ones. */
    private static void assertVerdicts(Topics topics) throws Exception {
        Sluice printed = topics.run("verdicts", "--json");
        assertEquals(0, printed.status(), printed.err());
        Set<Integer> versions = new TreeSet<>();
        for (String line : printed.out().lines().toList()) {
            JsonNode verdict = new ObjectMapper().readTree(line);
            int version = verdict.get("version").asInt();
            boolean even =
                    PacketStream.header(verdict.get("packet").asLong())[HeaderWord.PORTS] % 2 == 0;
            assertEquals(version == 2 && even ? EVEN : OLD, verdict.get("text").asText(), line);
            versions.add(version);
        }
        assertEquals(Set.of(1, 2), versions);
    }
}
