package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Topics that go, or are made anew, under a running job: it says so, and does not go on in silence.
 */
@Timeout(120)
class TopicFaultsITCase {
    private static final String LAST = "its last checkpoint is \\d+";

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    /** Topics with packets that a job judges. */
    private final class Running implements AutoCloseable {
        final Topics topics;
        final Path checkpoints;
        final MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
        final PacketStream packets;
        Sluice.Running job;

        Running(String name) throws Exception {
            topics = Topics.of(broker.bootstrap(), name).create();
            checkpoints = folder.resolve("checkpoints");
            packets = new PacketStream(producer, topics.names().packets());
            publish(1);
            job = start();
            awaitVerdicts();
        }

        void publish(int line) throws Exception {
            Path rules = folder.resolve(topics.names().rules() + ".ovs");
            Files.write(rules, List.of("priority=" + line + ",tcp,actions=drop"));
            topics.publish(rules);
        }

        Sluice.Running start() {
            return start("--checkpoints", checkpoints);
        }

        Sluice.Running start(Object... more) {
            List<Object> words =
                    new ArrayList<>(
                            List.of(
                                    "run",
                                    "--checkpoint-interval",
                                    200,
                                    "--parallelism",
                                    1,
                                    "--status-every",
                                    "off",
                                    "--transactional-id-prefix",
                                    topics.names().packets(),
                                    "--group",
                                    topics.names().packets()));
            words.addAll(List.of(more));
            return new Sluice.Running(topics.line(words.toArray()));
        }

        /** Sends packets until verdicts on new ones are committed. */
        void awaitVerdicts() throws Exception {
            try (VerdictJournal verdicts =
                    new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
                verdicts.pollToEnd();
                int before = verdicts.answered();
                job.await(
                        () -> {
                            packets.send(1);
                            producer.flush();
                            verdicts.poll();
                            return verdicts.answered() > before;
                        });
            }
        }

        /** Waits for the end of the job, which is no good one. */
        String failure() throws Exception {
            Sluice ended = job.end();
            assertEquals(1, ended.status(), ended.out() + ended.err());
            return ended.err();
        }

        @Override
        public void close() throws InterruptedException {
            job.close();
            producer.close();
        }
    }

    private static void delete(String topic) throws Exception {
        try (Admin admin = broker.admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    /** The broker knows a topic a moment after the controller does that has made it. */
    private static void makeAnew(NewTopic topic) throws Exception {
        delete(topic.name());
        try (Admin admin = broker.admin()) {
            Uuid made = admin.createTopics(List.of(topic)).topicId(topic.name()).get();
            while (admin.listTopics().listings().get().stream()
                    .noneMatch(known -> known.topicId().equals(made))) {
                assertFalse(Thread.interrupted(), "the broker does not come to know it");
            }
        }
    }

    private static void assertSays(String sentence, String text) {
        assertTrue(Pattern.compile(sentence).matcher(text).find(), text);
    }

    @Test
    void aVerdictsTopicThatIsGoneStopsTheJobAndMadeAnewItGoesOnFromItsCheckpoint()
            throws Exception {
        try (Running on = new Running("gone-verdicts")) {
            String verdicts = on.topics.names().verdicts();
            delete(verdicts);
            on.packets.send(1);
            assertSays(
                    "sluice: the Flink job failed: topic "
                            + verdicts
                            + " \\(verdicts\\) is gone, .*The job stops; "
                            + LAST,
                    on.failure());
            on.topics.create();
            on.job = on.start();
            on.awaitVerdicts();
        }
    }

    @Tag("long")
    @Test
    void deadLettersOrStatisticsThatAreGoneStopTheJobAndMadeAnewItGoesOnFromItsCheckpoint()
            throws Exception {
        try (Running on = new Running("gone-outputs")) {
            TopicNames names = on.topics.names();
            Map<String, String> roles =
                    Map.of(names.deadLetters(), "dead letters", names.statistics(), "statistics");
            for (Map.Entry<String, String> role : roles.entrySet()) {
                delete(role.getKey());
                assertSays(
                        "topic %s \\(%s\\) is gone, .*The job stops; %s"
                                .formatted(role.getKey(), role.getValue(), LAST),
                        on.failure());
                on.topics.create();
                on.job = on.start();
                on.awaitVerdicts();
            }
        }
    }

    @Tag("long")
    @Test
    void aRulesTopicThatIsGoneStopsTheJobAndMadeAnewItGoesOnByTheRulesThatAreThere()
            throws Exception {
        try (Running on = new Running("gone-rules")) {
            on.publish(2);
            String rules = on.topics.names().rules();
            delete(rules);
            assertSays(
                    "topic " + rules + " \\(rules\\) is gone: .*The job stops; " + LAST,
                    on.failure());
            on.publish(3);
            try (VerdictJournal verdicts =
                    new VerdictJournal(broker.bootstrap(), on.topics.names().verdicts())) {
                verdicts.pollToEnd();
                int before = verdicts.entries().size();
                on.job = on.start();
                on.awaitVerdicts();
                verdicts.pollToEnd();
                assertEquals(Set.of(1L), verdicts.versionsFrom(before), "versions count anew");
            }
        }
    }

    @Tag("long")
    @Test
    void aPacketsTopicThatIsGoneOrAnotherOneStopsTheJobAtItsNextStartToo() throws Exception {
        try (Running on = new Running("gone-packets")) {
            String packets = on.topics.names().packets();
            delete(packets);
            assertSays("topic " + packets + " \\(packets\\) is gone, .*" + LAST, on.failure());
            on.topics.create();
            on.packets.send(200);
            on.producer.flush();
            on.job = on.start();
            assertSays(
                    "topic " + packets + " \\(packets\\) was made anew: .*" + LAST, on.failure());
        }
    }

    @Test
    void rulesThatAreCutTakeNothingFromARunningJobAndMadeAnewAreTakenAfterARestartByItself()
            throws Exception {
        try (Running on = new Running("new-rules")) {
            String rules = on.topics.names().rules();
            try (Admin admin = broker.admin()) {
                admin.deleteRecords(
                                Map.of(
                                        new TopicPartition(rules, 0),
                                        RecordsToDelete.beforeOffset(-1)))
                        .all()
                        .get();
            }
            on.awaitVerdicts();
            on.publish(2);
            on.publish(3);
            makeAnew(KafkaAccess.keptForEver(rules));
            on.publish(4);
            try (VerdictJournal verdicts =
                    new VerdictJournal(broker.bootstrap(), on.topics.names().verdicts())) {
                verdicts.pollToEnd();
                on.job.await(() -> on.job.err().contains("the job has failed, and starts again"));
                int before = verdicts.entries().size();
                on.job.await(
                        () -> {
                            on.packets.send(1);
                            on.producer.flush();
                            verdicts.poll();
                            return verdicts.versionsFrom(before).contains(1L);
                        });
            }
        }
    }

    /**
     * Waits until the last packet of each flow shard has its verdict, and holds each shard's
     * verdicts to what was sent: from the first one on none lacks, none is there twice, and all are
     * in order.
     */
    private static void requireNoGap(Running on, VerdictJournal verdicts) throws Exception {
        int sent = on.packets.sent();
        long last = sent - (long) (PacketStream.SHARDS - 1) * PacketStream.COUNT;
        on.job.await(
                () -> {
                    verdicts.poll();
                    Map<Integer, Long> newest = new HashMap<>();
                    verdicts.entries().forEach(e -> newest.merge(e.shard(), e.packet(), Math::max));
                    return newest.size() == PacketStream.SHARDS
                            && newest.values().stream().allMatch(packet -> packet >= last);
                });
        verdicts.pollToEnd();
        Map<Integer, Long> before = new HashMap<>();
        for (VerdictJournal.Entry verdict : verdicts.entries()) {
            Long packet = before.put(verdict.shard(), verdict.packet());
            if (packet != null) {
                long next =
                        packet % PacketStream.COUNT == 0
                                ? packet + (long) (PacketStream.SHARDS - 1) * PacketStream.COUNT + 1
                                : packet + 1;
                assertEquals(next, verdict.packet(), "the packet behind packet " + packet);
            }
        }
        assertEquals(0, verdicts.doubled());
    }

    private static void truncate(String topic, int partitions) throws Exception {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            all.put(new TopicPartition(topic, i), RecordsToDelete.beforeOffset(-1));
        }
        try (Admin admin = broker.admin()) {
            admin.deleteRecords(all).all().get();
        }
    }

    private NewTopic created(Running on, String name) {
        return KafkaAccess.newTopics(on.topics.names(), 2).stream()
                .filter(topic -> topic.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Tag("long")
    @Test
    void outputsThatAreMadeAnewUnderLoadStopTheJobAndItGoesOnBehindItsCheckpointWithoutAGap()
            throws Exception {
        try (Running on = new Running("anew-outputs")) {
            TopicNames names = on.topics.names();
            for (String topic :
                    List.of(names.deadLetters(), names.statistics(), names.verdicts())) {
                try (PacketStream.Load load = on.packets.load()) {
                    on.awaitVerdicts();
                    makeAnew(created(on, topic));
                    assertSays(
                            "topic "
                                    + topic
                                    + " \\([a-z ]+\\) (was made anew|is gone), .*The job stops; "
                                    + LAST,
                            on.failure());
                    on.job = on.start();
                    on.awaitVerdicts();
                }
            }
            try (VerdictJournal verdicts =
                    new VerdictJournal(broker.bootstrap(), names.verdicts())) {
                requireNoGap(on, verdicts);
            }
        }
    }

    @Tag("long")
    @Test
    void outputsThatAreTruncatedUnderLoadTakeNothingFromTheJob() throws Exception {
        try (Running on = new Running("cut-outputs");
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), on.topics.names().verdicts())) {
            TopicNames names = on.topics.names();
            try (PacketStream.Load load = on.packets.load()) {
                for (int i = 0; i < 3; i++) {
                    on.awaitVerdicts();
                    verdicts.pollToEnd(); // before they go
                    truncate(names.deadLetters(), 1);
                    truncate(names.rules(), 1);
                }
            }
            requireNoGap(on, verdicts);
            truncate(names.verdicts(), 2);
            on.awaitVerdicts();
        }
    }

    @Tag("long")
    @Test
    void packetsThatAreTruncatedUnreadStopTheJobAndItGoesOnAtWhatIsLeft() throws Exception {
        try (Running on = new Running("cut-packets")) {
            String packets = on.topics.names().packets();
            try (PacketStream.Load load = on.packets.load()) {
                on.awaitVerdicts();
                truncate(packets, 2); // some that were read, and perhaps some that were not
            }
            on.job.close();
            on.packets.send(200);
            on.producer.flush();
            truncate(packets, 2);
            on.packets.send(200);
            on.producer.flush();
            on.job = on.start();
            String said = on.failure();
            assertSays(
                    "messages of packets that the job was to read next are not there any more: "
                            + packets
                            + "-[01] at offset \\d+",
                    said);
            try (VerdictJournal verdicts =
                    new VerdictJournal(broker.bootstrap(), on.topics.names().verdicts())) {
                verdicts.pollToEnd();
                int before = verdicts.entries().size();
                on.job = on.start("--from", "committed", "--checkpoints", folder.resolve("other"));
                int sent = on.packets.sent();
                on.job.await(
                        () -> {
                            verdicts.poll();
                            return verdicts.entries().size() >= before + 200 * PacketStream.COUNT;
                        });
                Set<Long> left = new TreeSet<>();
                verdicts.entries()
                        .subList(before, verdicts.entries().size())
                        .forEach(e -> left.add(e.packet()));
                assertEquals(200 * PacketStream.COUNT, left.size());
                assertTrue(left.contains((long) sent) && !left.contains(1L), left.size() + " left");
            }
        }
    }

    @Tag("long")
    @Test
    void packetsThatAreMadeAnewUnderLoadStopTheJobAndAnotherOneReadsTheNewTopicWhole()
            throws Exception {
        try (Running on = new Running("anew-packets")) {
            String packets = on.topics.names().packets();
            try (PacketStream.Load load = on.packets.load()) {
                on.awaitVerdicts();
                load.close(); // a producer that writes into a topic that goes is not the subject
                makeAnew(created(on, packets));
                int gone = on.packets.sent();
                try (PacketStream.Load anew = on.packets.load()) {
                    // The watch sees it, or the source first, whose offset is not there.
                    assertSays(
                            "topic "
                                    + packets
                                    + " \\(packets\\) (was made anew|is gone).*"
                                    + LAST
                                    + "|"
                                    + packets
                                    + "-[01] at offset \\d+.*, or the topic was made anew",
                            on.failure());
                }
                String verdictsTopic = on.topics.names().verdicts();
                delete(verdictsTopic);
                on.topics.create();
                on.job = on.start("--from", "earliest", "--checkpoints", folder.resolve("other"));
                try (VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), verdictsTopic)) {
                    on.job.await(
                            () -> {
                                verdicts.poll();
                                return verdicts.answered() >= on.packets.sent() - gone;
                            });
                    verdicts.pollToEnd();
                    assertEquals(on.packets.sent() - gone, verdicts.answered());
                    assertEquals(0, verdicts.doubled());
                }
            }
        }
    }
}
