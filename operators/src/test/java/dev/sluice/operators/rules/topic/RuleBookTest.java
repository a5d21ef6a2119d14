package dev.sluice.operators.rules.topic;

import static dev.sluice.operators.rules.topic.Topic.all;
import static dev.sluice.operators.rules.topic.Topic.assembled;
import static dev.sluice.operators.rules.topic.Topic.beginSnapshot;
import static dev.sluice.operators.rules.topic.Topic.delta;
import static dev.sluice.operators.rules.topic.Topic.rule;
import static dev.sluice.operators.rules.topic.Topic.snapshot;
import static dev.sluice.operators.rules.topic.Topic.withoutCommit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RuleBookTest {
    private final RuleBook book = new RuleBook();
    private final TopicFollower follower = new TopicFollower(book);

    private @Nullable Version feed(List<byte[]> messages) throws Exception {
        return feed(messages, RuleTransaction.NO_TIME);
    }

    private @Nullable Version feed(List<byte[]> messages, long timeNs) throws Exception {
        Version last = null;
        for (byte[] message : messages) {
            RuleTransaction whole = assembled(follower, message, timeNs);
            Version update = whole == null ? null : book.apply(whole);
            last = update == null ? last : update;
        }
        return last;
    }

    private void assertRefused(String reason, List<byte[]> messages) {
        List<Long> ids = book.isEmpty() ? List.of() : ids();
        long version = book.version();
        MalformedMessageException e =
                assertThrows(MalformedMessageException.class, () -> feed(messages));
        assertEquals(reason, e.reason());
        assertEquals(version, book.version());
        assertEquals(ids, book.isEmpty() ? List.of() : ids());
    }

    private List<Long> ids() {
        return book.ruleSet().rules().stream().map(Rule::id).toList();
    }

    private List<Integer> lines() {
        return book.ruleSet().rules().stream().map(Rule::line).toList();
    }

    private static RuleDelta put(Rule... rules) {
        return RuleDelta.insert(rules);
    }

    @Test
    void aSnapshotReplacesEverything() throws Exception {
        assertTrue(book.isEmpty());
        assertNull(book.ruleSet());
        assertNull(feed(snapshot("h", 1, rule(1, 5, 80, 1))).delta());
        feed(snapshot("h", 3, rule(2, 5, 443, 1), rule(3, 9, 1, 1)));
        assertEquals(List.of(3L, 2L), ids());
        assertEquals(3, book.ruleSet().version());
        assertEquals("h", book.history());
    }

    @Test
    void aDeltaPutsRulesBetweenOthersAndMovesLines() throws Exception {
        feed(snapshot("h", 1, rule(1, 5, 80, 10), rule(2, 5, 443, 20), rule(3, 5, 22, 30)));
        RuleDelta delta =
                new RuleDelta(
                        List.of(2L),
                        List.of(rule(9, 5, 25, 15)),
                        List.of(new LineShift(1, 10), new LineShift(3, 20)));
        Version update = feed(delta("h", 2, 1, delta));
        assertEquals(delta, update.delta());
        assertEquals(List.of(1L, 9L, 3L), ids());
        assertEquals(List.of(11, 9, 23), lines());
        feed(delta("h", 3, 2, new RuleDelta(List.of(), List.of(), List.of(new LineShift(12, 1)))));
        assertEquals(List.of(11, 9, 24), lines());
    }

    @Test
    void aRuleThatIsPutAgainIsChangedOrMoves() throws Exception {
        feed(snapshot("h", 1, rule(1, 5, 80, 10), rule(2, 5, 443, 20)));
        feed(delta("h", 2, 1, put(rule(1, 5, 8080, 10))));
        assertEquals(List.of(1L, 2L), ids());
        assertEquals(rule(1, 5, 8080, 10), book.ruleSet().rules().get(0));
        feed(delta("h", 3, 2, put(rule(1, 5, 8080, 30))));
        assertEquals(List.of(2L, 1L), ids());
        // Two rules change places in one delta.
        feed(delta("h", 4, 3, put(rule(1, 5, 8080, 20), rule(2, 5, 443, 30))));
        assertEquals(List.of(1L, 2L), ids());
    }

    private static Rule ofWord(int word) {
        Match match = new Match.Builder().word(word, 1, -1).build();
        return new Rule(word + 1, 1, match, "drop", 1).at(Place.of(new byte[] {(byte) (word + 1)}));
    }

    private static Rule[] ofWords(int from, int to) {
        return IntStream.range(from, to).mapToObj(RuleBookTest::ofWord).toArray(Rule[]::new);
    }

    @Test
    void aDeltaOfMoreHeaderWordsThanARuleSetMayNameIsRefused() throws Exception {
        feed(snapshot("h", 1, ofWords(0, HeaderLayout.MOST_WORDS - 1)));
        feed(delta("h", 2, 1, put(ofWord(HeaderLayout.MOST_WORDS - 1))));
        Rule more = ofWord(HeaderLayout.MOST_WORDS);
        RuleDelta instead = new RuleDelta(List.of(1L), List.of(more), List.of());
        feed(delta("h", 3, 2, instead));
        assertEquals(HeaderLayout.MOST_WORDS, book.newest().layout().size());
        assertRefused("rules: match words", delta("h", 4, 3, put(ofWord(0))));
    }

    @Test
    void rulesOfWhichNeitherComesFirstAreRefused() throws Exception {
        assertRefused("rules: order", snapshot("h", 1, rule(1, 5, 80, 10), rule(2, 5, 443, 10)));
        assertRefused("rules: order", snapshot("h", 2, rule(1, 5, 80), rule(2, 5, 443, 10)));
        feed(snapshot("h", 3, rule(1, 5, 80, 10), rule(2, 6, 443, 10)));
        assertRefused("rules: order", delta("h", 4, 3, put(rule(7, 5, 1, 10))));
        feed(snapshot("h", 5, rule(1, 5, 80, 10)));
        assertRefused("rules: order", delta("h", 6, 5, put(rule(7, 5, 1, 4), rule(8, 5, 1, 4))));
        feed(snapshot("h", 7, rule(1, 5, 80, 10)));
        assertRefused("rules: order", delta("h", 8, 7, put(rule(7, 5, 1))));
    }

    @Test
    void deltasWaitForASnapshotOnceSomethingWasRefused() throws Exception {
        List<List<byte[]>> bad =
                List.of(
                        delta("h", 6, 3, put(rule(7, 1, 1, 1))), // a base that is missing
                        delta("h", 6, 5, put(rule(7, 5, 80, 10))), // order
                        List.of(RuleChange.commit(beginSnapshot("h", 6), 0).encode()),
                        all(snapshot("h", 6).subList(0, 1), withHole("h", 6)),
                        List.of(
                                RuleChange.begin(
                                                "back", "h", 5, null, null, Kind.SNAPSHOT, "s", "d")
                                        .encode()));
        for (List<byte[]> messages : bad) {
            RuleBookTest one = new RuleBookTest();
            one.feed(snapshot("h", 5, rule(1, 5, 80, 10)));
            assertFalse(one.book.waitsForSnapshot());
            assertThrows(MalformedMessageException.class, () -> one.feed(messages));
            assertTrue(one.book.waitsForSnapshot());
            one.assertRefused(
                    "rules: delta without its base", delta("h", 7, 5, put(rule(2, 1, 1, 1))));
            assertEquals(List.of(1L), one.ids());
            one.feed(snapshot("h", 8, rule(3, 1, 1, 1)));
            one.feed(delta("h", 9, 8, put(rule(4, 1, 1, 2))));
            assertEquals(List.of(3L, 4L), one.ids());
        }
    }

    private static List<byte[]> withHole(String history, long version) {
        RuleChange begin = beginSnapshot(history, version);
        return List.of(RuleChange.changes(begin, 1, List.of(), List.of()).encode());
    }

    @Test
    void anUnfinishedTransactionMakesDeltasWait() throws Exception {
        feed(snapshot("h", 1, rule(1, 1, 1, 1)));
        feed(withoutCommit(snapshot("h", 2, rule(2, 1, 1, 1))));
        List<byte[]> next = delta("h", 3, 1, put(rule(3, 1, 1, 3)));
        assertRefused("rules: unfinished transaction", next.subList(0, 1));
        assertRefused("rules: delta without its base", next.subList(1, next.size()));
    }

    @Test
    void whatWasRefusedBeforeTheNewestSnapshotDoesNotMatterWhenItComesAgain() throws Exception {
        List<byte[]> bad = delta("h", 2, 7, put(rule(2, 1, 1, 1)));
        List<byte[]> third = snapshot("h", 3, rule(3, 1, 1, 1));
        feed(snapshot("h", 1, rule(1, 1, 1, 1)));
        assertThrows(MalformedMessageException.class, () -> feed(bad));
        feed(third);
        TopicFollower again = new TopicFollower(book);
        for (byte[] message : all(snapshot("h", 1), bad, third)) {
            RuleTransaction whole = assembled(again, message);
            assertNull(whole == null ? null : book.apply(whole));
        }
        assertFalse(book.waitsForSnapshot());
        assertNotNull(feed(delta("h", 4, 3, put(rule(4, 1, 1, 4)))));
    }

    @Test
    void theFirstSnapshotOfAnotherHistoryReplacesEverything() throws Exception {
        feed(snapshot("old", 50, rule(1, 1, 1, 1)));
        assertRefused("rules: delta without its base", delta("new", 1, 50, put(rule(2, 1, 1, 2))));
        Version update = feed(snapshot("new", 2, rule(3, 1, 1, 1)));
        assertTrue(update.newHistory());
        assertNull(update.delta());
        assertEquals("new", book.history());
        assertEquals(List.of(3L), ids());
        assertFalse(feed(delta("new", 3, 2, put(rule(4, 1, 1, 2)))).newHistory());
        // What comes again of the old history is passed over; what is new of it is not.
        assertNull(feed(snapshot("old", 50, rule(1, 1, 1, 1))));
        assertEquals("new", book.history());
        assertTrue(feed(snapshot("old", 51, rule(1, 1, 1, 1))).newHistory());
    }

    @Test
    void anotherNameOrDefaultActionMayChangeEverything() throws Exception {
        feed(snapshot("h", 1, rule(1, 1, 1, 1)));
        RuleChange begin = RuleChange.begin("t", "h", 2, 1L, null, Kind.DELTA, "set", "accept");
        assertNull(feed(RuleSetMessages.delta(begin, put(rule(2, 1, 1, 2)))).delta());
        assertEquals("accept", book.ruleSet().defaultAction());
    }

    @Test
    void timesNeverDecreaseAndNoneMeansTheCommitOrTheVersionBefore() throws Exception {
        long[][] statedCommitAndTime = {
            {-1, 100, 100},
            {-1, 90, 100},
            {150, 95, 150},
            {-1, 120, 150},
            {150, 1, 150},
            {-1, 200, 200}
        };
        long version = 0;
        for (long[] one : statedCommitAndTime) {
            version++;
            RuleChange begin =
                    RuleChange.begin(
                            "t" + version,
                            "h",
                            version,
                            null,
                            one[0] < 0 ? null : one[0],
                            Kind.SNAPSHOT,
                            "set",
                            "drop");
            assertEquals(
                    one[2],
                    feed(RuleSetMessages.snapshot(begin, List.of()), one[1]).effectiveTimeNs());
            assertEquals(one[2], book.effectiveTimeNs());
        }
        RuleChange back =
                RuleChange.begin("back", "h", 7, null, 199L, Kind.SNAPSHOT, "set", "drop");
        assertRefused("rules: effective time goes back", RuleSetMessages.snapshot(back, List.of()));
        assertEquals(200, book.effectiveTimeNs());
        // Another history has times of its own.
        assertEquals(3, feed(snapshot("g", 1), 3).effectiveTimeNs());
    }

    @Test
    void manyShiftsInARowAreAllWorkedOut() throws Exception {
        feed(snapshot("h", 1, rule(1, 5, 80, 10), rule(2, 5, 443, 20), rule(3, 5, 1, 30)));
        int last = 3;
        for (int i = 0; i < 600; i++) {
            List<LineShift> shifts = List.of(new LineShift(2, 1), new LineShift(last, 2));
            feed(delta("h", 2 + i, 1 + i, new RuleDelta(List.of(), List.of(), shifts)));
            last += 2;
        }
        assertEquals(List.of(1, 602, 1203), lines());
    }

    @Test
    void placesOfAnyLengthAreTaken() throws Exception {
        List<Rule> rules = new ArrayList<>();
        Place last = null;
        for (int i = 0; i < 100; i++) {
            byte[] bytes = new byte[1 + 7 * i];
            bytes[0] = (byte) (i + 1);
            bytes[bytes.length - 1] = 1;
            last = Place.of(bytes);
            rules.add(rule(i, 1, i + 1).at(last));
        }
        feed(snapshot("h", 1, rules.toArray(Rule[]::new)));
        assertEquals(rules, book.ruleSet().rules());
    }
}
