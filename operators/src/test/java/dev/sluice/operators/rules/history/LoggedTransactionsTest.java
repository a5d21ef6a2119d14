package dev.sluice.operators.rules.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Views of a log stay as they are. */
class LoggedTransactionsTest {
    private static LoggedTransaction transaction(long version) {
        return new LoggedTransaction(
                "h", version, Kind.DELTA, 0, List.of(new byte[(int) version]), version, false);
    }

    @Test
    void viewsStayWhatTheyWereWhateverHappensToTheLog() {
        Random random = TestSeed.random(91);
        LoggedTransactions log = new LoggedTransactions();
        List<LoggedTransaction> expected = new ArrayList<>();
        List<List<LoggedTransaction>> views = new ArrayList<>();
        List<List<LoggedTransaction>> copies = new ArrayList<>();
        for (int step = 1; step <= 400; step++) {
            int size = expected.size();
            int kind = size == 0 ? 9 : random.nextInt(10);
            if (kind == 0) {
                int from = random.nextInt(size);
                int end = from + random.nextInt(size - from + 1);
                List<LoggedTransaction> others =
                        random.nextBoolean() ? List.of() : List.of(transaction(step));
                log.replace(from, end, others);
                expected.subList(from, end).clear();
                expected.addAll(from, others);
            } else if (kind == 1) {
                int at = random.nextInt(size);
                log.set(at, log.get(at).servable(false));
                expected.set(at, expected.get(at).servable(false));
            } else {
                log.add(transaction(step));
                expected.add(transaction(step));
            }
            assertEquals(expected.size(), log.size());
            assertEquals(expected.stream().mapToLong(LoggedTransaction::bytes).sum(), log.bytes());
            views.add(log.view());
            copies.add(List.copyOf(log.view()));
            assertEquals(versions(expected), versions(log.view()));
        }
        for (int i = 0; i < views.size(); i++) {
            assertEquals(copies.get(i), views.get(i));
        }
        assertTrue(log.size() > 1);
        assertThrows(IndexOutOfBoundsException.class, () -> log.view().get(log.size()));
    }

    private static List<String> versions(List<LoggedTransaction> log) {
        return log.stream().map(one -> one.version() + (one.unservable() ? "!" : "")).toList();
    }
}
