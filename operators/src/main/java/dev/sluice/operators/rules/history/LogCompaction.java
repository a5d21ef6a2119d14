package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that is to take the place of some transactions in a row of a {@link RuleLog}. It takes
 * O(rules and changes) to make, so that a thread of its own may do it while the log goes on: {@link
 * #run}, then {@link RuleLog#compacted}.
 */
public final class LogCompaction {
    private final LoggedTransaction first;
    private final LoggedTransaction last;
    private final List<LoggedTransaction> transactions;
    private @Nullable RuleSet content;
    private @Nullable LoggedTransaction snapshot;

    /**
     * A snapshot to be made.
     *
     * @param first the first transaction of those whose place it takes
     * @param last the last of them
     * @param transactions those that make its rules, a snapshot first; not to be changed any more
     * @param content its rules where they are known; the transactions are not read then
     */
    LogCompaction(
            LoggedTransaction first,
            LoggedTransaction last,
            List<LoggedTransaction> transactions,
            @Nullable RuleSet content) {
        this.first = first;
        this.last = last;
        this.transactions = transactions;
        this.content = content;
    }

    /** Makes the snapshot; once, by any thread. */
    public void run() {
        RuleSet known = content;
        RuleSet all = known == null ? rules(transactions) : known;
        RuleChange begin =
                RuleChange.begin(
                        UUID.randomUUID().toString(),
                        last.history(),
                        last.version(),
                        null,
                        last.effectiveTimeNs(),
                        Kind.SNAPSHOT,
                        all.name(),
                        all.defaultAction());
        try {
            snapshot = LoggedTransaction.of(RuleSetMessages.snapshot(begin, all.rules()), false);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("a snapshot cannot be read that was just written", e);
        }
        content = null;
    }

    /** The rules after some transactions, of which the first is a snapshot. */
    static RuleSet rules(List<LoggedTransaction> transactions) {
        return replayed(transactions).newest();
    }

    static RuleBook replayed(List<LoggedTransaction> transactions) {
        return TopicFollower.replayed(
                transactions.stream().map(LoggedTransaction::messages).toList());
    }

    LoggedTransaction first() {
        return first;
    }

    LoggedTransaction last() {
        return last;
    }

    LoggedTransaction snapshot() {
        LoggedTransaction made = snapshot;
        if (made == null) {
            throw new IllegalStateException("the snapshot was not made");
        }
        return made;
    }
}
