package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.PartitionReader;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RuleHeartbeats;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleScan;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Heartbeats, and what is published around them, against a real broker. */
@Timeout(180)
class RuleHeartbeatsITCase extends RuleCommands {
    private static final long NOW = System.currentTimeMillis() * 1_000_000L;

    private static void create(String topic) {
        Topics.createRules(broker.bootstrap(), topic);
    }

    private static RuleHeartbeats heartbeats(String topic) {
        return new RuleHeartbeats(new KafkaClients(broker.bootstrap()), topic);
    }

    /** So many minutes from now, which is long enough for the test to end before. */
    private static long in(long minutes) {
        return NOW + TimeUnit.MINUTES.toNanos(minutes);
    }

    private static RuleDraft snapshot(@Nullable Long fromNs) {
        return RuleDraft.snapshot("made", "drop", fromNs, List.of());
    }

    private static RuleDraft delta(@Nullable Long fromNs) {
        return RuleDraft.delta("made", "drop", fromNs, new RuleDelta(List.of(), List.of()));
    }

    private static void publish(String topic, RuleDraft... drafts) {
        for (RuleDraft draft : drafts) {
            try (RulePublisher publisher = publisher(topic)) {
                publisher.takeOver();
                publisher.publish(List.of(draft), List::of);
            }
        }
    }

    private static void heartbeat(String topic, long untilNs) {
        try (RuleHeartbeats heartbeats = heartbeats(topic)) {
            heartbeats.send(untilNs);
        }
    }

    /** When versions come into force for who begins to read at an offset; -1: refused. */
    private static Map<Long, Long> times(String topic, long from) {
        Map<Long, Long> times = new TreeMap<>();
        try (PartitionReader reader =
                new PartitionReader(new KafkaClients(broker.bootstrap()), topic)) {
            RuleScan scan =
                    new RuleScan(
                            (entry, transaction) ->
                                    times.put(
                                            entry.version(),
                                            entry.refusal() == null ? entry.inForceNs() : -1L));
            reader.read(from, reader.committedEnd(), scan);
        }
        return times;
    }

    /** What readers from the start take, which is what those from the newest snapshot on take. */
    private static Map<Long, Long> agreedTimes(String topic) {
        Map<Long, Long> times = times(topic, 0);
        long newest =
                RuleTopic.newestSnapshot(
                        new KafkaClients(broker.bootstrap()), topic, Long.MAX_VALUE);
        Map<Long, Long> late = times(topic, newest);
        late.forEach((version, time) -> assertEquals(times.get(version), time, "v" + version));
        return times;
    }

    @Test
    void aSnapshotIsInForceBehindAHeartbeatThatIsAheadOfTheVersionBefore() {
        String topic = "ahead";
        create(topic);
        publish(topic, snapshot(null), delta(in(60)));
        heartbeat(topic, in(120));
        publish(topic, snapshot(null), delta(null));
        Map<Long, Long> times = agreedTimes(topic);
        assertEquals(in(120) + 1, times.get(3L));
        assertEquals(in(120) + 1, times.get(4L));
    }

    /** Where its end meets the takeover, a transaction fails with an error that names neither. */
    @Test
    void anUnexpectedErrorBesideAVersionOfAnotherPublisherIsTheTakeoverThatItIs() {
        String topic = "met";
        create(topic);
        KafkaException unexpected = new KafkaException("Unhandled error in EndTxnResponse");
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            publisher.publish(List.of(snapshot(null), delta(null)), List::of);
            publisher.heartbeat();
            publish(topic, delta(null));
            String told = publisher.lost("sends a heartbeat", unexpected).getMessage();
            assertTrue(told.startsWith("the base is stale: another publisher took"), told);
        }
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            publisher.publish(List.of(delta(null)), List::of);
            publisher.heartbeat();
            String told = publisher.lost("sends a heartbeat", unexpected).getMessage();
            assertTrue(told.contains("refused what this publisher sent while it sends"), told);
            assertTrue(told.contains("Unhandled error in EndTxnResponse"), told);
        }
    }

    @Test
    void whoReadsFromASnapshotOnKnowsTheHeartbeatBeforeIt() {
        String topic = "before";
        create(topic);
        publish(topic, snapshot(null));
        heartbeat(topic, in(60));
        publish(topic, snapshot(null));
        assertEquals(in(60) + 1, agreedTimes(topic).get(2L));
        SluiceException refused =
                assertThrows(SluiceException.class, () -> publish(topic, delta(in(30))));
        assertTrue(refused.getMessage().contains("effective times never decrease"));
        publish(topic, delta(in(90)));
        assertEquals(in(90), agreedTimes(topic).get(3L));
    }

    @Test
    void aHeartbeatThatThePublisherDidNotSeePutsTheRulesBehindIt() {
        String topic = "meanwhile";
        create(topic);
        publish(topic, snapshot(null), delta(in(60)));
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            heartbeat(topic, in(120));
            assertEquals(4, publisher.publish(List.of(snapshot(null)), List::of).version());
            Map<Long, Long> times = times(topic, 0);
            assertEquals(-1, times.get(3L), "it states the time of version 2");
            assertEquals(in(120) + 1, agreedTimes(topic).get(4L));

            heartbeat(topic, in(180));
            SluiceException told =
                    assertThrows(
                            SluiceException.class,
                            () -> publisher.publish(List.of(delta(in(150))), List::of));
            assertTrue(told.getMessage().contains("version 5 was published"), told.getMessage());
            assertTrue(told.getMessage().contains("in force as version 6"), told.getMessage());
            assertEquals(in(180) + 1, agreedTimes(topic).get(6L));
            assertEquals(7, publisher.publish(List.of(delta(in(190))), List::of).version());
            assertEquals(in(190), agreedTimes(topic).get(7L));
        }
    }

    @Test
    void aSnapshotThatStatesNoTimeIsFollowedByOneBehindAnUnseenHeartbeat() {
        String topic = "unstated";
        create(topic);
        publish(topic, snapshot(null));
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            heartbeat(topic, in(60));
            assertEquals(3, publisher.publish(List.of(snapshot(null)), List::of).version());
        }
        assertEquals(in(60) + 1, agreedTimes(topic).get(3L));
    }

    @Test
    void aPublishersOwnHeartbeatDoesNotHideOneOfOthersThatItHasNotSeen() {
        String topic = "own";
        create(topic);
        publish(topic, snapshot(null));
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            heartbeat(topic, in(60));
            publisher.heartbeat();
            assertEquals(3, publisher.publish(List.of(snapshot(null)), List::of).version());
            publisher.heartbeat();
            assertEquals(4, publisher.publish(List.of(delta(in(90))), List::of).version());
        }
        Map<Long, Long> times = agreedTimes(topic);
        assertEquals(in(60) + 1, times.get(3L));
        assertEquals(in(90), times.get(4L));
    }

    @Test
    void heartbeatsGoOnWhenOldRecordsAreDeleted() {
        String topic = "deleted";
        create(topic);
        publish(topic, snapshot(null));
        try (RuleHeartbeats heartbeats = heartbeats(topic)) {
            assertEquals(1, heartbeats.send(in(-9)));
            publish(topic, delta(null), snapshot(null));
            try (RuleTopic open = open(topic)) {
                open.deleteBefore(open.standing().snapshotOffset());
            }
            assertEquals(3, heartbeats.send(in(-8)));
        }
        try (RuleTopic open = open(topic)) {
            assertEquals(in(-8), open.standing().heartbeatNs());
        }
    }

    @Test
    void heartbeatsAreOfTheHistoryOfATopicThatWasMadeAnew() throws Exception {
        for (int versions : List.of(1, 9)) { // shorter and longer than what was read
            String topic = "anew" + versions;
            create(topic);
            publish(topic, snapshot(null), delta(null), delta(null));
            try (RuleHeartbeats heartbeats = heartbeats(topic)) {
                assertEquals(3, heartbeats.send(in(-9)));
                String dead;
                try (RuleTopic open = open(topic);
                        Admin admin =
                                new KafkaClients(broker.bootstrap())
                                        .admin(Duration.ofSeconds(15))) {
                    dead = open.standing().history();
                    admin.deleteTopics(List.of(topic)).all().get();
                }
                SluiceException missing =
                        assertThrows(SluiceException.class, () -> heartbeats.send(in(-8)));
                assertTrue(missing.getMessage().contains("does not exist"), missing.getMessage());
                create(topic);
                publish(topic, snapshot(null));
                for (int i = 1; i < versions; i++) {
                    publish(topic, delta(null));
                }
                assertEquals(versions, heartbeats.send(in(-7)));
                try (RuleTopic open = open(topic)) {
                    RuleStanding standing = open.standing();
                    assertNotEquals(dead, standing.history());
                    assertEquals(in(-7), standing.heartbeatNs());
                }
            }
        }
    }
}
