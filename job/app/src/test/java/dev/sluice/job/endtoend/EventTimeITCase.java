package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.policy.RuleText;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of rules and random packets (out of order, too late, without a time), through
 * Kafka and whole jobs in event time. A reference of this test alone, which knows neither the
 * engine nor the history's own code, says what each packet's verdict must be.
 */
@Timeout(300)
class EventTimeITCase {
    private static final int SHARDS = 16;
    private static final int VERSIONS = 30;
    private static final int BLOCKS = 250;
    private static final int PORTS = 16;
    private static final int TCP = 6;
    private static final int UDP = 17;

    /** Times of this test begin here, long before that of the clock. */
    private static final long START = 1_700_000_000_000_000_000L;

    private static final long MILLI = 1_000_000L;

    /** From one version to the next, on average. */
    private static final int STEP_MILLIS = 50;

    private static final int LATENESS_MILLIS = 40;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    /** A rule as the reference knows it. */
    private record DrawnRule(int priority, int protocol, int port, int mask, int action) {
        boolean matches(int protocolOf, int portOf) {
            return protocol == protocolOf && (portOf & mask) == port;
        }

        Rule toRule() {
            return RuleText.parse(
                    "priority=%d,%s,tp_dst=%d/%d,actions=output:%d"
                            .formatted(
                                    priority, protocol == TCP ? "tcp" : "udp", port, mask, action));
        }
    }

    /** What a version is: from when on it is in force, and its rules with their ids. */
    private record DrawnVersion(long timeNs, List<DrawnRule> rules, List<Long> ids) {}

    /** What is to be said of a packet; rule null: none. */
    private record Expected(@Nullable Long rule, long version, VerdictStatus status) {}

    /** One history with its packets, and what the reference says of them. */
    private final class Drawn implements AutoCloseable {
        final Topics topics;
        final Random random;
        final RulePublisher publisher;
        final List<DrawnVersion> versions = new ArrayList<>();
        final List<PacketBlock> blocks = new ArrayList<>();
        final Map<Long, Expected> expected = new HashMap<>();
        private final List<long[]> times = new ArrayList<>();
        private final Map<Integer, Long> largest = new HashMap<>();

        Drawn(String name, long seed) {
            topics = Topics.of(broker.bootstrap(), name).create();
            random = new Random(seed);
            publisher =
                    new RulePublisher(
                            new KafkaClients(broker.bootstrap()),
                            RulePublisher.Options.of(topics.names().rules()),
                            (done, all) -> {});
            publisher.takeOver();
        }

        /** Publishes the next version: a change of the one before, or all anew. */
        void publish() {
            DrawnVersion last = versions.isEmpty() ? null : versions.get(versions.size() - 1);
            List<DrawnRule> rules =
                    last == null || random.nextInt(8) == 0
                            ? new ArrayList<>()
                            : new ArrayList<>(last.rules());
            while (!rules.isEmpty() && random.nextInt(3) > 0) {
                rules.remove(random.nextInt(rules.size()));
            }
            for (int i = 3 + random.nextInt(6); i > 0; i--) {
                int mask = random.nextInt(PORTS);
                rules.add(
                        random.nextInt(rules.size() + 1),
                        new DrawnRule(
                                random.nextInt(3),
                                random.nextBoolean() ? TCP : UDP,
                                random.nextInt(PORTS) & mask,
                                mask,
                                random.nextInt(5)));
            }
            rules.sort((a, b) -> Integer.compare(b.priority(), a.priority()));
            // Some versions replace one that was never in force.
            long time =
                    last == null ? START : last.timeNs() + MILLI * 2 * random.nextInt(STEP_MILLIS);
            versions.add(new DrawnVersion(time, rules, send(rules, time)));
        }

        /** Publishes rules as a delta or as a snapshot; their ids. */
        private List<Long> send(List<DrawnRule> rules, long timeNs) {
            RuleSet before =
                    RuleSet.of(
                            "drawn",
                            0,
                            RuleSet.DROP,
                            content == null ? List.of() : content.rules());
            RuleContent after = new RuleContent(before.rules());
            var delta = RuleDiff.between(before, rules.stream().map(DrawnRule::toRule).toList());
            after.apply(delta);
            boolean snapshot = content == null || random.nextInt(5) == 0;
            publisher.publish(
                    List.of(
                            snapshot
                                    ? RuleDraft.snapshot(
                                            "drawn", RuleSet.DROP, timeNs, after.rules())
                                    : RuleDraft.delta("drawn", RuleSet.DROP, timeNs, delta)),
                    after);
            content = after;
            List<Rule> placed = after.rules();
            for (int i = 0; i < placed.size(); i++) {
                assertEquals("output:" + rules.get(i).action(), placed.get(i).action());
            }
            return placed.stream().map(Rule::id).toList();
        }

        private @Nullable RuleContent content;

        /** Draws blocks of packets whose times go on from some time to another one. */
        void draw(int count, long fromNs, long toNs) {
            for (int b = 0; b < count; b++) {
                int shard = random.nextInt(SHARDS);
                int packets = 1 + random.nextInt(40);
                long now = fromNs + (toNs - fromNs) / count * b;
                long[] numbers = new long[packets];
                long[] timesNs = new long[packets];
                int[] ip = new int[packets];
                int[] ports = new int[packets];
                for (int i = 0; i < packets; i++) {
                    numbers[i] = expected.size() + 1L;
                    timesNs[i] =
                            switch (random.nextInt(12)) {
                                case 0 -> Column.NO_TIME;
                                case 1 -> now - MILLI * random.nextInt(6 * LATENESS_MILLIS);
                                default -> now + MILLI * random.nextInt(LATENESS_MILLIS);
                            };
                    int protocol = random.nextBoolean() ? TCP : UDP;
                    ports[i] = random.nextInt(PORTS);
                    ip[i] =
                            Field.IP_VERSION.place(Field.VERSION_4)
                                    | Field.IP_PROTO.place(protocol)
                                    | Field.PORTS_PRESENT.place(1);
                    expected.put(numbers[i], new Expected(null, -1, VerdictStatus.OK));
                    times.add(new long[] {shard, timesNs[i], protocol, ports[i]});
                }
                int[] ether = new int[packets];
                java.util.Arrays.fill(ether, Field.ETH_TYPE.place(0x0800));
                blocks.add(
                        new PacketBlock(
                                "drawn",
                                0,
                                shard,
                                SHARDS,
                                packets,
                                List.of(
                                        Column.ofWords(HeaderWord.ETHER, ether, 0, packets),
                                        Column.ofWords(HeaderWord.IP, ip, 0, packets),
                                        Column.ofWords(HeaderWord.PORTS, ports, 0, packets),
                                        Column.ofLongs(Column.PACKET, numbers, 0, packets),
                                        Column.ofLongs(Column.TIME_NS, timesNs, 0, packets))));
            }
        }

        /** Sends blocks in their order; those of a flow shard lie in one partition. */
        void send(List<PacketBlock> some) {
            try (MessageProducer producer =
                    new MessageProducer(new KafkaClients(broker.bootstrap()))) {
                for (PacketBlock block : some) {
                    producer.send(
                            topics.names().packets(),
                            PacketExporter.key(block.shard()),
                            block.encode());
                }
                producer.flush();
            }
        }

        /** Judges all packets, by all versions. */
        void judge() {
            largest.clear();
            for (int i = 0; i < times.size(); i++) {
                long[] packet = times.get(i);
                expected.put(
                        i + 1L,
                        judge((int) packet[0], packet[1], (int) packet[2], (int) packet[3]));
            }
        }

        private Expected judge(int shard, long time, int protocol, int port) {
            Long newest = largest.get(shard);
            if (time == Column.NO_TIME && newest == null) {
                return new Expected(null, 0, VerdictStatus.NO_RULES);
            }
            long at = time == Column.NO_TIME ? newest : time;
            boolean late = newest != null && at < newest - LATENESS_MILLIS * MILLI;
            at = late ? newest - LATENESS_MILLIS * MILLI : at;
            largest.merge(shard, at, Math::max);
            int version = 0;
            while (version < versions.size() && versions.get(version).timeNs() <= at) {
                version++;
            }
            if (version == 0) {
                return new Expected(null, 0, VerdictStatus.NO_RULES);
            }
            DrawnVersion inForce = versions.get(version - 1);
            Long rule = null;
            for (int i = 0; rule == null && i < inForce.rules().size(); i++) {
                if (inForce.rules().get(i).matches(protocol, port)) {
                    rule = inForce.ids().get(i);
                }
            }
            return new Expected(rule, version, late ? VerdictStatus.LATE : VerdictStatus.OK);
        }

        /** The statuses that packets are to have. */
        Set<VerdictStatus> statuses() {
            return expected.values().stream()
                    .map(Expected::status)
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(VerdictStatus.class)));
        }

        /** Topics of the same packets and rules, with verdicts of their own. */
        Topics answers(String name) {
            TopicNames own = Topics.of(broker.bootstrap(), name).create().names();
            return new Topics(
                    broker.bootstrap(),
                    new TopicNames(
                            topics.names().packets(),
                            topics.names().rules(),
                            own.verdicts(),
                            own.deadLetters(),
                            own.statistics(),
                            own.statisticsWindows()));
        }

        @Override
        public void close() {
            publisher.close();
        }
    }

    private static Object[] event(Topics topics, int parallelism, Object... more) {
        List<Object> words =
                new ArrayList<>(
                        List.of(
                                "--rules-time",
                                "event",
                                "--allowed-lateness",
                                LATENESS_MILLIS + "ms",
                                "--batch-size",
                                100,
                                "--parallelism",
                                parallelism,
                                "--status-every",
                                "off"));
        words.addAll(List.of(more));
        return topics.job(words.toArray());
    }

    /** Adds the verdicts that are committed, none of which may be there already. */
    private static void read(TopicReader reader, Map<Long, Expected> into) throws Exception {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(50))) {
            VerdictBlock block = VerdictBlock.decode(message.value());
            for (int i = 0; i < block.count(); i++) {
                long packet = block.packets().get(i);
                assertNull(
                        into.put(
                                packet,
                                new Expected(block.ruleId(i), block.versionOf(i), block.status(i))),
                        () -> "packet " + packet + " has two verdicts");
            }
        }
    }

    private static void same(String what, Map<Long, Expected> expected, Map<Long, Expected> found) {
        expected.forEach(
                (packet, verdict) ->
                        assertEquals(verdict, found.get(packet), what + ", packet " + packet));
        assertEquals(expected.size(), found.size(), what);
    }

    @Test
    void boundedJobsJudgeEachPacketAsTheReferenceDoes() throws Exception {
        boundedJobsJudgeEachPacketAsTheReferenceDoesAtAnyParallelism(1);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void boundedJobsJudgeEachPacketAsTheReferenceDoesAtAnyParallelism(int number) throws Exception {
        long seed = TestSeed.of(number);
        try (Drawn drawn = new Drawn("bounded-" + number, seed)) {
            for (int i = 0; i < VERSIONS; i++) {
                drawn.publish();
            }
            long end = drawn.versions.get(VERSIONS - 1).timeNs();
            drawn.draw(BLOCKS, START - 100 * MILLI, end + 100 * MILLI);
            drawn.judge();
            assertEquals(
                    EnumSet.of(VerdictStatus.OK, VerdictStatus.LATE, VerdictStatus.NO_RULES),
                    drawn.statuses(),
                    "seed " + seed);
            drawn.send(drawn.blocks);
            for (int parallelism : List.of(1, 1 + number)) {
                Topics answers = drawn.answers("bounded-%d-at-%d".formatted(number, parallelism));
                Sluice run = Sluice.run(event(answers, parallelism, "--bounded"));
                assertEquals(0, run.status(), run.err());
                Map<Long, Expected> found = new HashMap<>();
                try (TopicReader reader =
                        new TopicReader(
                                new KafkaClients(answers.bootstrap()),
                                List.of(answers.names().verdicts()))) {
                    var ends = reader.ends();
                    while (!reader.reached(ends)) {
                        read(reader, found);
                    }
                }
                same("seed %d, parallelism %d".formatted(seed, parallelism), drawn.expected, found);
            }
        }
    }

    /** Versions come before, between and behind the packets of their time. */
    @Test
    void aJobThatGoesOnJudgesEachPacketAsTheReferenceDoes() throws Exception {
        long seed = TestSeed.of(4);
        try (Drawn drawn = new Drawn("live", seed)) {
            drawn.publish();
            Map<Long, Expected> found = new HashMap<>();
            try (Sluice.Running job =
                            new Sluice.Running(
                                    event(
                                            drawn.topics,
                                            2,
                                            "--rules-idle",
                                            "none",
                                            "--checkpoint-interval",
                                            200));
                    TopicReader reader =
                            new TopicReader(
                                    new KafkaClients(broker.bootstrap()),
                                    List.of(drawn.topics.names().verdicts()))) {
                drawn.draw(10, START - 100 * MILLI, START);
                int sent = 0;
                long end = START;
                while (drawn.versions.size() < VERSIONS) {
                    drawn.publish();
                    long now = drawn.versions.get(drawn.versions.size() - 1).timeNs();
                    // Up to a step behind the newest version, or before it.
                    long until =
                            now + MILLI * (drawn.random.nextInt(2 * STEP_MILLIS) - STEP_MILLIS);
                    drawn.draw(drawn.random.nextInt(12), end, Math.max(end, until));
                    end = Math.max(end, until);
                    drawn.send(drawn.blocks.subList(sent, drawn.blocks.size()));
                    sent = drawn.blocks.size();
                    read(reader, found);
                }
                Sluice heartbeat =
                        drawn.topics.run("rules", "heartbeat", "--time", end + 1_000 * MILLI);
                assertEquals(0, heartbeat.status(), heartbeat.err());
                drawn.judge();
                job.await(
                        () -> {
                            read(reader, found);
                            return found.size() >= drawn.expected.size();
                        });
            }
            same("seed " + seed, drawn.expected, found);
            assertTrue(drawn.statuses().contains(VerdictStatus.LATE), "seed " + seed);
        }
    }
}
