package dev.sluice.job.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.internal.CheckpointTransaction;
import org.apache.flink.connector.kafka.sink.internal.TransactionOwnership;
import org.junit.jupiter.api.Test;

/** Which of the open transactions a subtask ends at its start. */
class LeftTransactionsTest {
    /** Of subtasks 0 to 2, with numbers before and behind checkpoint 10; and what is not ours. */
    private static final Set<String> OPEN =
            Set.of(
                    "a-verdicts-0-9",
                    "a-verdicts-0-11",
                    "a-verdicts-1-8",
                    "a-verdicts-1-9",
                    "a-verdicts-1-12",
                    "a-verdicts-2-7",
                    "a-verdicts-2-11",
                    "ba-verdicts-0-11",
                    "a-verdicts-of-another-0-11",
                    "a-statistics-0-11",
                    "another");

    private static KafkaWriterState state(int subtask, String... toCommit) {
        return new KafkaWriterState(
                "a-verdicts",
                subtask,
                3,
                TransactionOwnership.IMPLICIT_BY_SUBTASK_ID,
                List.of(toCommit).stream().map(id -> new CheckpointTransaction(id, 10)).toList());
    }

    private static Set<String> left(int checkpoint, int subtask, int of, KafkaWriterState... with) {
        return new TreeSet<>(
                new LeftTransactions("a-verdicts", checkpoint, subtask, of, List.of(with))
                        .among(OPEN));
    }

    @Test
    void aJobWithoutACheckpointEndsAllEachSubtaskItsOwn() {
        assertEquals(
                Set.of("a-verdicts-0-9", "a-verdicts-0-11", "a-verdicts-2-7", "a-verdicts-2-11"),
                left(0, 0, 2));
        assertEquals(Set.of("a-verdicts-1-8", "a-verdicts-1-9", "a-verdicts-1-12"), left(0, 1, 2));
    }

    @Test
    void behindACheckpointWhatItIsToCommitStays() {
        assertEquals(
                Set.of("a-verdicts-1-8", "a-verdicts-1-12"),
                left(10, 1, 3, state(1, "a-verdicts-1-9")));
    }

    /** Subtask 1 of two has the state of 2, whose ids behind the checkpoint are the matter of 0. */
    @Test
    void afterARescaleTheStateDecidesForIdsBeforeTheCheckpoint() {
        assertEquals(Set.of("a-verdicts-1-12"), left(10, 1, 2, state(2, "a-verdicts-2-7")));
        assertEquals(Set.of("a-verdicts-1-12", "a-verdicts-2-7"), left(10, 1, 2, state(2)));
        assertEquals(
                Set.of("a-verdicts-0-11", "a-verdicts-2-11", "a-verdicts-1-8"),
                left(10, 0, 2, state(0, "a-verdicts-0-9"), state(1, "a-verdicts-1-9")));
    }

    /** A subtask that had ended has no state, and its last transaction may wait for its commit. */
    @Test
    void withoutAStateNothingBeforeTheCheckpointIsEnded() {
        assertEquals(Set.of("a-verdicts-0-11", "a-verdicts-2-11"), left(10, 0, 2));
    }
}
