package dev.sluice.operators.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import java.util.ArrayList;
import java.util.List;

/** Cuts a snapshot of rules into messages that stay well under Kafka's message limit. */
public final class RuleSetMessages {
    /** Bytes from which on a message takes no more rules; Kafka's default limit is 1 MiB. */
    private static final int MESSAGE_BYTES = 400_000;

    private RuleSetMessages() {}

    /**
     * The messages of a transaction that replaces all rules: its BEGIN, CHANGES in chunks, its
     * COMMIT.
     *
     * @param begin the BEGIN of the transaction
     * @param byAge rules in the order in which they were added
     */
    public static List<byte[]> snapshot(RuleChange begin, Iterable<Rule> byAge) {
        List<byte[]> messages = new ArrayList<>();
        messages.add(begin.encode());
        List<RuleRecord> chunk = new ArrayList<>();
        int bytes = 0;
        int chunks = 0;
        for (Rule rule : byAge) {
            RuleRecord put = RuleRecords.of(rule);
            int size = 40 + 5 * put.words().length + 3 * rule.action().length();
            if (bytes + size > MESSAGE_BYTES && !chunk.isEmpty()) {
                messages.add(RuleChange.changes(begin, chunks++, chunk, List.of()).encode());
                chunk = new ArrayList<>();
                bytes = 0;
            }
            chunk.add(put);
            bytes += size;
        }
        if (!chunk.isEmpty()) {
            messages.add(RuleChange.changes(begin, chunks++, chunk, List.of()).encode());
        }
        messages.add(RuleChange.commit(begin, chunks).encode());
        return messages;
    }
}
