package dev.sluice.schemas.codec;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * One message of a transaction on the rule set: BEGIN, CHANGES in chunks, COMMIT; or a HEARTBEAT
 * between transactions.
 *
 * @param phase what the message does
 * @param transaction random id: chunks of two publishers never mix
 * @param version rule-set version that the transaction makes
 * @param effectiveTimeNs event time from which it is in force, ns since 1970 UTC; null: the later
 *     of the time of the COMMIT's record and of the version before. HEARTBEAT: event time up to
 *     which no other version will come into force
 * @param kind whether it replaces all rules or changes those of its base
 * @param chunk CHANGES: index from 0; COMMIT: number of chunks
 * @param ruleSet BEGIN: name of the rule set
 * @param defaultAction BEGIN: action where no rule matches
 * @param history BEGIN, HEARTBEAT: random id of the topic's history; empty before schema version 2
 * @param base BEGIN of a delta: the version that it changes; null before schema version 2
 * @param puts CHANGES: rules added, or changed where the id is there
 * @param removes CHANGES: ids removed, before the puts of the chunk
 * @param shifts CHANGES of a delta: how lines of rules move that are not put; ascending
 */
public record RuleChange(
        Phase phase,
        String transaction,
        long version,
        @Nullable Long effectiveTimeNs,
        Kind kind,
        int chunk,
        String ruleSet,
        String defaultAction,
        String history,
        @Nullable Long base,
        List<RuleRecord> puts,
        List<Long> removes,
        List<ShiftRecord> shifts) {
    private static final Schema SCHEMA = MessageSchemas.current("RuleChange");
    private static final Schema RULE = ruleOf(SCHEMA);
    private static final Schema STEP = RULE.getField("step").schema().getTypes().get(1);
    private static final Schema SHIFT = SCHEMA.getField("shifts").schema().getElementType();

    /** Schema of messages without steps, which readers of before know. */
    private static final Schema PLAIN = MessageSchemas.history("RuleChange").get(1);

    private static final Schema PLAIN_RULE = ruleOf(PLAIN);
    private static final long PLAIN_FINGERPRINT = MessageSchemas.fingerprint(PLAIN);

    /** Part of a transaction. UNKNOWN: of a later version of Sluice, to be refused. */
    public enum Phase {
        BEGIN,
        CHANGES,
        COMMIT,
        HEARTBEAT,
        UNKNOWN
    }

    /** Effect of a transaction on the rules before it. */
    public enum Kind {
        SNAPSHOT,
        DELTA,
        UNKNOWN
    }

    /**
     * A rule as it travels.
     *
     * @param id stable id
     * @param priority higher wins
     * @param line 1-based line in its file, 0 for none
     * @param action in the words of the rule file
     * @param words triples of header word number, value, mask
     * @param srcPorts inclusive range, low in the high 16 bits; null: none
     * @param dstPorts as srcPorts
     * @param place where it stands among the rules of its priority; empty before schema version 2
     * @param text the rule as its file has it; empty if unknown
     * @param step part of a policy of chains that it is; null: it stands for itself
     */
    public record RuleRecord(
            long id,
            int priority,
            int line,
            String action,
            int[] words,
            @Nullable Integer srcPorts,
            @Nullable Integer dstPorts,
            byte[] place,
            String text,
            @Nullable StepRecord step) {
        /** A rule that stands for itself. */
        public RuleRecord(
                long id,
                int priority,
                int line,
                String action,
                int[] words,
                @Nullable Integer srcPorts,
                @Nullable Integer dstPorts,
                byte[] place,
                String text) {
            this(id, priority, line, action, words, srcPorts, dstPorts, place, text, null);
        }
    }

    /** Function of a step. UNKNOWN: of a later version of Sluice, to be refused. */
    public enum StepKind {
        ANSWER,
        DEPENDS,
        JUDGES,
        SKIPS,
        UNTRACKED,
        STAGE,
        NEXT,
        ELEMENT,
        DECIDE,
        RETURN,
        CALL,
        GO,
        DOUBT,
        CALL_IN_DOUBT,
        UNKNOWN
    }

    /**
     * Part of a policy of chains.
     *
     * @param permits whether what decides, or the end of a stage, lets packets pass
     * @param segment segment of a box; of a stage the number of its connection state
     * @param rule key of the user's rule that decides; 0: none
     * @param unknown key of the user's rule whose condition is unknown; 0: none
     * @param to segment that it leads to; 0: none
     */
    public record StepRecord(
            StepKind kind, boolean permits, int segment, long rule, long unknown, int to) {}

    /**
     * How a run of lines moves: from a line on, as of the base, up to the next shift's.
     *
     * @param from first line, from 1
     * @param by lines down; up if negative
     */
    public record ShiftRecord(int from, int by) {}

    /** A BEGIN of a snapshot that belongs to no history, as schema version 1 has them. */
    public static RuleChange begin(
            String transaction,
            long version,
            @Nullable Long effectiveTimeNs,
            Kind kind,
            String ruleSet,
            String defaultAction) {
        return begin(transaction, "", version, null, effectiveTimeNs, kind, ruleSet, defaultAction);
    }

    /**
     * A BEGIN.
     *
     * @param history id of the topic's history
     * @param base the version that a delta changes; null for a snapshot
     */
    public static RuleChange begin(
            String transaction,
            String history,
            long version,
            @Nullable Long base,
            @Nullable Long effectiveTimeNs,
            Kind kind,
            String ruleSet,
            String defaultAction) {
        return new RuleChange(
                Phase.BEGIN,
                transaction,
                version,
                effectiveTimeNs,
                kind,
                0,
                ruleSet,
                defaultAction,
                history,
                base,
                List.of(),
                List.of(),
                List.of());
    }

    /** A chunk of changes of the transaction that a BEGIN started. */
    public static RuleChange changes(
            RuleChange begin, int chunk, List<RuleRecord> puts, List<Long> removes) {
        return changes(begin, chunk, puts, removes, List.of());
    }

    /** A chunk of changes that moves lines. */
    public static RuleChange changes(
            RuleChange begin,
            int chunk,
            List<RuleRecord> puts,
            List<Long> removes,
            List<ShiftRecord> shifts) {
        return begin.part(Phase.CHANGES, chunk, "", puts, removes, shifts);
    }

    /** The COMMIT of the transaction that a BEGIN started. */
    public static RuleChange commit(RuleChange begin, int chunks) {
        return begin.part(Phase.COMMIT, chunks, "", List.of(), List.of(), List.of());
    }

    private RuleChange part(
            Phase which,
            int number,
            String historyId,
            List<RuleRecord> putting,
            List<Long> removing,
            List<ShiftRecord> shifting) {
        return new RuleChange(
                which,
                transaction,
                version,
                effectiveTimeNs,
                kind,
                number,
                "",
                "",
                historyId,
                null,
                putting,
                removing,
                shifting);
    }

    /**
     * A heartbeat of a history.
     *
     * @param version the newest version
     * @param untilNs event time in ns since 1970 UTC up to which no other will come into force
     */
    public static RuleChange heartbeat(String history, long version, long untilNs) {
        return begin("", version, untilNs, Kind.DELTA, "", "")
                .part(Phase.HEARTBEAT, 0, history, List.of(), List.of(), List.of());
    }

    /** A BEGIN like this one, of a version that is in force from a given event time on. */
    public RuleChange effectiveFrom(long timeNs) {
        return begin(transaction, history, version, base, timeNs, kind, ruleSet, defaultAction);
    }

    private static Schema ruleOf(Schema change) {
        return change.getField("puts").schema().getElementType();
    }

    /** The message of this change. */
    public byte[] encode() {
        boolean plain = puts.stream().allMatch(rule -> rule.step == null);
        GenericRecord r = new GenericData.Record(plain ? PLAIN : SCHEMA);
        fill(r, plain ? PLAIN_RULE : RULE);
        return plain ? MessageCodec.encode(r, PLAIN_FINGERPRINT) : MessageCodec.encode(r);
    }

    private void fill(GenericRecord r, Schema ofRules) {
        r.put("phase", new GenericData.EnumSymbol(SCHEMA.getField("phase").schema(), phase.name()));
        r.put("transaction", transaction);
        r.put("version", version);
        r.put("effectiveTimeNs", effectiveTimeNs);
        r.put("kind", new GenericData.EnumSymbol(SCHEMA.getField("kind").schema(), kind.name()));
        r.put("chunk", chunk);
        r.put("ruleSet", ruleSet);
        r.put("defaultAction", defaultAction);
        r.put("puts", puts.stream().map(rule -> toAvro(rule, ofRules)).toList());
        r.put("removes", removes);
        r.put("history", history);
        r.put("base", base);
        r.put("shifts", shifts.stream().map(RuleChange::toAvro).toList());
    }

    private static GenericRecord toAvro(RuleRecord rule, Schema schema) {
        GenericRecord r = new GenericData.Record(schema);
        r.put("id", rule.id);
        r.put("priority", rule.priority);
        r.put("line", rule.line);
        r.put("action", rule.action);
        r.put("words", Arrays.stream(rule.words).boxed().toList());
        r.put("srcPorts", rule.srcPorts);
        r.put("dstPorts", rule.dstPorts);
        r.put("place", ByteBuffer.wrap(rule.place));
        r.put("text", rule.text);
        StepRecord step = rule.step;
        if (step != null) {
            r.put("step", toAvro(step));
        }
        return r;
    }

    private static GenericRecord toAvro(StepRecord step) {
        GenericRecord r = new GenericData.Record(STEP);
        Schema kinds = STEP.getField("kind").schema();
        r.put("kind", new GenericData.EnumSymbol(kinds, step.kind.name()));
        r.put("permits", step.permits);
        r.put("segment", step.segment);
        r.put("rule", step.rule);
        r.put("unknown", step.unknown);
        r.put("to", step.to);
        return r;
    }

    private static GenericRecord toAvro(ShiftRecord shift) {
        GenericRecord r = new GenericData.Record(SHIFT);
        r.put("from", shift.from);
        r.put("by", shift.by);
        return r;
    }

    /**
     * The change in a message of the rules topic.
     *
     * @throws MalformedMessageException if it is not a RuleChange, or of a phase or kind that this
     *     version of Sluice does not know, or has a text beyond {@link TextLimit}
     */
    public static RuleChange decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "RuleChange"));
    }

    /** The change in a decoded message. */
    static RuleChange of(GenericRecord r) throws MalformedMessageException {
        Phase phase = Phase.valueOf(r.get("phase").toString());
        Kind kind = Kind.valueOf(r.get("kind").toString());
        if (phase == Phase.UNKNOWN || kind == Kind.UNKNOWN) {
            throw ofLaterVersion();
        }
        List<RuleRecord> puts = new ArrayList<>();
        for (Object item : (List<?>) r.get("puts")) {
            puts.add(fromAvro((GenericRecord) item));
        }
        List<Long> removes = ((List<?>) r.get("removes")).stream().map(id -> (Long) id).toList();
        List<ShiftRecord> shifts =
                ((List<?>) r.get("shifts")).stream().map(RuleChange::shift).toList();
        for (String name : List.of("transaction", "ruleSet", "defaultAction", "history")) {
            TextLimit.require(DeadLetterReason.RULES_TEXT, name, r.get(name).toString());
        }
        return new RuleChange(
                phase,
                r.get("transaction").toString(),
                (Long) r.get("version"),
                (Long) r.get("effectiveTimeNs"),
                kind,
                (Integer) r.get("chunk"),
                r.get("ruleSet").toString(),
                r.get("defaultAction").toString(),
                r.get("history").toString(),
                (Long) r.get("base"),
                puts,
                removes,
                shifts);
    }

    private static MalformedMessageException ofLaterVersion() {
        return new MalformedMessageException(
                DeadLetterReason.RULES_UNKNOWN_KIND,
                "it was written by a later version of Sluice; upgrade this one");
    }

    private static StepRecord step(GenericRecord r) throws MalformedMessageException {
        StepKind kind = StepKind.valueOf(r.get("kind").toString());
        if (kind == StepKind.UNKNOWN) {
            throw ofLaterVersion();
        }
        return new StepRecord(
                kind,
                (Boolean) r.get("permits"),
                (Integer) r.get("segment"),
                (Long) r.get("rule"),
                (Long) r.get("unknown"),
                (Integer) r.get("to"));
    }

    private static ShiftRecord shift(Object item) {
        GenericRecord shift = (GenericRecord) item;
        return new ShiftRecord((Integer) shift.get("from"), (Integer) shift.get("by"));
    }

    private static RuleRecord fromAvro(GenericRecord r) throws MalformedMessageException {
        int[] words =
                ((List<?>) r.get("words")).stream().mapToInt(word -> (Integer) word).toArray();
        if (words.length % 3 != 0) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_MATCH_WORDS, words.length + " numbers are not triples");
        }
        TextLimit.require(DeadLetterReason.RULES_TEXT, "action", r.get("action").toString());
        return new RuleRecord(
                (Long) r.get("id"),
                (Integer) r.get("priority"),
                (Integer) r.get("line"),
                r.get("action").toString(),
                words,
                (Integer) r.get("srcPorts"),
                (Integer) r.get("dstPorts"),
                MessageCodec.bytes((ByteBuffer) r.get("place")),
                r.get("text").toString(),
                r.get("step") == null ? null : step((GenericRecord) r.get("step")));
    }
}
