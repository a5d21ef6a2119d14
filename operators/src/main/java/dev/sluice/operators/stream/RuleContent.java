package dev.sluice.operators.stream;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the history says the rules are, and the messages that say it, for checkpoints. Not
 * thread-safe.
 */
final class RuleContent {
    private final RuleTransactions transactions = new RuleTransactions();
    private long serial;

    /**
     * Takes a message of the rules topic.
     *
     * @param index number of the message in the broadcast; 0 if it did not come by it
     * @return the step that it committed; null if it committed none
     * @throws MalformedMessageException with the reason why a transaction or message is dropped;
     *     the content stays as it was
     */
    @Nullable ContentStep accept(byte[] message, long index) throws MalformedMessageException {
        RuleSet next = transactions.accept(message);
        if (next == null) {
            return null;
        }
        return new ContentStep(++serial, index, "", next.version(), next.defaultAction(), null);
    }

    /** Whether the history has said nothing complete so far. */
    boolean isEmpty() {
        return transactions.current() == null;
    }

    /** Number of the newest version; -1 before the first. */
    long version() {
        RuleSet current = transactions.current();
        return current == null ? -1 : current.version();
    }

    /** Histories that took the place of another. */
    int newHistories() {
        return 0;
    }

    /** The newest version. It must not be empty. */
    RuleSet ruleSet() {
        RuleSet current = transactions.current();
        if (current == null) {
            throw new IllegalStateException("the rule history has no version");
        }
        return current;
    }

    /** An older version; null if the messages reach back no further. */
    @Nullable RuleSet ruleSet(ContentStep step) {
        return null;
    }

    /** A version is in force that was built: later checkpoints may begin with it. */
    void built(ContentStep step) {}

    /** Messages that bring another instance to where this one is. */
    List<byte[]> messages() {
        List<byte[]> messages = new ArrayList<>(transactions.committedMessages());
        messages.addAll(transactions.openMessages());
        return messages;
    }
}
