package dev.sluice.schemas.codec;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * One self-contained verdict.
 *
 * @param capture name of the capture
 * @param captureIndex position of the capture in its export
 * @param packet packet number, from 1
 * @param timeNs ns since 1970 UTC, or {@link Column#NO_TIME}
 * @param ruleId stable id of the rule; null: none matched
 * @param line 1-based line of the rule in its file; null: none
 * @param priority priority of the rule; null: none
 * @param action the rule's action, or the default action
 * @param version rule-set version
 */
public record Verdict(
        String capture,
        int captureIndex,
        long packet,
        long timeNs,
        @Nullable Long ruleId,
        @Nullable Integer line,
        @Nullable Integer priority,
        String action,
        long version) {
    private static final Schema SCHEMA = MessageSchemas.current("Verdict");

    /** The message of this verdict. */
    public byte[] encode() {
        GenericRecord r = new GenericData.Record(SCHEMA);
        r.put("capture", capture);
        r.put("captureIndex", captureIndex);
        r.put("packet", packet);
        r.put("timeNs", timeNs == Column.NO_TIME ? null : timeNs);
        r.put("ruleId", ruleId);
        r.put("line", line);
        r.put("priority", priority);
        r.put("action", action);
        r.put("version", version);
        return MessageCodec.encode(r);
    }

    /** The verdict in a message. */
    public static Verdict decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "Verdict"));
    }

    /** The verdict in a decoded message. */
    public static Verdict of(GenericRecord r) {
        Object time = r.get("timeNs");
        return new Verdict(
                r.get("capture").toString(),
                (Integer) r.get("captureIndex"),
                (Long) r.get("packet"),
                time == null ? Column.NO_TIME : (Long) time,
                (Long) r.get("ruleId"),
                (Integer) r.get("line"),
                (Integer) r.get("priority"),
                r.get("action").toString(),
                (Long) r.get("version"));
    }
}
