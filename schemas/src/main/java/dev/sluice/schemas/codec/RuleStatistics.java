package dev.sluice.schemas.codec;

import java.nio.charset.StandardCharsets;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Hits of one rule, in all or in one window of time. Cumulative: of the messages with one {@link
 * #key}, the last counts.
 *
 * @param history id of the rule history that the versions are numbers of; empty: none is known
 * @param ruleId stable id of the rule; null: packets that no rule matched
 * @param windowNs length of the window in ns; 0: everything that was counted
 * @param windowStartNs start of the window in ns since 1970 UTC, or {@link Column#NO_TIME}: no
 *     window, or packets of no known time
 * @param part 0, or a higher number for packets of a window that came after its count was let go; a
 *     window's packets and bytes are the sums over its parts
 * @param packets packets whose verdict was the rule
 * @param bytes their lengths on the wire, summed up
 * @param firstNs smallest time of a packet, or {@link Column#NO_TIME} where none has a time
 * @param lastNs largest time of a packet, or {@link Column#NO_TIME} where none has a time
 * @param fromVersion lowest rule-set version that gave one of the verdicts
 * @param toVersion highest rule-set version that gave one of the verdicts
 */
public record RuleStatistics(
        String history,
        @Nullable Long ruleId,
        long windowNs,
        long windowStartNs,
        long part,
        long packets,
        long bytes,
        long firstNs,
        long lastNs,
        long fromVersion,
        long toVersion) {
    private static final long FINGERPRINT = MessageSchemas.currentFingerprint("RuleStatistics");

    /** Stands in a key for a rule id or a time that there is not. */
    private static final String NONE = "none";

    /**
     * The Kafka key: history and rule id, {@code HISTORY/ID}, and for a window its length, start
     * and part, {@code HISTORY/ID/NS/NS/PART}. Text, so that it stays the same when the schema of
     * the values changes: Kafka's compaction compares keys byte by byte.
     */
    public byte[] key() {
        StringBuilder key = new StringBuilder(history).append('/');
        key.append(ruleId == null ? NONE : ruleId.toString());
        if (windowNs != 0) {
            key.append('/').append(windowNs).append('/');
            key.append(windowStartNs == Column.NO_TIME ? NONE : String.valueOf(windowStartNs));
            key.append('/').append(part);
        }
        return key.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The message, as Avro's own writer has it. A job writes one for each rule that was hit, all of
     * them at its checkpoint.
     */
    public byte[] encode() {
        return WireWriter.message(
                FINGERPRINT,
                to -> {
                    to.text(history);
                    optional(to, ruleId != null, ruleId == null ? 0 : ruleId);
                    to.number(windowNs);
                    time(to, windowStartNs);
                    to.number(part);
                    to.number(packets);
                    to.number(bytes);
                    time(to, firstNs);
                    time(to, lastNs);
                    to.number(fromVersion);
                    to.number(toVersion);
                });
    }

    private static void time(WireWriter to, long time) {
        optional(to, time != Column.NO_TIME, time);
    }

    /** Bytes of a union of null and long: the number of the branch, then the value. */
    private static void optional(WireWriter to, boolean given, long value) {
        to.number(given ? 1 : 0);
        if (given) {
            to.number(value);
        }
    }

    /**
     * The statistics in a message.
     *
     * @throws MalformedMessageException if it is none
     */
    public static RuleStatistics decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "RuleStatistics"));
    }

    /** The statistics in a decoded message. */
    public static RuleStatistics of(GenericRecord r) {
        return new RuleStatistics(
                r.get("history").toString(),
                (Long) r.get("ruleId"),
                (Long) r.get("windowNs"),
                orNoTime(r.get("windowStartNs")),
                (Long) r.get("part"),
                (Long) r.get("packets"),
                (Long) r.get("bytes"),
                orNoTime(r.get("firstNs")),
                orNoTime(r.get("lastNs")),
                (Long) r.get("fromVersion"),
                (Long) r.get("toVersion"));
    }

    private static long orNoTime(@Nullable Object time) {
        return time == null ? Column.NO_TIME : (Long) time;
    }
}
