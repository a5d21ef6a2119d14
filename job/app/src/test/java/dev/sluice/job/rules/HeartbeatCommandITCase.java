package dev.sluice.job.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.Topics;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Heartbeats that go on, those of {@code sluice rules heartbeat --every} and of {@code publish
 * --follow}, through what happens to their topic and their broker.
 */
@Timeout(180)
class HeartbeatCommandITCase extends RuleCommands {
    private static final String FAILED = "no heartbeat is sent, and each next one is tried: ";
    private static final String AGAIN = "heartbeats are sent again";

    private static Object[] rules(String topic, Object... words) {
        List<Object> all = new ArrayList<>(List.of("rules"));
        all.addAll(List.of(words));
        all.addAll(List.of("--bootstrap", broker.bootstrap(), "--rules-topic", topic));
        return all.toArray();
    }

    private static String flow(int port) {
        return "priority=5,tcp,tp_dst=%d,actions=drop".formatted(port);
    }

    private static Path file() throws IOException {
        return Files.write(folder.resolve("rules.ovs"), List.of(flow(1), flow(2)));
    }

    private static RuleStanding standing(String topic) {
        try (RuleTopic open = open(topic)) {
            return open.standing();
        }
    }

    /** Waits for a heartbeat later than what is known by now. */
    private static RuleStanding next(Sluice.Running command, String topic) {
        long known = standing(topic).heartbeatNs();
        command.await(() -> standing(topic).heartbeatNs() > known);
        return standing(topic);
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void itGoesOnBesidePublishersThatTakeTheTopicOverAndDisturbsNone() throws Exception {
        String topic = "beside";
        done(topic, "publish", "--rules", file());
        try (Sluice.Running command =
                new Sluice.Running(rules(topic, "heartbeat", "--every", "20ms"))) {
            assertEquals(1, next(command, topic).version());
            for (int port = 3; port <= 5; port++) {
                done(topic, "add", flow(port));
                RuleStanding after = next(command, topic);
                assertEquals(port - 1, after.version());
                assertTrue(after.whole(), "a heartbeat puts a version in doubt");
            }
            done(topic, "publish", "--rules", folder.resolve("rules.ovs"), "--snapshot");
            assertEquals(2, next(command, topic).rules().size());
            assertEquals("", command.err());
            assertTrue(
                    command.out().endsWith("; one follows every 20ms" + System.lineSeparator()),
                    command.out());
        }
    }

    @Test
    void itSaysOnceThatTheTopicIsGoneAndGoesOnWithItsNewHistory() throws Exception {
        String topic = "anew";
        done(topic, "publish", "--rules", file());
        done(topic, "add", flow(7));
        String history = standing(topic).history();
        try (Sluice.Running command =
                new Sluice.Running(rules(topic, "heartbeat", "--every", "20ms", "--json"))) {
            next(command, topic);
            try (Admin admin = broker.admin()) {
                admin.deleteTopics(List.of(topic)).all().get();
            }
            command.await(() -> command.err().contains(FAILED + "topic anew does not exist"));
            done(topic, "publish", "--rules", folder.resolve("rules.ovs"));
            command.await(() -> command.err().contains(AGAIN));
            RuleStanding fresh = next(command, topic);
            assertEquals(1, fresh.version());
            assertNotEquals(history, fresh.history());
            assertEquals(1, count(command.err(), "does not exist"), command.err());
            assertEquals(1, count(command.err(), AGAIN), command.err());
            command.close();
            JsonPage.assertTells("rules heartbeat", command.out());
            assertTrue(command.out().contains("\"version\":2,"), command.out());
            assertTrue(command.out().lines().count() > 2, command.out());
        }
    }

    /** Kafka's producer gives a message up after a minute. */
    @Test
    @Tag("long")
    void itGoesOnWhenItsBrokerIsThereAgain() throws Exception {
        String topic = "away";
        done(topic, "publish", "--rules", file());
        try (Sluice.Running command =
                new Sluice.Running(rules(topic, "heartbeat", "--every", "20ms"))) {
            String history = next(command, topic).history();
            broker.away(() -> command.await(() -> command.err().contains(FAILED)));
            command.await(() -> command.err().contains(AGAIN));
            RuleStanding after = next(command, topic);
            assertEquals(history, after.history());
            assertEquals(1, after.version());
            done(topic, "add", flow(9));
            assertEquals(2, next(command, topic).version());
        }
    }

    /** Kafka's producer gives a message up after a minute, and a follower does not. */
    @Test
    @Tag("long")
    void aFollowerGoesOnWithItsChangesWhenItsBrokerIsThereAgain() throws Exception {
        String topic = "follower-away";
        done(topic, "publish", "--rules", file());
        try (PipedOutputStream changes = new PipedOutputStream();
                Sluice.Running command = follower(topic, changes)) {
            broker.away(
                    () -> {
                        try {
                            add(changes, 20);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        command.await(() -> command.err().contains("it is waited for, 10 minutes"));
                    });
            command.await(() -> command.out().contains("{\"version\":2,"));
            assertTrue(command.err().contains("takes what is published again"), command.err());
            add(changes, 30);
            command.await(() -> command.out().contains("{\"version\":3,"));
            changes.close();
            assertEquals(0, command.end().status(), command.err());
        }
        assertEquals(4, standing(topic).rules().size());
        assertTrue(standing(topic).whole(), "a change came twice, or in doubt");
    }

    @Test
    @Tag("long")
    void aFollowerWaitsAtItsStartForABrokerThatIsAway() throws Exception {
        String topic = "follower-early";
        done(topic, "publish", "--rules", file());
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(new byte[0]));
        try {
            Sluice.Running[] command = new Sluice.Running[1];
            broker.away(
                    () -> {
                        command[0] = new Sluice.Running(rules(topic, "apply"));
                        command[0].await(
                                () -> command[0].err().contains("it is waited for, 10 minutes"));
                    });
            Sluice ended = command[0].end();
            assertEquals(0, ended.status(), ended.err());
            assertTrue(ended.err().contains("no Kafka broker answers"), ended.err());
        } finally {
            System.setIn(before);
        }
    }

    /** A follower that takes its changes from a pipe, with a heartbeat after 20 ms of silence. */
    private static Sluice.Running follower(String topic, PipedOutputStream changes)
            throws IOException {
        InputStream before = System.in;
        System.setIn(new PipedInputStream(changes));
        try {
            Sluice.Running command =
                    new Sluice.Running(rules(topic, "apply", "--heartbeat", "20ms"));
            command.await(() -> standing(topic).heartbeatNs() != Long.MIN_VALUE);
            return command; // it has looked at System.in
        } finally {
            System.setIn(before);
        }
    }

    private static void add(PipedOutputStream changes, int port) throws IOException {
        changes.write("{\"add\": \"%s\"}\n".formatted(flow(port)).getBytes(UTF_8));
        changes.flush();
    }

    @Test
    void aFollowerSendsHeartbeatsWhileNoChangeComes() throws Exception {
        String topic = "follower";
        done(topic, "publish", "--rules", file());
        try (PipedOutputStream changes = new PipedOutputStream();
                Sluice.Running command = follower(topic, changes)) {
            assertEquals(1, next(command, topic).version());
            for (int version = 2; version <= 4; version++) {
                add(changes, 10 * version);
                String commit = "{\"version\":" + version + ",";
                command.await(() -> command.out().contains(commit));
                RuleStanding after = next(command, topic);
                assertEquals(version, after.version());
                assertTrue(after.whole(), "a heartbeat puts a version in doubt");
            }
            changes.close();
            assertEquals(0, command.end().status(), command.err());
        }
        Sluice log = done(topic, "log");
        assertEquals(5, log.out().lines().count(), log.out());
        assertEquals(5, standing(topic).rules().size());
    }

    @Test
    void aFollowerIsToldByItsHeartbeatThatAnotherPublisherTookOver() throws Exception {
        String topic = "taken";
        done(topic, "publish", "--rules", file());
        try (PipedOutputStream changes = new PipedOutputStream();
                Sluice.Running command = follower(topic, changes)) {
            add(changes, 10);
            command.await(() -> command.out().contains("\"version\":2,"));
            done(topic, "add", flow(20));
            Sluice told = command.end();
            assertEquals(1, told.status());
            assertTrue(told.err().contains("the base is stale"), told.err());
            assertTrue(told.err().contains("the lines up to 1 are published"), told.err());
        }
        assertEquals(3, standing(topic).version());
        assertEquals(4, standing(topic).rules().size());
    }

    /** Where there are no rules, a heartbeat would be of no history. */
    @Test
    void aFollowerOfAnEmptyTopicSendsTheFirstHeartbeatBehindItsFirstVersion() throws Exception {
        String topic = "empty";
        Topics.createRules(broker.bootstrap(), topic);
        try (RulePublisher publisher = publisher(topic)) {
            publisher.takeOver();
            publisher.heartbeat();
            assertEquals(0, standing(topic).end());
            publisher.publish(
                    List.of(RuleDraft.snapshot("made", "drop", null, List.of())), List::of);
            publisher.heartbeat();
        }
        RuleStanding standing = standing(topic);
        assertTrue(standing.heartbeatNs() >= standing.inForceNs(), standing.toString());
    }

    @Test
    void heartbeatsOfAFollowerAreApartInTime() {
        Sluice none = Sluice.run(rules("wrong", "apply", "--heartbeat", "0s"));
        assertEquals(2, none.status());
        assertTrue(none.err().contains("--heartbeat 0s is zero"), none.err());
    }
}
