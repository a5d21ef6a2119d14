package dev.sluice.operators.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTransactionsTest {
    private static Rule rule(long id, int priority, int port) {
        return new Rule(
                id,
                priority,
                new Match.Builder().ports(Field.DST_PORT, port, port + 2).build(),
                "a" + id,
                (int) id);
    }

    private static List<byte[]> snapshot(long version, Rule... rules) {
        RuleChange begin =
                RuleChange.begin("t" + version, version, null, Kind.SNAPSHOT, "set", "drop");
        return RuleSetMessages.snapshot(begin, List.of(rules));
    }

    private static RuleSet feed(RuleTransactions transactions, List<byte[]> messages)
            throws Exception {
        RuleSet made = null;
        for (byte[] message : messages) {
            RuleSet next = transactions.accept(message);
            made = next == null ? made : next;
        }
        return made;
    }

    @Test
    void aSnapshotTakesEffectAtItsCommitAndNoSooner() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        List<byte[]> messages = snapshot(1, rule(1, 5, 80), rule(2, 9, 443));
        for (byte[] message : messages.subList(0, messages.size() - 1)) {
            assertNull(transactions.accept(message));
            assertNull(transactions.current());
        }
        RuleSet made = transactions.accept(messages.get(messages.size() - 1));
        assertEquals(List.of(2L, 1L), made.rules().stream().map(Rule::id).toList());
    }

    @Test
    void aPublisherThatDiesLeavesTheRulesAsTheyWere() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        feed(transactions, snapshot(1, rule(1, 5, 80)));
        List<byte[]> unfinished = snapshot(2, rule(7, 1, 1));
        feed(transactions, unfinished.subList(0, unfinished.size() - 1));
        List<byte[]> third = snapshot(3, rule(3, 5, 22));
        assertThrows(MalformedMessageException.class, () -> transactions.accept(third.get(0)));
        assertEquals(1, transactions.current().version());
        RuleSet made = feed(transactions, third.subList(1, third.size()));
        assertEquals(3, made.version());
        // The late COMMIT of the dead one changes nothing.
        assertNull(transactions.accept(unfinished.get(unfinished.size() - 1)));
        assertEquals(3, transactions.current().version());
    }

    @Test
    void chunksThatAreMissingRefuseTheTransaction() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        RuleChange begin = RuleChange.begin("t", 1, null, Kind.SNAPSHOT, "set", "drop");
        transactions.accept(begin.encode());
        transactions.accept(
                RuleChange.changes(begin, 0, List.of(RuleRecords.of(rule(1, 1, 1))), List.of())
                        .encode());
        MalformedMessageException e =
                assertThrows(
                        MalformedMessageException.class,
                        () -> transactions.accept(RuleChange.commit(begin, 2).encode()));
        assertEquals("rules: chunk missing", e.reason());
        assertNull(transactions.current());
        transactions.accept(begin.encode());
        assertThrows(
                MalformedMessageException.class,
                () ->
                        transactions.accept(
                                RuleChange.changes(begin, 1, List.of(), List.of()).encode()));
    }

    @Test
    void aDeltaRemovesAndPutsAndKeepsAges() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        feed(transactions, snapshot(1, rule(1, 5, 80), rule(2, 5, 443), rule(3, 5, 22)));
        RuleChange begin = RuleChange.begin("d", 2, null, Kind.DELTA, "set", "drop");
        transactions.accept(begin.encode());
        Rule changed = new Rule(1, 5, rule(1, 5, 8080).match(), "changed", 1);
        transactions.accept(
                RuleChange.changes(
                                begin,
                                0,
                                List.of(RuleRecords.of(changed), RuleRecords.of(rule(4, 5, 25))),
                                List.of(2L))
                        .encode());
        RuleSet made = transactions.accept(RuleChange.commit(begin, 1).encode());
        assertEquals(List.of(1L, 3L, 4L), made.rules().stream().map(Rule::id).toList());
        assertEquals("changed", made.rules().get(0).action());
    }

    @Test
    void messagesMayBeReadTwice() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        List<byte[]> first = snapshot(1, rule(1, 5, 80));
        assertNotNull(feed(transactions, first));
        assertNull(feed(transactions, first));
        assertEquals(1, transactions.current().version());
    }

    @Test
    void committedMessagesBringAnotherInstanceToTheSameRules() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            rules.add(rule(i, i % 100, i % 60_000));
        }
        RuleTransactions transactions = new RuleTransactions();
        List<byte[]> messages = snapshot(4, rules.toArray(Rule[]::new));
        assertTrue(messages.size() > 4, "a big set travels in several chunks");
        for (byte[] message : messages) {
            assertTrue(message.length < 1_000_000, "a message of " + message.length + " bytes");
        }
        feed(transactions, messages);
        RuleTransactions other = new RuleTransactions();
        feed(other, transactions.committedMessages());
        assertEquals(transactions.current().rules(), other.current().rules());
        assertEquals(4, other.current().version());
    }

    @Test
    void aRuleThatCannotBeRefusesItsTransaction() throws Exception {
        RuleTransactions transactions = new RuleTransactions();
        RuleChange begin = RuleChange.begin("t", 1, null, Kind.SNAPSHOT, "set", "drop");
        RuleChange.RuleRecord bad =
                new RuleChange.RuleRecord(
                        1, 1, 1, "a", new int[] {77, 0, 0}, null, null, new byte[0], "");
        transactions.accept(begin.encode());
        transactions.accept(RuleChange.changes(begin, 0, List.of(bad), List.of()).encode());
        assertThrows(
                MalformedMessageException.class,
                () -> transactions.accept(RuleChange.commit(begin, 1).encode()));
        assertNull(transactions.current());
    }
}
