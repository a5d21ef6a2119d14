package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that goes on from a checkpoint of the attempt before. */
@Timeout(60)
class StreamCheckpointsTest extends RuleStreamFixture {
    @Test
    void aCheckpointBringsTheNextAttemptToWhereThisOneWas() throws Exception {
        Subtask before = lease();
        List<byte[]> third = TOPIC.snapshot(3, rules(60, 80));
        send(before, TOPIC.snapshot(1, rules(1, 50)));
        send(before, TOPIC.delta(2, 1, RuleDelta.insert(rule(60, 60))));
        send(before, third.subList(0, third.size() - 1));
        awaitVersion(before, 2);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 2);
        assertEquals(50, server.rules().size());
        send(after, third.subList(third.size() - 1, third.size()));
        awaitVersion(after, 3);
        assertEquals(List.of(), after.deadLetters(), "a transaction went over the checkpoint");
    }

    @Test
    void messagesThatCameBeforeTheBarrierAreInTheCheckpointWhateverHasBeenDecoded()
            throws Exception {
        List<byte[]> all = new ArrayList<>(TOPIC.snapshot(1, rules(1, 100)));
        for (int version = 2; version <= 60; version++) {
            all.addAll(TOPIC.delta(version, version - 1, RuleDelta.remove(version - 1L)));
        }
        Subtask before = lease();
        send(before, all);
        RuleStreamState state = before.capture().state(); // somewhere among the messages
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 60);
        assertEquals(99 - 59, server.rules().size());
    }

    @Test
    void aCheckpointWhoseNewestVersionCannotBeServedStartsWithTheLastThatCan() throws Exception {
        server.unservable.add(3L);
        Subtask before = lease();
        send(
                before,
                TOPIC.snapshot(1, rules(1, 20)),
                TOPIC.snapshot(2, rules(30, 50)),
                TOPIC.snapshot(3, rules(60, 90)));
        awaitLetters(before, 1);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        server.unservable.add(3L);
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 2);
        await(() -> after.figures().wanted() == 3);
        send(after, TOPIC.delta(4, 3, RuleDelta.remove(60L)));
        awaitVersion(after, 4);
        assertEquals(29, server.rules().size());
    }

    /** Goes on from a state, with an engine that may refuse version 2. */
    private RuleStreamState restarted(
            RuleStreamState state, boolean refuses, long inForce, int letters) throws Exception {
        server = FakeServer.free();
        if (refuses) {
            server.unservable.add(2L);
        }
        Subtask lease = lease(key(), state, null, true);
        awaitVersion(lease, inForce);
        await(lease::lettersComplete);
        assertEquals(letters, lease.deadLetters().size());
        RuleStreamState next = lease.capture().state();
        lease.close();
        VersionService.awaitClosed();
        return next;
    }

    @Test
    void aRefusalIsReportedOnceHoweverOftenTheJobIsRestarted() throws Exception {
        server.unservable.add(2L);
        Subtask first = lease();
        send(first, TOPIC.snapshot(1, rules(1, 20)));
        awaitVersion(first, 1);
        send(first, TOPIC.delta(2, 1, new RuleDelta(List.of(), rules(30, 50))));
        awaitLetters(first, 1);
        RuleStreamState state = first.capture().state();
        first.close();
        VersionService.awaitClosed();
        for (int restart = 0; restart < 3; restart++) {
            state = restarted(state, true, 1, 0);
        }
        // Once it was served, a refusal is news.
        state = restarted(state, false, 2, 0);
        restarted(state, true, 1, 1);
    }

    @Test
    void aVersionOnTheWayToWhatARestartBeginsWithIsNotShown() throws Exception {
        Subtask before = lease();
        send(
                before,
                TOPIC.snapshot(1, rules(1, 20)),
                TOPIC.delta(2, 1, RuleDelta.insert(rule(30, 30))));
        awaitVersion(before, 2);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        server.unservable.add(2L); // it cannot be built, and is made of version 1 once more
        Subtask[] after = new Subtask[1];
        CountDownLatch there = new CountDownLatch(1);
        List<Object> shown = new ArrayList<>();
        server.beforeApply =
                () -> {
                    try {
                        there.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    ServedVersion taken = after[0].takeNewer();
                    if (taken != null) {
                        shown.add(taken.version());
                        taken.close();
                    }
                };
        after[0] = lease(key(), state, null, true);
        there.countDown();
        awaitVersion(after[0], 2);
        assertEquals(List.of(2L, 1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(List.of(), shown, "packets of version 2 were judged by version 1");
    }
}
