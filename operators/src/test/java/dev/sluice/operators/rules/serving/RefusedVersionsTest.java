package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions that the engine cannot serve: letters, pauses, and what is tried instead. */
@Timeout(60)
class RefusedVersionsTest extends RuleStreamFixture {
    @Test
    void aVersionThatCannotBeServedLeavesTheOneBeforeAndTheNextComesIntoForce() {
        server.unservable.add(2L);
        server.unservable.add(3L);
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        List<DeadLetter> letters = awaitLetters(lease, 1);
        RefusedVersion refused = RefusedVersion.of(letters.get(0)).orElseThrow();
        assertEquals(new RefusedVersion(2, "h", "version 2 is too large"), refused);
        assertNull(lease.takeNewer());
        assertEquals(2, lease.figures().wanted(), "the content follows the history");
        assertEquals(1, lease.figures().inForce());
        assertEquals(1, lease.figures().refused());
        // A change of what is not served is not served either, and can be taken back.
        send(lease, TOPIC.delta(3, 2, RuleDelta.insert(rule(70, 70))));
        assertEquals(3, RefusedVersion.of(awaitLetters(lease, 1).get(0)).orElseThrow().version());
        send(lease, TOPIC.delta(4, 3, new RuleDelta(longs(30, 60), List.of(rule(80, 80)))));
        awaitVersion(lease, 4);
        assertEquals(12, server.rules().size());
        assertEquals(List.of(), lease.deadLetters());
    }

    /** Sends a delta, and waits until it was followed and what was due was begun. */
    private static void follow(Subtask lease, long version, int rule) {
        send(lease, TOPIC.delta(version, version - 1, RuleDelta.insert(rule(rule, rule))));
        await(() -> lease.figures().wanted() == version);
    }

    private static long awaitRefusal(Subtask lease) {
        return RefusedVersion.of(awaitLetters(lease, 1).get(0)).orElseThrow().version();
    }

    @Test
    void deltasOfWhatIsRefusedAreTriedAfterPausesThatGrow() {
        AtomicLong now = new AtomicLong();
        nanoTime = now::get;
        for (long version = 2; version <= 7; version++) {
            server.unservable.add(version);
        }
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        assertEquals(2, awaitRefusal(lease));
        follow(lease, 3, 63);
        now.set(RefusalPause.FIRST_NANOS - 1);
        follow(lease, 4, 64);
        now.incrementAndGet();
        assertEquals(4, awaitRefusal(lease));
        // It was the second: the pause is twice as long.
        now.addAndGet(2 * RefusalPause.FIRST_NANOS - 1);
        follow(lease, 5, 65);
        now.incrementAndGet();
        assertEquals(5, awaitRefusal(lease));
        // A snapshot waits for nothing and ends the pause.
        send(lease, TOPIC.snapshot(6, rules(20, 70)));
        assertEquals(6, awaitRefusal(lease));
        now.addAndGet(RefusalPause.FIRST_NANOS - 1);
        follow(lease, 7, 79);
        now.incrementAndGet();
        assertEquals(7, awaitRefusal(lease));
        now.addAndGet(2 * RefusalPause.FIRST_NANOS - 1);
        follow(lease, 8, 80);
        now.incrementAndGet();
        awaitVersion(lease, 8);
        assertEquals(List.of(1L, 2L, 4L, 5L, 6L, 7L, 8L), server.built);
    }

    @Test
    void whatWaitsAfterARefusalIsTriedAlthoughNothingMoreComes() {
        server.unservable.add(2L);
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        assertEquals(2, awaitRefusal(lease));
        follow(lease, 3, 63);
        awaitVersion(lease, 3);
        assertEquals(List.of(1L, 2L, 3L), server.built);
    }

    private static List<Long> longs(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> (long) n).toList();
    }

    @Test
    void olderVersionsThatWereNotTriedAreTriedNewestFirst() {
        server = new FakeServer();
        server.unservable.addAll(List.of(2L, 5L, 4L));
        Subtask lease = lease();
        server.builds.release(1);
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        for (int version = 2; version <= 5; version++) {
            send(lease, TOPIC.snapshot(version, rules(20 * version, 20 * version + 15)));
        }
        await(() -> lease.figures().wanted() == 5);
        server.builds.release(10);
        awaitVersion(lease, 3);
        List<Long> letters = new ArrayList<>();
        for (DeadLetter letter : awaitLetters(lease, 3)) {
            letters.add(RefusedVersion.of(letter).orElseThrow().version());
        }
        letters.sort(null);
        assertEquals(List.of(2L, 4L, 5L), letters);
        assertTrue(
                server.built.equals(List.of(1L, 2L, 5L, 4L, 3L))
                        || server.built.equals(List.of(1L, 5L, 4L, 3L)),
                server.built.toString());
    }
}
