package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The phases of a stream, one after the other. */
@Timeout(60)
class StreamPhaseTest {
    private static final PublishedRules TOPIC = new PublishedRules("h");

    /** The table of the package text: the phases that may follow each. */
    private static final Map<StreamPhase, Set<StreamPhase>> TABLE =
            Map.of(
                    StreamPhase.RESTORING, Set.of(StreamPhase.READING, StreamPhase.DECIDING),
                    StreamPhase.READING, Set.of(StreamPhase.DECIDING),
                    StreamPhase.DECIDING, Set.of(StreamPhase.SEARCHING, StreamPhase.FOLLOWING),
                    StreamPhase.SEARCHING, Set.of(StreamPhase.FOLLOWING),
                    StreamPhase.FOLLOWING, Set.of(StreamPhase.READING),
                    StreamPhase.FAILED, Set.of(),
                    StreamPhase.CLOSED, Set.of());

    private FakeServer server = FakeServer.free();
    private final List<Subtask> leases = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        server.builds.release(1 << 20);
        leases.forEach(Subtask::close);
        VersionService.awaitClosed();
        leases.forEach(lease -> assertEquals(StreamPhase.CLOSED, lease.stream().phase()));
        assertEquals(0, server.open.get(), "versions that nobody closed");
    }

    private Subtask lease(RuleStreamState state, RuleSource bootstrap) {
        RuleStream stream =
                RuleStream.acquire(
                        new VersionService.Key("job", "classify", UUID.randomUUID().toString(), 0),
                        new VersionService.Start("test", EngineOptions.DEFAULTS, 0, bootstrap),
                        state,
                        () -> server,
                        System::nanoTime);
        Subtask lease = Subtask.of(stream, true);
        leases.add(lease);
        return lease;
    }

    private static void await(Subtask lease, StreamPhase phase) throws Exception {
        Await.until(() -> lease.stream().phase() == phase);
    }

    private static void awaitVersion(Subtask lease, long version) throws Exception {
        Await.until(
                () -> {
                    ServedVersion taken = lease.takeNewer();
                    if (taken != null) {
                        taken.close();
                    }
                    return taken != null && taken.version() == version;
                });
    }

    private static Rule rule(int n) {
        return new Rule(
                n,
                1,
                new Match.Builder().field(Field.DST_PORT, n).build(),
                "to " + n,
                n,
                Place.of(new byte[] {(byte) n}),
                "rule " + n);
    }

    @Test
    void onlyTheTransitionsOfTheTableCanBeMade() {
        for (StreamPhase from : StreamPhase.values()) {
            for (StreamPhase then : StreamPhase.values()) {
                boolean ends =
                        then == StreamPhase.CLOSED && from != StreamPhase.CLOSED
                                || then == StreamPhase.FAILED && !from.isOver();
                if (ends || TABLE.get(from).contains(then)) {
                    assertEquals(then, from.to(then));
                } else {
                    assertThrows(IllegalStateException.class, () -> from.to(then));
                }
            }
        }
    }

    @Test
    void withoutABootstrapTheBroadcastIsFollowedAtOnce() throws Exception {
        Subtask lease = lease(RuleStreamState.EMPTY, null);
        await(lease, StreamPhase.FOLLOWING);
        TOPIC.snapshot(1, List.of(rule(1))).forEach(m -> lease.message(m, 0));
        awaitVersion(lease, 1);
    }

    @Test
    void aStartIsReadThenDecidedThenFollowed() throws Exception {
        server = new FakeServer();
        GivenTopic given = new GivenTopic();
        Subtask lease = lease(RuleStreamState.EMPTY, given);
        TOPIC.snapshot(2, List.of(rule(2))).forEach(m -> lease.message(m, 0));
        given.give(TOPIC.snapshot(1, List.of(rule(1))));
        Await.until(() -> lease.figures().wanted() == 1);
        assertEquals(StreamPhase.READING, lease.stream().phase());
        assertEquals(List.of(), server.built);
        given.start();
        await(lease, StreamPhase.DECIDING);
        Await.until(() -> server.built.size() == 1);
        assertNull(lease.takeNewer());
        assertEquals(1, lease.figures().wanted(), "the broadcast waits");
        server.builds.release();
        awaitVersion(lease, 2); // a small change of 1, which is shown before if it is taken in time
        await(lease, StreamPhase.FOLLOWING);
        assertEquals(List.of(1L), server.built);
        assertEquals(List.of(2L), server.applied);
    }

    @Test
    void whereNothingCanBeServedTheBootstrapIsSearchedAndTheBroadcastWaits() throws Exception {
        server.unservable.add(1L);
        GivenTopic given = new GivenTopic();
        Subtask lease = lease(RuleStreamState.EMPTY, given);
        given.give(TOPIC.snapshot(1, List.of(rule(1))));
        given.start();
        await(lease, StreamPhase.SEARCHING);
        TOPIC.snapshot(3, List.of(rule(3))).forEach(m -> lease.message(m, 0));
        given.give(TOPIC.snapshot(2, List.of(rule(2))));
        awaitVersion(lease, 3);
        assertEquals(StreamPhase.FOLLOWING, lease.stream().phase());
        assertEquals(List.of(1L, 2L), server.built);
    }

    @Test
    void aCheckpointOfWhichNothingCanBeServedIsReadOnBesideTheBroadcast() throws Exception {
        Subtask before = lease(RuleStreamState.EMPTY, null);
        TOPIC.snapshot(1, List.of(rule(1))).forEach(m -> before.message(m, 0));
        awaitVersion(before, 1);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        server.unservable.add(1L);
        GivenTopic given = new GivenTopic();
        Subtask after = lease(state, given);
        await(after, StreamPhase.READING);
        given.give(TOPIC.delta(2, 1, RuleDelta.insert(rule(2))));
        given.start();
        awaitVersion(after, 2);
        await(after, StreamPhase.FOLLOWING);
    }

    @Test
    void aStreamThatFailedIsOver() throws Exception {
        Subtask lease =
                lease(
                        RuleStreamState.EMPTY,
                        new GivenTopic(
                                "",
                                0,
                                () -> {
                                    throw new IllegalStateException("no broker answers");
                                }));
        await(lease, StreamPhase.FAILED);
        assertThrows(IllegalStateException.class, lease::takeNewer);
        assertFalse(lease.stream().isFull());
    }
}
