package dev.sluice.operators.rules.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The versions that the messages of a topic make. */
final class RecordedHistoryTest {
    private static void sameRules(RuleSet expected, RuleSet actual) {
        assertEquals(expected.rules(), actual.rules());
        assertEquals(expected.version(), actual.version());
        assertEquals(expected.defaultAction(), actual.defaultAction());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyVersionHasItsRules(int seed) {
        Versions versions = new Versions(TestSeed.of(seed)).replace(Shape.MIXED, 30);
        for (int i = 0; i < 60; i++) {
            switch (versions.below(6)) {
                case 0 -> versions.replace(Shape.MIXED, 1 + versions.below(40));
                case 1 -> versions.again();
                default -> versions.change(Shape.MIXED, versions.below(4), versions.below(4));
            }
        }
        RecordedHistory history = versions.recorded();
        assertEquals(61, history.size());
        for (int i = 60; i >= 0; i--) {
            sameRules(versions.contents.get(i), history.rules(i));
            assertEquals(i + 1, history.number(i));
            assertEquals(Versions.STEP_NS * i, history.effectiveNs(i));
        }
    }

    @Test
    void aSnapshotOfTheSameRulesIsNoReasonToCompile() {
        RecordedHistory history =
                new Versions(TestSeed.of(1))
                        .replace(Shape.FIREWALL, 30)
                        .change(Shape.FIREWALL, 1, 1)
                        .again()
                        .replace(Shape.FIREWALL, 30)
                        .recorded();
        assertNull(history.change(0));
        assertNotNull(history.change(1));
        assertEquals(List.of(), history.change(2).inserts());
        assertEquals(30, history.change(3).inserts().size());
    }

    @Test
    void whatLooksFurtherOrChangesMuchIsCompiledByItself() {
        RecordedHistory history =
                new Versions(TestSeed.of(1))
                        .replace(Shape.IPV4_ROUTES, 30)
                        .change(Shape.IPV4_ROUTES, 0, 5)
                        .change(Shape.FIREWALL, 0, 5)
                        .change(Shape.FIREWALL, 0, RecordedHistory.FEW_CHANGES + 1)
                        .change(Shape.IPV4_ROUTES, RecordedHistory.FEW_CHANGES / 2, 0)
                        .recorded();
        assertNotNull(history.change(1));
        assertNull(history.change(2), "a port after routes by addresses");
        assertNull(history.change(3), "many changes");
        assertNotNull(history.change(4));
    }

    @Test
    void manyChangesInARowEndWithAVersionThatIsCompiled() {
        Versions versions = new Versions(TestSeed.of(2)).replace(Shape.IPV4_ROUTES, 10);
        for (int i = 0; i < 8; i++) {
            versions.change(Shape.IPV4_ROUTES, 0, 3);
        }
        RecordedHistory history = versions.recorded(new RecordedHistory(10));
        for (int i = 1; i <= 8; i++) {
            assertEquals(i % 4 == 0, history.change(i) == null, "version " + i);
        }
    }

    @Test
    void aNewHistoryTakesTheTimesFromItsFirstSnapshotOn() throws MalformedMessageException {
        Versions old = new Versions(TestSeed.of(3)).replace(Shape.FIREWALL, 3);
        for (int i = 0; i < 5; i++) {
            old.change(Shape.FIREWALL, 1, 1);
        }
        old.anew(Shape.FIREWALL, 4).change(Shape.FIREWALL, 1, 2);
        RecordedHistory whole = old.recorded();
        assertEquals(8, whole.size());
        assertEquals("h1'", whole.history(6));
        assertEquals(1, whole.number(6));
        sameRules(old.contents.get(7), whole.rules(7));

        Versions other = new Versions(TestSeed.of(4)).anew(Shape.FIREWALL, 2); // from time 0 on
        RecordedHistory replaced = old.recorded();
        for (byte[] message : other.messages.get(0)) {
            replaced.accept(message, 0);
        }
        assertEquals("h1'", other.recorded().history(0));
        assertEquals(8, replaced.size(), "version 1 of a history that went on was taken before");
    }

    @Test
    void aTransactionIsRefusedOnceHoweverOftenTheTopicIsRead() throws MalformedMessageException {
        Versions versions = new Versions(TestSeed.of(6)).replace(Shape.FIREWALL, 3);
        versions.change(Shape.FIREWALL, 0, 1).change(Shape.FIREWALL, 0, 1);
        RecordedHistory history = new RecordedHistory();
        int refused = 0;
        for (int read = 0; read < 3; read++) {
            for (int version : new int[] {0, 2}) { // without the one between them
                for (byte[] message : versions.messages.get(version)) {
                    try {
                        history.accept(message, 0);
                    } catch (MalformedMessageException e) {
                        assertEquals("rules: delta without its base", e.reason());
                        refused++;
                    }
                }
            }
            history.rewound();
        }
        assertEquals(1, refused);
        assertEquals(1, history.size());
    }

    @Test
    void timesThatDecreaseAreMalformed() throws MalformedMessageException {
        Versions versions = new Versions(TestSeed.of(5)).replace(Shape.FIREWALL, 3);
        versions.change(Shape.FIREWALL, 0, 1);
        RecordedHistory history = versions.recorded();
        var early =
                dev.sluice.operators.rules.topic.RuleSetMessages.delta(
                        dev.sluice.schemas.codec.RuleChange.begin(
                                "t",
                                "h1",
                                3,
                                2L,
                                Versions.STEP_NS - 1,
                                dev.sluice.schemas.codec.RuleChange.Kind.DELTA,
                                "set",
                                RuleSet.DROP),
                        new dev.sluice.engine.rules.RuleDelta(List.of(), List.of()));
        for (byte[] message : early.subList(0, early.size() - 1)) {
            history.accept(message, 0);
        }
        assertThrows(
                MalformedMessageException.class,
                () -> history.accept(early.get(early.size() - 1), 0));
        assertEquals(2, history.size());
    }
}
