package dev.sluice.operators.rules.history;

import static dev.sluice.operators.rules.history.RuleLogs.again;
import static dev.sluice.operators.rules.history.RuleLogs.compact;
import static dev.sluice.operators.rules.history.RuleLogs.fed;
import static dev.sluice.operators.rules.history.RuleLogs.feed;
import static dev.sluice.operators.rules.history.RuleLogs.restored;
import static dev.sluice.operators.rules.history.RuleLogs.servable;
import static dev.sluice.operators.rules.topic.Topic.all;
import static dev.sluice.operators.rules.topic.Topic.delta;
import static dev.sluice.operators.rules.topic.Topic.rule;
import static dev.sluice.operators.rules.topic.Topic.snapshot;
import static dev.sluice.operators.rules.topic.Topic.withoutCommit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log of rule versions: how far back it goes, its length, and its state. */
class RuleLogTest {
    private static List<Long> ids(@Nullable RuleSet rules) {
        return rules == null ? List.of() : rules.rules().stream().map(Rule::id).toList();
    }

    @Test
    void aNewLogIsEmptyAndSoIsItsState() throws Exception {
        assertTrue(restored(List.of()).book().isEmpty());
        assertTrue(again(new RuleLog()).book().isEmpty());
    }

    @Test
    void aRestoredLogKnowsWhatAHeartbeatHasRuledOut() throws Exception {
        RuleChange early =
                RuleChange.begin("t2", "h", 2, 1L, 100L, Kind.DELTA, "set", RuleSet.DROP);
        RuleChange open = RuleChange.begin("t2", "h", 2, 1L, null, Kind.DELTA, "set", RuleSet.DROP);
        RuleDelta delta = RuleDelta.insert(rule(2, 1, 1, 2));
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        log.accept(RuleChange.heartbeat("h", 1, 100).encode(), RuleTransaction.NO_TIME);
        log.accept(RuleChange.heartbeat("other", 1, 1000).encode(), RuleTransaction.NO_TIME);
        for (RuleLog one : List.of(again(log), again(again(log)))) {
            assertEquals(100, one.book().knownNs());
            List<byte[]> messages = RuleSetMessages.delta(early, delta);
            feed(one, messages.subList(0, messages.size() - 1));
            byte[] commit = messages.get(messages.size() - 1);
            assertEquals(
                    "rules: effective time goes back",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> one.accept(commit, RuleTransaction.NO_TIME))
                            .reason());
        }
        Version behind = null;
        for (byte[] message : RuleSetMessages.delta(open, delta)) {
            behind = log.accept(message, 50);
        }
        assertNotNull(behind);
        assertEquals(101, behind.effectiveTimeNs(), "committed at 50, ruled out up to 100");
    }

    @Test
    void aRestoredLogBeginsAtTheLastServableVersionAndKnowsTheNewest() throws Exception {
        RuleLog log =
                fed(
                        all(
                                snapshot("h", 1, rule(1, 1, 1, 1)),
                                delta("h", 2, 1, RuleDelta.insert(rule(2, 1, 1, 2))),
                                delta("h", 3, 2, RuleDelta.insert(rule(3, 1, 1, 3)))));
        log.servable("h", 2);
        for (RuleLog one : List.of(log, again(log), again(again(log)))) {
            assertEquals(List.of(1L, 2L), ids(servable(one)));
            assertEquals(2, servable(one).version());
            assertEquals(List.of(1L, 2L, 3L), ids(one.book().ruleSet()));
            assertEquals(List.of(1L), ids(one.at("h", 1)));
            assertNull(one.at("h", 9));
            assertNull(one.at("g", 1));
        }
    }

    @Test
    void whatLiesBeforeASnapshotThatIsServableIsDropped() throws Exception {
        RuleLog log = new RuleLog();
        for (int v = 1; v <= 50; v++) {
            feed(log, snapshot("h", v, rule(v, 1, 1, 1)));
            log.servable("h", v);
            assertEquals(1 + 3, log.state().messages().size());
        }
        assertNull(log.at("h", 49));
        assertEquals(List.of(50L), ids(servable(again(log))));
    }

    @Test
    void versionsThatCannotBeServedAreNotKeptBehindOneAnother() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        log.servable("h", 1);
        for (int v = 2; v <= 50; v++) {
            feed(log, snapshot("h", v, rule(v, 1, 1, 1)));
            log.unservable("h", v);
            assertEquals(1 + 6, log.state().messages().size());
        }
        RuleLog restored = again(log);
        assertEquals(List.of(1L), ids(servable(restored)));
        assertEquals(List.of(50L), ids(restored.book().ruleSet()));
        // A version that is still being tried is kept.
        feed(log, all(snapshot("h", 51, rule(51, 1, 1, 1)), snapshot("h", 52, rule(52, 1, 1, 1))));
        log.servable("h", 51);
        assertEquals(List.of(51L), ids(servable(again(log))));
    }

    @Test
    void deltasAreMadeASnapshotWhenTheyAreLong() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        String text = "x".repeat(50_000);
        int compactions = 0;
        for (int v = 2; v <= 300; v++) {
            Rule long1 = rule(1, 1, v, 1);
            Rule put = new Rule(1, 1, long1.match(), "a" + v, 1, long1.place(), text);
            feed(log, delta("h", v, v - 1, RuleDelta.insert(put)));
            log.servable("h", v);
            if (log.wantsCompaction()) {
                compact(log);
                compactions++;
                assertEquals(1 + 3, log.state().messages().size());
            }
            assertTrue(log.bytes() < 5 << 20, log.bytes() + " bytes");
        }
        assertTrue(compactions > 1);
        assertEquals("a300", servable(again(log)).rules().get(0).action());
        assertEquals("a300", again(log).book().ruleSet().rules().get(0).action());
    }

    @Test
    void aStartTriesTheNewestAndFewBeforeIt() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        for (int v = 2; v <= 20; v++) {
            feed(log, delta("h", v, v - 1, RuleDelta.insert(rule(v, 1, 1, v))));
        }
        log.servable("h", 5);
        log.unservable("h", 18);
        log.unservable("h", 20);
        assertEquals(
                List.of(1L, 5L, 16L, 17L, 19L, 20L),
                again(log).toTry(3).stream().map(RuleLog.Held::number).toList());
        log.servable("h", 20);
        assertEquals(
                List.of(1L, 17L, 19L, 20L),
                again(log).toTry(3).stream().map(RuleLog.Held::number).toList());
    }

    /**
     * Nothing newer can be served, or was tried, for long: the log stays short all the same.
     *
     * @param everySoMany of the versions each such is said to be unservable
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void theLogIsBoundedAlsoWhileNothingNewerCanBeServed(int everySoMany) throws Exception {
        for (long servable : new long[] {1, RuleBook.NO_VERSION}) {
            RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
            log.servable("h", servable);
            feed(log, snapshot("h", 2, rule(1, 1, 2, 1), rule(2, 1, 2, 2)));
            log.unservable("h", 2);
            String text = "x".repeat(50_000);
            for (int v = 3; v <= 500; v++) {
                Rule put =
                        new Rule(
                                1,
                                1,
                                rule(1, 1, v).match(),
                                "a" + v,
                                1,
                                Place.of(new byte[] {1}),
                                text);
                feed(log, delta("h", v, v - 1, RuleDelta.insert(put)));
                if (v % everySoMany == 0) {
                    log.unservable("h", v);
                }
                if (log.wantsCompaction()) {
                    compact(log);
                }
                assertTrue(log.bytes() < 10 << 20, log.bytes() + " bytes");
            }
            RuleLog again = again(log);
            assertEquals("a500", again.book().ruleSet().rules().get(0).action());
            assertEquals(servable == 1 ? List.of(1L) : List.of(), ids(servable(again)));
            assertEquals("a499", again.at("h", 499).rules().get(0).action(), "it may be tried");
        }
    }

    /** The issue's own case: a start that meets an unfinished transaction says nothing of it. */
    @Test
    void anOpenTransactionGoesOnAfterARestoreWhereverTheTopicIsReadFrom() throws Exception {
        List<byte[]> first = snapshot("h", 1, rule(1, 1, 1, 1));
        List<byte[]> second = snapshot("h", 2, rule(2, 1, 1, 1));
        List<byte[]> topic = all(first, second);
        RuleLog log = fed(withoutCommit(topic));
        for (int from = 0; from < topic.size(); from++) {
            RuleLog restored = again(log);
            feed(restored, topic.subList(from, topic.size()));
            assertEquals(List.of(2L), ids(restored.book().ruleSet()), "from " + from);
        }
    }

    @Test
    void aTopicThatWasMadeAnewMeanwhileIsTaken() throws Exception {
        RuleLog restored = again(fed(snapshot("old", 9, rule(1, 1, 1, 1))));
        Version update = null;
        for (byte[] message : snapshot("new", 1, rule(2, 1, 1, 1))) {
            update = restored.accept(message, RuleTransaction.NO_TIME);
        }
        assertTrue(update.newHistory());
        assertEquals(List.of(2L), ids(restored.book().ruleSet()));
    }

    @Test
    void aTimeThatTheCommitGaveIsKept() throws Exception {
        RuleLog log = new RuleLog();
        for (byte[] message : snapshot("h", 1)) {
            log.accept(message, 500);
        }
        RuleLog restored = again(log);
        assertEquals(500, restored.book().effectiveTimeNs());
        log.servable("h", 1);
        for (byte[] message : delta("h", 2, 1, RuleDelta.insert(rule(1, 1, 1, 1)))) {
            log.accept(message, 700);
        }
        log.servable("h", 2);
        compact(log);
        assertEquals(700, again(log).book().effectiveTimeNs());
    }

    @Test
    void aStateThatIsNoneIsRefused() throws Exception {
        List<byte[]> state = fed(snapshot("h", 1, rule(1, 1, 1, 1))).state().messages();
        byte[] cut = Arrays.copyOf(state.get(0), state.get(0).length - 3);
        List<byte[]> shortHead = new ArrayList<>(state);
        shortHead.set(0, cut);
        assertThrows(MalformedMessageException.class, () -> restored(shortHead));
        assertThrows(MalformedMessageException.class, () -> restored(state.subList(0, 2)));
    }
}
