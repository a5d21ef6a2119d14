package dev.sluice.operators.rules.topic;

import static dev.sluice.operators.rules.topic.Topic.all;
import static dev.sluice.operators.rules.topic.Topic.assembled;
import static dev.sluice.operators.rules.topic.Topic.beginDelta;
import static dev.sluice.operators.rules.topic.Topic.beginSnapshot;
import static dev.sluice.operators.rules.topic.Topic.delta;
import static dev.sluice.operators.rules.topic.Topic.rule;
import static dev.sluice.operators.rules.topic.Topic.snapshot;
import static dev.sluice.operators.rules.topic.Topic.withoutCommit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.ShiftRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicFollowerTest {
    private final TopicFollower follower = new TopicFollower();

    private List<RuleTransaction> feed(List<byte[]> messages) throws Exception {
        List<RuleTransaction> whole = new ArrayList<>();
        for (byte[] message : messages) {
            RuleTransaction one = assembled(follower, message);
            if (one != null) {
                whole.add(one);
            }
        }
        return whole;
    }

    private void assertRefused(String reason, byte[] message) {
        MalformedMessageException e =
                assertThrows(MalformedMessageException.class, () -> assembled(follower, message));
        assertEquals(reason, e.reason());
    }

    private static byte[] last(List<byte[]> messages) {
        return messages.get(messages.size() - 1);
    }

    @Test
    void aTransactionIsHandedOnWholeAtItsCommitAndNoSooner() throws Exception {
        List<byte[]> messages = snapshot("h", 1, rule(1, 5, 80), rule(2, 9, 443));
        assertEquals(List.of(), feed(withoutCommit(messages)));
        RuleTransaction whole = assembled(follower, last(messages), 77);
        assertEquals(List.of(rule(1, 5, 80), rule(2, 9, 443)), whole.puts());
        assertEquals("h", whole.history());
        assertEquals(77, whole.commitTimeNs());
        assertEquals(messages, whole.messages());
    }

    @Test
    void aDeltaCarriesWhatItRemovesPutsAndShifts() throws Exception {
        RuleDelta delta =
                new RuleDelta(
                        List.of(4L, 5L),
                        List.of(rule(1, 5, 80, 3)),
                        List.of(new LineShift(2, 1), new LineShift(9, -3)));
        RuleTransaction whole = feed(delta("h", 7, 6, delta)).get(0);
        assertEquals(6L, whole.base());
        assertEquals(delta, new RuleDelta(whole.removes(), whole.puts(), whole.shifts()));
    }

    @Test
    void aPublisherThatDiesIsToldOfAndTheNextOneGoesOn() throws Exception {
        feed(snapshot("h", 1, rule(1, 5, 80)));
        List<byte[]> unfinished = snapshot("h", 2, rule(7, 1, 1));
        feed(withoutCommit(unfinished));
        List<byte[]> third = snapshot("h", 3, rule(3, 5, 22));
        assertRefused("rules: unfinished transaction", third.get(0));
        assertEquals(3, feed(third.subList(1, third.size())).get(0).version());
        // The late COMMIT of the dead one changes nothing.
        assertNull(assembled(follower, last(unfinished)));
    }

    /** A publisher that sends once more what was committed, or a topic that is read again. */
    @Test
    void whatIsRepeatedBehindAnUnfinishedTransactionDoesNotHideIt() throws Exception {
        List<byte[]> first = snapshot("h", 1, rule(1, 5, 80));
        feed(first);
        feed(withoutCommit(snapshot("h", 2, rule(7, 1, 1))));
        feed(all(first, first.subList(0, 2)));
        assertTrue(follower.isOpen(RuleChange.decode(snapshot("h", 2).get(0)).transaction()));
        List<byte[]> third = snapshot("h", 3, rule(3, 5, 22));
        assertRefused("rules: unfinished transaction", third.get(0));
        assertEquals(3, feed(third.subList(1, third.size())).get(0).version());
        feed(snapshot("h", 4)); // nothing is refused twice
    }

    @Test
    void theRestOfATransactionMayComeBehindWhatIsRepeated() throws Exception {
        List<byte[]> first = snapshot("h", 1, rule(1, 5, 80));
        List<byte[]> second = snapshot("h", 2, rule(7, 1, 1), rule(8, 1, 2));
        feed(first);
        feed(withoutCommit(second));
        feed(first);
        RuleTransaction whole = assembled(follower, last(second));
        assertEquals(2, whole.version());
        assertEquals(2, whole.puts().size());
    }

    @Test
    void chunksThatAreMissingRefuseTheTransaction() throws Exception {
        RuleChange begin = beginSnapshot("h", 1);
        assembled(follower, begin.encode());
        assembled(
                follower,
                RuleChange.changes(begin, 0, List.of(RuleRecords.of(rule(1, 1, 1))), List.of())
                        .encode());
        assertRefused("rules: chunk missing", RuleChange.commit(begin, 2).encode());
        RuleChange next = beginSnapshot("h", 2);
        assembled(follower, next.encode());
        assertRefused(
                "rules: chunk missing", RuleChange.changes(next, 1, List.of(), List.of()).encode());
        assertNull(assembled(follower, RuleChange.commit(next, 2).encode()));
    }

    @Test
    void aChunkThatComesTwiceIsTakenOnce() throws Exception {
        List<byte[]> messages =
                delta("h", 2, 1, new RuleDelta(List.of(), List.of(), List.of(new LineShift(1, 1))));
        List<byte[]> twice = new ArrayList<>();
        messages.forEach(
                message -> {
                    twice.add(message);
                    twice.add(message);
                });
        List<RuleTransaction> whole = feed(twice.subList(0, twice.size() - 1));
        assertEquals(1, whole.size());
        assertEquals(List.of(new LineShift(1, 1)), whole.get(0).shifts());
    }

    @Test
    void aVersionOutOfRangeIsRefusedAndHistoryGoesOnWithASnapshot() throws Exception {
        RuleBook book = new RuleBook();
        TopicFollower ofBook = new TopicFollower(book);
        for (byte[] message : snapshot("h", 1, rule(1, 5, 80))) {
            RuleTransaction whole = assembled(ofBook, message);
            if (whole != null) {
                book.apply(whole);
            }
        }
        for (long version : new long[] {Long.MAX_VALUE, RuleTransaction.MAX_VERSION + 1, -1}) {
            List<byte[]> absurd = snapshot("h", version, rule(2, 5, 80));
            MalformedMessageException e =
                    assertThrows(
                            MalformedMessageException.class,
                            () -> assembled(ofBook, absurd.get(0)));
            assertEquals("rules: version out of range", e.reason());
            for (byte[] message : absurd) {
                assertNull(assembled(ofBook, message), "it is refused once");
            }
        }
        assertTrue(book.waitsForSnapshot());
        List<byte[]> next = snapshot("h", 2, rule(3, 5, 80));
        for (byte[] message : withoutCommit(next)) {
            assertNull(assembled(ofBook, message));
        }
        assertEquals(2, book.apply(assembled(ofBook, last(next))).number());
        List<byte[]> highest = snapshot("h", RuleTransaction.MAX_VERSION, rule(4, 5, 80));
        for (byte[] message : withoutCommit(highest)) {
            assertNull(assembled(ofBook, message));
        }
        assertEquals(
                RuleTransaction.MAX_VERSION, book.apply(assembled(ofBook, last(highest))).number());
    }

    @Test
    void aVersionOutOfRangeLeavesAnOpenTransactionOpen() throws Exception {
        List<byte[]> first = snapshot("h", 1, rule(1, 5, 80));
        feed(withoutCommit(first));
        assertRefused(
                "rules: version out of range",
                snapshot("h", Long.MAX_VALUE, rule(2, 5, 80)).get(0));
        assertEquals(1, assembled(follower, last(first)).version());
    }

    @Test
    void aVersionThatGoesBackIsRefused() throws Exception {
        feed(all(snapshot("h", 4), snapshot("h", 5), snapshot("h", 7)));
        for (long version : new long[] {5, 6, 7}) {
            RuleChange other =
                    RuleChange.begin(
                            "other" + version,
                            "h",
                            version,
                            null,
                            null,
                            RuleChange.Kind.SNAPSHOT,
                            "set",
                            "drop");
            assertRefused("rules: version goes back", other.encode());
            assertNull(assembled(follower, RuleChange.commit(other, 0).encode()));
        }
        assertEquals(8, feed(snapshot("h", 8)).get(0).version());
    }

    @Test
    void anotherHistoryBeginsWithItsOwnVersions() throws Exception {
        feed(snapshot("h", 40));
        assertEquals("g", feed(snapshot("g", 1)).get(0).history());
    }

    @Test
    void aCommitWhoseBeginWasLostIsRefused() throws Exception {
        feed(snapshot("h", 1));
        List<byte[]> second = snapshot("h", 2, rule(1, 1, 1));
        feed(second.subList(1, 2));
        assertRefused("rules: commit without its begin", second.get(2));
        assertNull(assembled(follower, second.get(2)));
    }

    @Test
    void messagesMayBeReadAgainFromAnyEarlierPoint() throws Exception {
        List<byte[]> open = snapshot("h", 9, rule(1, 1, 1), rule(2, 2, 2));
        List<byte[]> topic =
                all(snapshot("h", 5), snapshot("h", 6), delta("h", 7, 6, RuleDelta.remove(1L)));
        feed(topic);
        feed(withoutCommit(open));
        for (int from = 0; from < topic.size(); from++) {
            List<byte[]> again = new ArrayList<>(topic.subList(from, topic.size()));
            again.addAll(withoutCommit(open));
            feed(again); // throws if anything is refused
        }
        // From before everything that was seen, too.
        feed(all(snapshot("h", 2), snapshot("h", 3), topic));
        List<RuleTransaction> end = feed(open);
        assertEquals(9, end.get(end.size() - 1).version());
    }

    /** A bootstrap began at the newest snapshot; the broadcast begins at the start of the topic. */
    @Test
    void whatLiesBeforeABootstrapIsPassedOver() throws Exception {
        List<byte[]> old = all(snapshot("", 30), snapshot("before", 31));
        List<byte[]> topic = all(snapshot("h", 5), delta("h", 6, 5, RuleDelta.remove(1L)));
        List<byte[]> open = snapshot("h", 7, rule(1, 1, 1));
        feed(topic);
        feed(withoutCommit(open));
        follower.rewound();
        assertEquals(List.of(), feed(old));
        assertEquals(List.of(), feed(topic), "version 7 is open");
        assertEquals(7, feed(open).get(0).version());
    }

    @Test
    void aTopicThatIsMadeAnewBehindABootstrapIsNotPassedOver() throws Exception {
        for (byte[] message : snapshot("h", 5)) {
            assembled(follower, message, 1000);
        }
        follower.rewound();
        RuleTransaction whole = null;
        for (byte[] message : snapshot("new", 1)) {
            whole = assembled(follower, message, 1001);
        }
        assertEquals("new", whole.history());
    }

    @Test
    void aRuleThatCannotBeRefusesItsTransaction() throws Exception {
        byte[][] places = {{1}, {1}, {1, 0}};
        String[] reasons = {"rules: match words", "rules: port range", "rules: place"};
        for (int i = 0; i < places.length; i++) {
            RuleChange begin = beginSnapshot("h", 1 + i);
            RuleChange.RuleRecord bad =
                    new RuleChange.RuleRecord(
                            1,
                            1,
                            1,
                            "a",
                            i == 0 ? new int[] {77, 0, 0} : new int[0],
                            i == 1 ? 5 << 16 | 4 : null,
                            null,
                            places[i],
                            "");
            assembled(follower, begin.encode());
            assertRefused(
                    reasons[i], RuleChange.changes(begin, 0, List.of(bad), List.of()).encode());
            assertNull(assembled(follower, RuleChange.commit(begin, 1).encode()));
        }
    }

    @Test
    void shiftsThatDoNotAscendRefuseTheirTransaction() throws Exception {
        for (List<ShiftRecord> bad :
                List.of(
                        List.of(new ShiftRecord(0, 1)),
                        List.of(new ShiftRecord(5, 1), new ShiftRecord(5, 2)))) {
            RuleChange begin = beginDelta("h", 2 + bad.size(), 1);
            assembled(follower, begin.encode());
            assertRefused(
                    "rules: line shifts",
                    RuleChange.changes(begin, 0, List.of(), List.of(), bad).encode());
        }
    }

    @Test
    void aBigSetTravelsInMessagesThatAreReadInAMillisecond() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            rules.add(rule(i, i % 100, i % 60_000));
        }
        List<byte[]> messages = RuleSetMessages.snapshot(beginSnapshot("h", 4), rules);
        assertTrue(messages.size() > 4, "a big set travels in several chunks");
        for (byte[] message : messages) {
            assertTrue(message.length <= RuleSetMessages.MESSAGE_BYTES, message.length + " bytes");
        }
        assertTrue(
                messages.get(1).length > RuleSetMessages.MESSAGE_BYTES / 2,
                "chunks are not half empty: " + messages.get(1).length);
        assertEquals(rules, feed(messages).get(0).puts());
        List<Long> ids = rules.stream().map(Rule::id).toList();
        List<LineShift> shifts = ids.stream().map(i -> new LineShift((int) (i + 1), -1)).toList();
        RuleDelta delta = new RuleDelta(ids, rules, shifts);
        List<byte[]> deltaMessages = delta("h", 5, 4, delta);
        for (byte[] message : deltaMessages) {
            assertTrue(message.length <= RuleSetMessages.MESSAGE_BYTES, message.length + " bytes");
        }
        RuleTransaction whole = feed(deltaMessages).get(0);
        assertEquals(delta, new RuleDelta(whole.removes(), whole.puts(), whole.shifts()));
    }

    @Test
    void aRuleOfMoreTextThanAMessageHasOneOfItsOwn() throws Exception {
        Rule small = rule(1, 1, 1);
        Rule long1 =
                new Rule(
                        2,
                        1,
                        small.match(),
                        "a",
                        2,
                        small.place(),
                        "\u20ac".repeat(RuleSetMessages.MESSAGE_BYTES));
        List<byte[]> messages =
                RuleSetMessages.snapshot(beginSnapshot("h", 1), List.of(small, long1, small));
        assertEquals(5, messages.size());
    }
}
