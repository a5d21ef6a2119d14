package dev.sluice.operators.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows the messages of the rules topic and makes a rule set of every committed transaction.
 *
 * <p>A transaction is applied whole at its COMMIT or dropped with its reason: when another BEGIN
 * comes first (its publisher died), when chunks are missing, when a rule is malformed. Transactions
 * of a version that is already in force are passed over, so that messages may be read twice.
 * Memory: the rules in force and one open transaction. Not thread-safe.
 */
public final class RuleTransactions {
    /** Rules in force by id, in the order in which they were added. */
    private Map<Long, Rule> rules = new LinkedHashMap<>();

    private long version = Long.MIN_VALUE;
    private @Nullable RuleChange lastBegin;

    private @Nullable RuleChange open;
    private final List<byte[]> openMessages = new ArrayList<>();
    private final List<RuleChange> openChanges = new ArrayList<>();
    private @Nullable RuleSet current;

    /**
     * Takes a message.
     *
     * @return the rule set that it put in force, or null if it did not commit one
     * @throws MalformedMessageException with the reason why a transaction or message is dropped;
     *     the rules in force stay as they were
     */
    public @Nullable RuleSet accept(byte[] message) throws MalformedMessageException {
        RuleChange change = RuleChange.decode(message);
        return switch (change.phase()) {
            case BEGIN -> begin(change, message);
            case CHANGES -> changes(change, message);
            case COMMIT -> commit(change);
            case HEARTBEAT, UNKNOWN -> null;
        };
    }

    private @Nullable RuleSet begin(RuleChange change, byte[] message)
            throws MalformedMessageException {
        RuleChange unfinished = open;
        drop();
        if (change.version() > version) {
            open = change;
            openMessages.add(message);
        }
        if (unfinished != null && !unfinished.transaction().equals(change.transaction())) {
            throw new MalformedMessageException(
                    "rules: unfinished transaction",
                    "version %d of '%s' was begun, but not committed before the next BEGIN"
                            .formatted(unfinished.version(), unfinished.ruleSet()));
        }
        return null;
    }

    private @Nullable RuleSet changes(RuleChange change, byte[] message)
            throws MalformedMessageException {
        if (open == null || !open.transaction().equals(change.transaction())) {
            return null; // of a transaction that was dropped, or that is in force already
        }
        if (change.chunk() < openChanges.size()) {
            return null; // a chunk that its publisher sent twice
        }
        if (change.chunk() > openChanges.size()) {
            drop();
            throw new MalformedMessageException(
                    "rules: chunk missing",
                    "chunk %d of version %d follows chunk %d"
                            .formatted(change.chunk(), change.version(), openChanges.size() - 1));
        }
        openChanges.add(change);
        openMessages.add(message);
        return null;
    }

    private @Nullable RuleSet commit(RuleChange change) throws MalformedMessageException {
        RuleChange begin = open;
        if (begin == null || !begin.transaction().equals(change.transaction())) {
            return null;
        }
        try {
            if (change.chunk() != openChanges.size()) {
                throw new MalformedMessageException(
                        "rules: chunk missing",
                        "version %d commits %d chunks, %d have come"
                                .formatted(change.version(), change.chunk(), openChanges.size()));
            }
            boolean delta = begin.kind() == Kind.DELTA;
            if (delta && current == null) {
                throw new MalformedMessageException(
                        "rules: delta without a snapshot",
                        "version " + change.version() + " changes no rule set");
            }
            Map<Long, Rule> next = delta ? new LinkedHashMap<>(rules) : new LinkedHashMap<>();
            for (RuleChange part : openChanges) {
                for (Long id : part.removes()) {
                    next.remove(id);
                }
                for (RuleRecord put : part.puts()) {
                    // A rule that is replaced keeps its place in the order of age: the map does.
                    next.put(put.id(), RuleRecords.toRule(put));
                }
            }
            rules = next;
        } finally {
            drop();
        }
        version = begin.version();
        lastBegin = begin;
        RuleSet made =
                RuleSet.of(
                        begin.ruleSet(),
                        version,
                        begin.defaultAction(),
                        new ArrayList<>(rules.values()));
        current = made;
        return made;
    }

    private void drop() {
        open = null;
        openMessages.clear();
        openChanges.clear();
    }

    /** The rule set in force, or null before the first. */
    public @Nullable RuleSet current() {
        return current;
    }

    /** Messages of the transaction that is open, for a checkpoint. */
    public List<byte[]> openMessages() {
        return List.copyOf(openMessages);
    }

    /** Messages that bring another instance to the rules in force, for a checkpoint. */
    public List<byte[]> committedMessages() {
        RuleChange begin = lastBegin;
        if (begin == null) {
            return List.of();
        }
        RuleChange snapshot =
                RuleChange.begin(
                        begin.transaction(),
                        begin.version(),
                        begin.effectiveTimeNs(),
                        Kind.SNAPSHOT,
                        begin.ruleSet(),
                        begin.defaultAction());
        return RuleSetMessages.snapshot(snapshot, rules.values());
    }
}
