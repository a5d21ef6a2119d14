package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * One message of a transaction on the rule set: BEGIN, CHANGES in chunks, COMMIT.
 *
 * @param phase what the message does
 * @param transaction random id: chunks of two publishers never mix
 * @param version rule-set version that the transaction makes
 * @param effectiveTimeNs event time from which it is in force, ns since 1970 UTC; null: from its
 *     commit on
 * @param kind whether it replaces all rules or changes the version before
 * @param chunk CHANGES: index from 0; COMMIT: number of chunks
 * @param ruleSet BEGIN: name of the rule set
 * @param defaultAction BEGIN: action where no rule matches
 * @param puts CHANGES: rules added or replaced
 * @param removes CHANGES: ids removed, before the puts of the chunk
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
        List<RuleRecord> puts,
        List<Long> removes) {
    private static final Schema SCHEMA = MessageSchemas.current("RuleChange");
    private static final Schema RULE = SCHEMA.getField("puts").schema().getElementType();

    /** Part of a transaction. UNKNOWN: of a later version of Sluice, to be refused. */
    public enum Phase {
        BEGIN,
        CHANGES,
        COMMIT,
        HEARTBEAT,
        UNKNOWN
    }

    /** What a transaction does to the rules before it. */
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
     */
    public record RuleRecord(
            long id,
            int priority,
            int line,
            String action,
            int[] words,
            @Nullable Integer srcPorts,
            @Nullable Integer dstPorts) {}

    /** A BEGIN. */
    public static RuleChange begin(
            String transaction,
            long version,
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
                List.of(),
                List.of());
    }

    /** A chunk of changes of the transaction that a BEGIN started. */
    public static RuleChange changes(
            RuleChange begin, int chunk, List<RuleRecord> puts, List<Long> removes) {
        return new RuleChange(
                Phase.CHANGES,
                begin.transaction,
                begin.version,
                begin.effectiveTimeNs,
                begin.kind,
                chunk,
                "",
                "",
                puts,
                removes);
    }

    /** The COMMIT of the transaction that a BEGIN started. */
    public static RuleChange commit(RuleChange begin, int chunks) {
        return new RuleChange(
                Phase.COMMIT,
                begin.transaction,
                begin.version,
                begin.effectiveTimeNs,
                begin.kind,
                chunks,
                "",
                "",
                List.of(),
                List.of());
    }

    /** The message of this change. */
    public byte[] encode() {
        GenericRecord r = new GenericData.Record(SCHEMA);
        r.put("phase", new GenericData.EnumSymbol(SCHEMA.getField("phase").schema(), phase.name()));
        r.put("transaction", transaction);
        r.put("version", version);
        r.put("effectiveTimeNs", effectiveTimeNs);
        r.put("kind", new GenericData.EnumSymbol(SCHEMA.getField("kind").schema(), kind.name()));
        r.put("chunk", chunk);
        r.put("ruleSet", ruleSet);
        r.put("defaultAction", defaultAction);
        r.put("puts", puts.stream().map(RuleChange::toAvro).toList());
        r.put("removes", removes);
        return MessageCodec.encode(r);
    }

    private static GenericRecord toAvro(RuleRecord rule) {
        GenericRecord r = new GenericData.Record(RULE);
        r.put("id", rule.id);
        r.put("priority", rule.priority);
        r.put("line", rule.line);
        r.put("action", rule.action);
        List<Integer> words = new ArrayList<>(rule.words.length);
        for (int word : rule.words) {
            words.add(word);
        }
        r.put("words", words);
        r.put("srcPorts", rule.srcPorts);
        r.put("dstPorts", rule.dstPorts);
        return r;
    }

    /**
     * The change in a message of the rules topic.
     *
     * @throws MalformedMessageException if it is not a RuleChange, or of a phase or kind that this
     *     version of Sluice does not know
     */
    public static RuleChange decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "RuleChange"));
    }

    /** The change in a decoded message. */
    static RuleChange of(GenericRecord r) throws MalformedMessageException {
        Phase phase = Phase.valueOf(r.get("phase").toString());
        Kind kind = Kind.valueOf(r.get("kind").toString());
        if (phase == Phase.UNKNOWN || kind == Kind.UNKNOWN) {
            throw new MalformedMessageException(
                    "rules: unknown kind of change",
                    "it was written by a later version of Sluice; upgrade this one");
        }
        List<RuleRecord> puts = new ArrayList<>();
        for (Object item : (List<?>) r.get("puts")) {
            puts.add(fromAvro((GenericRecord) item));
        }
        List<Long> removes = new ArrayList<>();
        for (Object item : (List<?>) r.get("removes")) {
            removes.add((Long) item);
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
                puts,
                removes);
    }

    private static RuleRecord fromAvro(GenericRecord r) throws MalformedMessageException {
        List<?> list = (List<?>) r.get("words");
        int[] words = new int[list.size()];
        for (int i = 0; i < words.length; i++) {
            words[i] = (Integer) list.get(i);
        }
        if (words.length % 3 != 0) {
            throw new MalformedMessageException(
                    "rules: match words", words.length + " numbers are not triples");
        }
        return new RuleRecord(
                (Long) r.get("id"),
                (Integer) r.get("priority"),
                (Integer) r.get("line"),
                r.get("action").toString(),
                words,
                (Integer) r.get("srcPorts"),
                (Integer) r.get("dstPorts"));
    }
}
