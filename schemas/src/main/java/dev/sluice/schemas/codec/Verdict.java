package dev.sluice.schemas.codec;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
 * @param earlier rules that let the packet pass in the stages before the one that decided, in the
 *     order of the stages
 * @param outcome fate of the packet by a policy; NONE: the rules stand for themselves
 * @param assumed assumption under which a policy judges, as options of its publisher; empty: none
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
        Map<PacketField, Object> fields,
        List<EarlierRule> earlier,
        VerdictOutcome outcome,
        String assumed) {
    private static final Schema SCHEMA = MessageSchemas.current("Verdict");
    private static final Schema EARLIER = SCHEMA.getField("earlier").schema().getElementType();

    /**
     * Schema of messages of rules that stand for themselves, without fields of a flow, which
     * readers of before know.
     */
    private static final Schema PLAIN = MessageSchemas.history("Verdict").get(1);

    private static final Set<PacketField> PLAIN_FIELDS =
            PacketField.values().stream()
                    .filter(field -> PLAIN.getField(field.key()) != null)
                    .collect(Collectors.toUnmodifiableSet());

    private static final long PLAIN_FINGERPRINT = MessageSchemas.fingerprint(PLAIN);
    private static final Schema STATUS = SCHEMA.getField("status").schema();
    private static final Schema OUTCOME = SCHEMA.getField("outcome").schema();

    /**
     * A rule that let a packet pass in a stage.
     *
     * @param ruleId its stable id
     * @param line its 1-based line in its file; null: none
     */
    public record EarlierRule(long ruleId, @Nullable Integer line, String action) {}

    /** The message of this verdict. */
    public byte[] encode() {
        boolean plain =
                outcome == VerdictOutcome.NONE
                        && assumed.isEmpty()
                        && earlier.isEmpty()
                        && PLAIN_FIELDS.containsAll(fields.keySet());
        return plain
                ? MessageCodec.encode(toRecord(PLAIN), PLAIN_FINGERPRINT)
                : MessageCodec.encode(toRecord());
    }

    /**
     * Number of bytes 0 that bring an encoded verdict into the current schema: one for each of its
     * last fields that the message's own schema lacks.
     */
    static int lacking(byte[] message) {
        return MessageCodec.fingerprint(message, 0) == PLAIN_FINGERPRINT
                ? SCHEMA.getFields().size() - PLAIN.getFields().size()
                : 0;
    }

    /** The Avro record of this verdict, in the current form of its schema. */
    public GenericRecord toRecord() {
        GenericRecord r = toRecord(SCHEMA);
        r.put("earlier", earlier.stream().map(Verdict::toRecord).toList());
        r.put("outcome", new GenericData.EnumSymbol(OUTCOME, outcome.name()));
        r.put("assumed", assumed);
        return r;
    }

    private static GenericRecord toRecord(EarlierRule rule) {
        GenericRecord r = new GenericData.Record(EARLIER);
        r.put("ruleId", rule.ruleId);
        r.put("line", rule.line);
        r.put("action", rule.action);
        return r;
    }

    private static EarlierRule earlier(Object item) {
        GenericRecord r = (GenericRecord) item;
        return new EarlierRule(
                (Long) r.get("ruleId"), (Integer) r.get("line"), r.get("action").toString());
    }

    private GenericRecord toRecord(Schema schema) {
        GenericRecord r = new GenericData.Record(schema);
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
                fields,
                ((List<?>) r.get("earlier")).stream().map(Verdict::earlier).toList(),
                VerdictOutcome.ofSymbol(r.get("outcome")),
                r.get("assumed").toString());
    }
}
