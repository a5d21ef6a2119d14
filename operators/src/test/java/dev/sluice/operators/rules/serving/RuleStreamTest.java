package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions that a stream builds, merges or applies to the one before. */
@Timeout(60)
class RuleStreamTest extends RuleStreamFixture {
    @Test
    void aSmallChangeIsAppliedAndNotBuilt() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 50)));
        awaitVersion(lease, 1);
        send(
                lease,
                TOPIC.delta(
                        2,
                        1,
                        new RuleDelta(
                                List.of(3L),
                                List.of(rule(60, 60).onLine(1)),
                                List.of(new LineShift(1, 1)))));
        awaitVersion(lease, 2);
        assertEquals(List.of(1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(49, server.rules().size());
        for (Rule rule : server.rules().rules()) {
            assertEquals(rule.id() == 60 ? 1 : rule.id() + 1, rule.line());
        }
    }

    @Test
    void versionsThatComeDuringABuildAreMergedIntoTheNext() {
        server = new FakeServer();
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        await(() -> lease.figures().wanted() == 1);
        send(
                lease,
                TOPIC.snapshot(2, rules(20, 40)),
                TOPIC.snapshot(3, rules(40, 60)),
                TOPIC.delta(4, 3, RuleDelta.insert(rule(70, 70))),
                TOPIC.snapshot(5, rules(60, 90)));
        await(() -> lease.figures().wanted() == 5);
        assertEquals(5, lease.figures().pending());
        server.builds.release(1);
        awaitVersion(lease, 1);
        server.builds.release(1);
        awaitVersion(lease, 5);
        assertEquals(List.of(1L, 5L), server.built);
        await(() -> lease.figures().pending() == 0);
    }

    @Test
    void smallChangesThatComeDuringABuildAreAppliedAfterIt() {
        server = new FakeServer();
        Subtask lease = lease();
        send(
                lease,
                TOPIC.snapshot(1, rules(1, 10)),
                TOPIC.delta(2, 1, RuleDelta.insert(rule(70, 70))),
                TOPIC.delta(3, 2, RuleDelta.remove(70L)));
        await(() -> lease.figures().wanted() == 3);
        server.builds.release(1);
        awaitVersion(lease, 3);
        assertEquals(1, server.built.size(), server.built.toString());
        assertEquals(9, server.rules().size());
    }

    @Test
    void aSnapshotThatIsNearlyTheSameIsAppliedAsASmallChange() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 100)));
        awaitVersion(lease, 1);
        List<Rule> next = new ArrayList<>();
        next.add(rule(100, 100).onLine(1));
        rules(1, 100).forEach(rule -> next.add(rule.onLine(rule.line() + 1)));
        next.remove(5);
        send(lease, TOPIC.snapshot(2, next));
        awaitVersion(lease, 2);
        assertEquals(List.of(1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(99, server.rules().size());
        server.rules()
                .rules()
                .forEach(rule -> assertEquals(rule.id() == 100 ? 1 : rule.id() + 1, rule.line()));
    }

    @Test
    void malformedTransactionsAreDeadLettersAndDeltasAfterThemWait() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        List<byte[]> cut = TOPIC.snapshot(2, rules(20, 30));
        send(lease, List.of(cut.get(0), cut.get(cut.size() - 1)));
        send(lease, List.of("nonsense".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        send(lease, TOPIC.delta(3, 2, RuleDelta.insert(rule(11, 11))));
        List<String> reasons = awaitLetters(lease, 3).stream().map(DeadLetter::reason).toList();
        assertEquals("rules: chunk missing", reasons.get(0));
        assertEquals("rules: delta without its base", reasons.get(2));
        assertEquals(3, lease.figures().dropped());
        send(lease, TOPIC.snapshot(4, rules(1, 12)));
        awaitVersion(lease, 4);
    }

    @Test
    void aNewHistoryTakesThePlaceOfTheOneBefore() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(7, rules(1, 10)));
        awaitVersion(lease, 7);
        send(lease, new PublishedRules("other").snapshot(1, rules(20, 40)));
        awaitVersion(lease, 1);
        await(() -> lease.figures().histories() == 1);
        assertEquals(20, server.rules().size());
    }
}
