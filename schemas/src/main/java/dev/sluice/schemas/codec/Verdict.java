package dev.sluice.schemas.codec;

import java.util.LinkedHashMap;
import java.util.Map;
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
 * @param history id of the rule history that {@code version} is a number of; empty: unknown
 * @param status how the verdict came about
 * @param fields fields of the packet, in the form of {@link PacketField}; one that is not there is
 *     one that the packet lacks, or that was not asked for
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
        long version,
        String history,
        VerdictStatus status,
        Map<PacketField, Object> fields) {
    private static final Schema SCHEMA = MessageSchemas.current("Verdict");
    private static final Schema STATUS = SCHEMA.getField("status").schema();

    /** The message of this verdict. */
    public byte[] encode() {
        return MessageCodec.encode(toRecord());
    }

    /** The Avro record of this verdict, in the current form of its schema. */
    public GenericRecord toRecord() {
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
        r.put("history", history);
        r.put("status", new GenericData.EnumSymbol(STATUS, status.name()));
        fields.forEach((field, value) -> r.put(field.key(), value));
        return r;
    }

    /** The verdict in a message. */
    public static Verdict decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "Verdict"));
    }

    /** The verdict in a decoded message. */
    public static Verdict of(GenericRecord r) {
        Object time = r.get("timeNs");
        Map<PacketField, Object> fields = new LinkedHashMap<>();
        for (PacketField field : PacketField.values()) {
            Object value = r.get(field.key());
            if (value != null) {
                fields.put(field, value);
            }
        }
        return new Verdict(
                r.get("capture").toString(),
                (Integer) r.get("captureIndex"),
                (Long) r.get("packet"),
                time == null ? Column.NO_TIME : (Long) time,
                (Long) r.get("ruleId"),
                (Integer) r.get("line"),
                (Integer) r.get("priority"),
                r.get("action").toString(),
                (Long) r.get("version"),
                r.get("history").toString(),
                VerdictStatus.ofSymbol(r.get("status")),
                fields);
    }
}
