package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.RuleSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream that reads its topic beside the broadcast, from a start on. */
@Timeout(60)
class StreamBootstrapTest extends RuleStreamFixture {
    @Test
    void aFreshStartBeginsWithWhatTheClientHasFixedAndTheBroadcastGoesOn() {
        server = new FakeServer();
        GivenTopic bootstrap = new GivenTopic();
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.snapshot(2, rules(20, 30));
        List<byte[]> third = TOPIC.snapshot(3, rules(40, 50));
        send(lease, third); // the broadcast is ahead of the bootstrap
        bootstrap.give(first);
        bootstrap.give(second);
        await(() -> lease.figures().wanted() == 2);
        assertNull(lease.takeNewer(), "the start is not reached");
        assertEquals(List.of(), server.built);
        bootstrap.start();
        server.builds.release(1);
        awaitVersion(lease, 2);
        server.builds.release(1);
        awaitVersion(lease, 3);
        assertEquals(List.of(2L, 3L), server.built);
    }

    /** A topic that is read from the first message on; the broadcast begins earlier. */
    private static RuleSource whole(String topic, List<byte[]> messages) {
        return new GivenTopic(topic, RuleSource.ALL, () -> {}).give(messages).start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"anew", "same"})
    void aTopicThatWasMadeAnewSinceTheCheckpointIsReadBesideTheBroadcast(String topic)
            throws Exception {
        List<byte[]> old = TOPIC.snapshot(7, rules(1, 10));
        Subtask before = lease(key(), RuleStreamState.EMPTY, whole("same", old), true);
        awaitVersion(before, 7);
        RuleStreamState state = before.capture().state();
        assertEquals("same", state.topic());
        before.close();
        VersionService.awaitClosed();

        server = FakeServer.free();
        PublishedRules other = new PublishedRules("other");
        List<byte[]> fresh = new ArrayList<>(other.snapshot(1, rules(20, 40)));
        fresh.addAll(other.delta(2, 1, RuleDelta.remove(20L)));
        Subtask after = lease(key(), state, whole(topic, fresh), true);
        boolean anew = topic.equals("anew");
        awaitVersion(after, anew ? 2 : 7);
        // The broadcast goes on at the position that it had in the topic before.
        send(after, other.delta(2, 1, RuleDelta.remove(20L)));
        send(after, other.delta(3, 2, RuleDelta.remove(21L)));
        if (anew) {
            awaitVersion(after, 3);
            assertEquals(18, server.rules().size());
            assertEquals(List.of(), after.deadLetters());
            assertEquals("anew", after.capture().state().topic());
        } else {
            assertEquals(2, awaitLetters(after, 2).size());
        }
    }

    @Test
    void whereNothingIsServableTheBootstrapReadsOn() {
        server.unservable.addAll(List.of(1L, 2L));
        GivenTopic bootstrap = new GivenTopic();
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        bootstrap.give(TOPIC.snapshot(1, rules(1, 10)));
        bootstrap.start();
        assertEquals(1, awaitLetters(lease, 1).size());
        bootstrap.give(TOPIC.snapshot(2, rules(1, 11)));
        assertEquals(1, awaitLetters(lease, 1).size());
        assertEquals(-1, lease.figures().inForce());
        bootstrap.give(TOPIC.snapshot(3, rules(1, 12)));
        awaitVersion(lease, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheBootstrapHasReadIsPassedOverWhenTheBroadcastBringsIt(boolean whole)
            throws InterruptedException {
        List<byte[]> all = new ArrayList<>();
        for (int version = 1; version <= 5; version++) {
            all.addAll(TOPIC.snapshot(version, rules(version, version + 10)));
        }
        int from = whole ? 0 : 2 * TOPIC.snapshot(1, rules(1, 11)).size();
        RuleSource bootstrap = whole("", all.subList(from, all.size()));
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        awaitVersion(lease, 5);
        send(lease, all);
        send(lease, TOPIC.delta(6, 5, RuleDelta.insert(rule(60, 60))));
        awaitVersion(lease, 6);
        assertEquals(List.of(5L), server.built);
        assertEquals(List.of(), lease.deadLetters());
        assertEquals(0, lease.figures().dropped());
    }

    @Test
    void aCheckpointNamesATopicThatWasMadeAnewOnlyWhenItHoldsItsRules() throws Exception {
        List<byte[]> old = TOPIC.snapshot(7, rules(1, 10));
        Subtask before = lease(key(), RuleStreamState.EMPTY, whole("same", old), true);
        awaitVersion(before, 7);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        CountDownLatch reading = new CountDownLatch(1);
        RuleSource slow = new GivenTopic("anew", RuleSource.ALL, reading::countDown);
        Subtask between = lease(key(), state, slow, true);
        reading.await();
        RuleStreamState half = between.capture().state();
        assertEquals("same", half.topic());
        between.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        List<byte[]> fresh = new PublishedRules("other").snapshot(1, rules(20, 40));
        Subtask after = lease(key(), half, whole("anew", fresh), true);
        awaitVersion(after, 1);
        assertEquals("anew", after.capture().state().topic());
        after.close();
    }

    @Test
    void aBootstrapThatFailsFailsTheTasks() {
        RuleSource broken =
                new GivenTopic(
                        "",
                        0,
                        () -> {
                            throw new IllegalStateException("no broker answers");
                        });
        Subtask lease = lease(key(), RuleStreamState.EMPTY, broken, true);
        await(
                () -> {
                    try {
                        lease.takeNewer();
                        return false;
                    } catch (IllegalStateException e) {
                        return String.valueOf(e.getCause().getMessage())
                                .equals("no broker answers");
                    }
                });
    }
}
