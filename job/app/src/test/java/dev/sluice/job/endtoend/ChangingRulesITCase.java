package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.policy.RuleText;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Rules that change while a job in a process of its own is at work, against a real broker. */
@Timeout(360)
class ChangingRulesITCase {
    /** Versions that come into force before a job is killed. */
    private static final int VERSIONS = 8;

    private static final int RULES = 40;

    /** Lines of a large file in front of those for the ports, in their order. */
    private static final int OTHERS = 40_000;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Publishes a transaction every 100 ms, and knows what the rules were in each version. */
    private static final class Changes implements AutoCloseable {
        private final Random random = TestSeed.random(17);
        private final RulePublisher publisher;
        private final RuleContent content = new RuleContent(List.of());
        private final Map<Long, RuleSet> published = new ConcurrentHashMap<>();
        private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        private final Future<?> running;

        Changes(Topics topics) {
            String rules = topics.names().rules();
            publisher =
                    new RulePublisher(
                            new KafkaClients(topics.bootstrap()),
                            RulePublisher.Options.of(rules),
                            (d, t) -> {});
            publisher.takeOver();
            publish(RULES);
            running = clock.scheduleAtFixedRate(() -> publish(3), 100, 100, TimeUnit.MILLISECONDS);
        }

        private void publish(int edits) {
            RuleEdits transaction = new RuleEdits(content);
            for (int i = 0; i < edits; i++) {
                List<Rule> there = content.rules();
                if (there.size() < RULES || random.nextBoolean()) {
                    transaction.apply(new RuleEdit.Add(rule(), RuleEdit.Position.LAST));
                } else {
                    long id = there.get(random.nextInt(there.size())).id();
                    RuleEdit.Name name = new RuleEdit.Name(String.valueOf(id), id, null);
                    transaction.apply(
                            random.nextBoolean()
                                    ? new RuleEdit.Remove(name)
                                    : new RuleEdit.Change(name, rule()));
                }
            }
            RulePublisher.Receipt receipt =
                    publisher.publish(
                            List.of(RuleDraft.delta("changes", "drop", null, transaction.take())),
                            content::rules);
            published.put(
                    receipt.version(),
                    RuleSet.of("changes", receipt.version(), "drop", content.rules()));
        }

        /** A rule for some of the ports, so that rules overlap. */
        private Rule rule() {
            int mask = (1 << 1 + random.nextInt(6)) - 1;
            return RuleText.parse(
                    "priority=%d,tcp,tp_dst=%d/%d,actions=output:%d"
                            .formatted(
                                    random.nextInt(4),
                                    random.nextInt(64) & mask,
                                    mask,
                                    random.nextInt(9)));
        }

        /** Ends; fails if a transaction could not be published. */
        void stop() throws Exception {
            clock.shutdown();
            assertTrue(clock.awaitTermination(60, TimeUnit.SECONDS));
            if (!running.isCancelled()) {
                running.get();
            }
        }

        @Override
        public void close() {
            clock.shutdownNow();
            publisher.close();
        }
    }

    /**
     * A job is killed with SIGKILL while versions come into force, and resumed with another
     * parallelism: each packet has one verdict, that of the reference for the version that it
     * names, and no flow shard goes back to an older version.
     */
    @Test
    void everyPacketHasOneVerdictOfItsVersionThroughAKillWhileRulesChange() throws Exception {
        assertRightThroughKills("kill", 2);
    }

    @Tag("long")
    @Test
    void everyPacketHasOneVerdictOfItsVersionThroughKillsWhileRulesChange() throws Exception {
        assertRightThroughKills("kills", 2, 3, 2);
    }

    /**
     * Kills jobs while rules change, and compares each verdict with the reference.
     *
     * @param killed parallelism of each job that is killed, one after the other
     */
    private static void assertRightThroughKills(String name, int... killed) throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), name).create();
        Changes changes = new Changes(topics);
        try (changes;
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            long newest = 0;
            for (int parallelism : killed) {
                try (JobProcess job = JobProcess.start(topics, folder, parallelism)) {
                    verdicts.pollToEnd();
                    int before = verdicts.entries().size();
                    TreeSet<Long> versions = new TreeSet<>();
                    long deadline = JobProcess.deadline();
                    while (versions.size() < VERSIONS || job.newestCheckpoint().isEmpty()) {
                        packets.send(5);
                        producer.flush();
                        verdicts.poll();
                        versions = verdicts.versionsFrom(before);
                        job.requireRunning(deadline);
                    }
                    assertEquals(parallelism, job.newestCheckpoint().get().parallelism());
                    assertTrue(
                            versions.last() >= newest + VERSIONS - 1,
                            versions + " do not go on from version " + newest);
                    newest = versions.last();
                    packets.send(200);
                    producer.flush();
                    job.kill();
                }
                verdicts.pollToEnd();
                assertTrue(
                        verdicts.answered() < packets.sent(),
                        "all verdicts were committed: the kill hit an idle job");
            }
            try (JobProcess job = JobProcess.start(topics, folder, 3)) {
                changes.stop();
                long deadline = JobProcess.deadline();
                while (verdicts.answered() < packets.sent()) {
                    verdicts.poll();
                    job.requireRunning(deadline);
                }
                job.kill();
            }
            verdicts.pollToEnd();
            assertEquals(packets.sent(), verdicts.answered(), "packets lost");
            assertEquals(0, verdicts.doubled(), "packets answered twice");
            judge(verdicts, changes.published);
        }
    }

    /** Compares each verdict with that of the reference. */
    private static void judge(VerdictJournal verdicts, Map<Long, RuleSet> published) {
        Map<Integer, Long> ofShard = new HashMap<>();
        int matched = 0;
        for (VerdictJournal.Entry verdict : verdicts.entries()) {
            RuleSet rules = published.get(verdict.version());
            assertTrue(rules != null, verdict + " names a version that was not published");
            Long before = ofShard.put(verdict.shard(), verdict.version());
            assertTrue(
                    before == null || before <= verdict.version(),
                    verdict + " follows one of version " + before);
            Long expected = FirstMatch.ruleId(rules, PacketStream.header(verdict.packet()));
            assertEquals(expected, verdict.ruleId(), verdict.toString());
            matched += expected == null ? 0 : 1;
        }
        assertTrue(matched > verdicts.answered() / 2, matched + " packets matched a rule");
    }

    /** One line at the top of a file of 100,000, while the job is at work. */
    @Tag("long")
    @Test
    void verdictsNameTheNewLinesAfterOneWasInsertedAtTheTop() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "lines").create();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            boolean tcp = i >= OTHERS;
            lines.add(
                    "@0.0.0.0/0\t%d.%d.%d.%d/32\t0 : 65535\t%d : %d\t%s"
                            .formatted(
                                    tcp ? 0 : 10,
                                    tcp ? 0 : i >> 16,
                                    tcp ? 0 : i >> 8 & 255,
                                    tcp ? 0 : i & 255,
                                    tcp ? i - OTHERS : 0,
                                    tcp ? i - OTHERS : 65_535,
                                    tcp ? "0x06/0xFF" : "0x00/0x00"));
        }
        Path rules = Files.write(folder.resolve("lines.rules"), lines);
        publish(topics, rules);
        try (JobProcess job = JobProcess.start(topics, folder, 2, "--algorithm", "tuple");
                MessageProducer producer =
                        new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            packets.send(1);
            producer.flush();
            awaitVersion(1, job, verdicts, packets, producer);
            lines.add(0, "@1.2.3.0/24\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00");
            Files.write(rules, lines);
            String published = publish(topics, rules);
            String bytes = published.replaceAll("(?s).* ([0-9,]+) bytes.*", "$1");
            assertTrue(bytes.length() <= 3, bytes + " bytes for a line");
            awaitVersion(2, job, verdicts, packets, producer);
            job.kill();
        }
        Map<Integer, Integer> ofVersion = new HashMap<>();
        Sluice printed = topics.run("verdicts", "--json");
        for (String line : printed.out().lines().toList()) {
            JsonNode verdict = new ObjectMapper().readTree(line);
            int version = verdict.get("version").asInt();
            long port = verdict.get("packet").asLong() % 60_000;
            assertEquals(OTHERS + port + version, verdict.get("line").asLong(), line);
            assertEquals(lines.get((int) (OTHERS + port + 1)), verdict.get("text").asText(), line);
            ofVersion.merge(version, 1, Integer::sum);
        }
        assertTrue(ofVersion.keySet().containsAll(List.of(1, 2)), ofVersion.toString());
    }

    /** The position of the job's source then lies in the middle of the topic that stands. */
    @Test
    void aTopicThatWasMadeAnewAndIsLongerWhileTheJobWasDownIsReadFromItsSnapshotOn()
            throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "anew").create();
        Path rules = folder.resolve("anew.rules");
        publish(topics, Files.writeString(rules, line(1)));
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            try (JobProcess job = JobProcess.start(topics, folder, 2)) {
                awaitVersion(1, job, verdicts, packets, producer);
                job.kill();
            }
            try (Admin admin = broker.admin()) {
                admin.deleteTopics(List.of(topics.names().rules())).all().get();
            }
            Topics.createRules(broker.bootstrap(), topics.names().rules());
            for (int lines = 2; lines <= 5; lines++) {
                Files.writeString(rules, line(lines), StandardOpenOption.APPEND);
                publish(topics, rules);
            }
            // What the first job had stored and not committed when it was killed comes now, too.
            long sent = packets.sent();
            try (JobProcess job = JobProcess.start(topics, folder, 2)) {
                awaitVersion(4, job, verdicts, packets, producer);
                Files.writeString(rules, line(6), StandardOpenOption.APPEND);
                publish(topics, rules);
                awaitVersion(5, job, verdicts, packets, producer);
                job.kill();
            }
            assertEquals(
                    Set.of(4L, 5L),
                    verdicts.entries().stream()
                            .filter(verdict -> verdict.packet() > sent)
                            .map(VerdictJournal.Entry::version)
                            .collect(Collectors.toSet()));
        }
        Sluice log = topics.run("rules", "log");
        assertFalse(log.out().contains("refused"), log.out());
    }

    private static String line(int port) {
        return "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF%n".formatted(port, port);
    }

    private static String publish(Topics topics, Path rules) {
        Sluice run = topics.run("rules", "publish", "--rules", rules, "--algorithm", "tuple");
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    /** Sends packets until one is judged by a version. */
    private static void awaitVersion(
            long version,
            JobProcess job,
            VerdictJournal verdicts,
            PacketStream packets,
            MessageProducer producer)
            throws Exception {
        long deadline = JobProcess.deadline();
        while (!verdicts.versionsFrom(0).contains(version)) {
            packets.send(1);
            producer.flush();
            verdicts.poll();
            job.requireRunning(deadline);
        }
    }
}
