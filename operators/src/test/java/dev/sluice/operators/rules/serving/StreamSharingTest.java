package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.RuleTransaction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subtasks that share a stream, each up to the commits that it has received. */
@Timeout(60)
class StreamSharingTest extends RuleStreamFixture {
    @Test
    void subtasksShareOneEngineAndDecodeEachMessageOnce() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask b = lease(key, RuleStreamState.EMPTY, null, false);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.snapshot(2, rules(20, 30));
        send(a, first, second);
        awaitVersion(a, 2);
        send(b, first);
        awaitVersion(b, 2 - 1);
        send(b, second);
        awaitVersion(b, 2);
        assertEquals(1, servers);
        assertEquals(2, server.built.size() + server.applied.size());
    }

    @Test
    void aSubtaskUsesAVersionOnlyWhenItHasReceivedItsCommit() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask b = lease(key, RuleStreamState.EMPTY, null, false);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.delta(2, 1, RuleDelta.insert(rule(11, 11)));
        send(a, first);
        send(b, first);
        awaitVersion(a, 1);
        awaitVersion(b, 1);
        send(a, second);
        awaitVersion(a, 2);
        assertNull(b.takeNewer(), "it would be judged by what comes behind its barrier");
        send(b, second.subList(0, second.size() - 1));
        assertNull(b.takeNewer());
        assertTrue(b.message(second.get(second.size() - 1), RuleTransaction.NO_TIME));
        awaitVersion(b, 2);
    }

    @Test
    void whatASubtaskThatIsHeldUpWillNotUseIsNotKept() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask held = lease(key, RuleStreamState.EMPTY, null, false);
        send(a, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(held, 1);
        for (int version = 2; version <= 300; version++) {
            send(
                    a,
                    TOPIC.delta(
                            version,
                            version - 1,
                            version % 2 == 0
                                    ? RuleDelta.insert(rule(100, 100))
                                    : RuleDelta.remove(100L)));
        }
        awaitVersion(a, 300);
        // The version that makes room is closed just behind the one that takes its place.
        await(() -> server.open.get() <= RuleLeases.MOST);
    }

    @Test
    void theEndOfALeaseWaitsForNoBuild() throws Exception {
        server = new FakeServer();
        FakeServer first = server;
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        await(() -> first.built.size() == 1);
        lease.close();
        assertFalse(first.closed);
        server = FakeServer.free();
        Subtask next = lease(); // the next attempt
        send(next, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(next, 1);
        assertFalse(first.closed, "the build is still under way");
        first.builds.release(1);
        next.close();
        VersionService.awaitClosed();
        assertTrue(first.closed);
        assertEquals(0, first.open.get(), "what was built for nobody is not given back");
    }
}
