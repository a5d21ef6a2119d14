package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import dev.sluice.schemas.codec.RuleChange.ShiftRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A transaction whose COMMIT has not come: what its chunks come to so far. Not thread-safe. */
final class OpenTransaction {
    private final RuleChange begin;
    private final List<byte[]> messages = new ArrayList<>();
    private final Map<Long, Rule> puts = new LinkedHashMap<>();
    private final Set<Long> removes = new LinkedHashSet<>();
    private final List<LineShift> shifts = new ArrayList<>();
    private int chunks;

    OpenTransaction(RuleChange begin, byte[] message) {
        this.begin = begin;
        messages.add(message);
    }

    RuleChange begin() {
        return begin;
    }

    String id() {
        return begin.transaction();
    }

    /** The messages so far. */
    List<byte[]> messages() {
        return messages;
    }

    /**
     * Takes a chunk; one that was taken before changes nothing.
     *
     * @throws MalformedMessageException if chunks before it are missing, or it holds what cannot be
     */
    void add(RuleChange change, byte[] message) throws MalformedMessageException {
        if (change.chunk() < chunks) {
            return; // its publisher sent it twice, or the topic is read again
        }
        if (change.chunk() > chunks) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_CHUNK_MISSING,
                    "chunk %d of version %d follows chunk %d"
                            .formatted(change.chunk(), change.version(), chunks - 1));
        }
        for (Long id : change.removes()) {
            puts.remove(id);
            removes.add(id);
        }
        for (RuleRecord put : change.puts()) {
            puts.put(put.id(), RuleRecords.toRule(put));
        }
        for (ShiftRecord shift : change.shifts()) {
            int last = shifts.isEmpty() ? 0 : shifts.get(shifts.size() - 1).from();
            if (shift.from() <= last) {
                throw new MalformedMessageException(
                        DeadLetterReason.RULES_LINE_SHIFTS,
                        "version %d shifts lines from %d on after those from %d on"
                                .formatted(change.version(), shift.from(), last));
            }
            shifts.add(new LineShift(shift.from(), shift.by()));
        }
        messages.add(message);
        chunks++;
    }

    /**
     * The whole transaction.
     *
     * @throws MalformedMessageException if chunks are missing
     */
    RuleTransaction commit(RuleChange commit, byte[] message, long timeNs)
            throws MalformedMessageException {
        if (commit.chunk() != chunks) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_CHUNK_MISSING,
                    "version %d commits %d chunks, %d have come"
                            .formatted(commit.version(), commit.chunk(), chunks));
        }
        messages.add(message);
        return new RuleTransaction(
                begin.transaction(),
                begin.history(),
                begin.version(),
                begin.base(),
                begin.kind(),
                begin.ruleSet(),
                begin.defaultAction(),
                begin.effectiveTimeNs(),
                List.copyOf(puts.values()),
                List.copyOf(removes),
                shifts,
                timeNs,
                messages);
    }
}
