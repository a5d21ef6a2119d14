package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A transaction as a log keeps it: its messages, with the time from which it is in force written
 * into its BEGIN, since the time of its COMMIT's record is not among them.
 *
 * @param bytes of heap that it takes
 * @param unservable whether it is known that nothing can serve the version
 */
record LoggedTransaction(
        String history,
        long version,
        Kind kind,
        long effectiveTimeNs,
        List<byte[]> messages,
        long bytes,
        boolean unservable) {
    /** Bytes of heap of a transaction beside its messages, about: itself, its list, a text. */
    private static final int HEAD_BYTES = 192;

    /** Bytes of heap of a message beside its own. */
    private static final int MESSAGE_HEAD_BYTES = 24;

    /** A transaction that was taken. */
    static LoggedTransaction of(RuleTransaction taken, long effectiveTimeNs)
            throws MalformedMessageException {
        List<byte[]> messages = new ArrayList<>(taken.messages());
        RuleChange begin = RuleChange.decode(messages.get(0));
        messages.set(0, begin.effectiveFrom(effectiveTimeNs).encode());
        return of(begin, effectiveTimeNs, messages, false);
    }

    /** Messages of a checkpoint. */
    static LoggedTransaction of(List<byte[]> messages, boolean unservable)
            throws MalformedMessageException {
        RuleChange begin = RuleChange.decode(messages.get(0));
        Long timeNs = begin.effectiveTimeNs();
        return of(begin, timeNs == null ? EffectiveTimes.NONE : timeNs, messages, unservable);
    }

    private static LoggedTransaction of(
            RuleChange begin, long effectiveTimeNs, List<byte[]> messages, boolean unservable) {
        long bytes = HEAD_BYTES;
        for (byte[] message : messages) {
            bytes += MESSAGE_HEAD_BYTES + message.length;
        }
        return new LoggedTransaction(
                begin.history(),
                begin.version(),
                begin.kind(),
                effectiveTimeNs,
                messages,
                bytes,
                unservable);
    }

    /** The transaction, of which it is known now whether something can serve the version. */
    LoggedTransaction servable(boolean can) {
        return new LoggedTransaction(
                history, version, kind, effectiveTimeNs, messages, bytes, !can);
    }

    /** A transaction that brings the rules of the version whole. */
    LoggedTransaction snapshot(RuleSet rules) {
        RuleChange begin =
                RuleChange.begin(
                        UUID.randomUUID().toString(),
                        history,
                        version,
                        null,
                        effectiveTimeNs,
                        Kind.SNAPSHOT,
                        rules.name(),
                        rules.defaultAction());
        List<byte[]> whole = RuleSetMessages.snapshot(begin, rules.rules());
        return of(begin, effectiveTimeNs, whole, false);
    }

    boolean is(String otherHistory, long otherVersion) {
        return version == otherVersion && history.equals(otherHistory);
    }
}
