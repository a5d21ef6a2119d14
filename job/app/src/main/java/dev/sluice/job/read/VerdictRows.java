package dev.sluice.job.read;

import dev.sluice.job.read.VerdictRow.EarlierRule;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.MessageCodec;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** Reader of rows from messages of the verdicts topic, blocks and single verdicts alike. */
public final class VerdictRows {
    /**
     * Number of messages of other schemas after which a topic without a verdict counts as a wrong
     * topic.
     */
    private static final int WRONG_TOPIC = 3;

    /** Rules that verdicts name by their ids. */
    public interface Rules {
        /**
         * Returns a rule as of a version; {@link RuleFacts#UNKNOWN} if it is not known.
         *
         * @param history id of the version's history; empty: the newest
         */
        RuleFacts rule(long id, String history, long version);

        /** Returns the default action of a version; empty if it is not known. */
        String defaultAction(String history, long version);
    }

    private final SchemaIds ids;
    private final Rules rules;
    private final NamedPackets packets;

    private boolean anyVerdicts;

    /** Number of messages of other schemas, and the schema of the last one. */
    private int others;

    private @Nullable String other;

    /**
     * Creates a reader.
     *
     * @param ids schemas of messages with a registry's framing
     * @param rules of which messages hold the ids only
     * @param packets that messages name by their place
     */
    public VerdictRows(SchemaIds ids, Rules rules, NamedPackets packets) {
        this.ids = ids;
        this.rules = rules;
        this.packets = packets;
    }

    /**
     * Passes the rows of a message to a visitor, in the message's order.
     *
     * @return whether the visitor wants more
     * @throws MalformedMessageException if the message holds no verdicts, or its packets were
     *     deleted
     */
    public boolean visit(byte[] message, Predicate<VerdictRow> visitor)
            throws MalformedMessageException {
        byte[] single = ids.singleObject(message);
        boolean more =
                VerdictBlock.isIn(single)
                        ? visit(packets.complete(VerdictBlock.decode(single)), visitor)
                        : visitor.test(row(verdict(single)));
        anyVerdicts = true;
        return more;
    }

    private Verdict verdict(byte[] message) throws MalformedMessageException {
        GenericRecord record = MessageCodec.decode(message);
        String schema = record.getSchema().getName();
        if (!schema.equals("Verdict")) {
            others++;
            other = schema;
            throw new MalformedMessageException(
                    DeadLetterReason.WRONG_SCHEMA, "a " + schema + " is no verdict");
        }
        return Verdict.of(record);
    }

    /**
     * Returns the schema that the topic holds in place of verdicts; null if it may be a verdicts
     * topic.
     *
     * <p>A topic is a wrong one if several messages of other schemas, and no verdicts, were read
     * from it.
     */
    public @Nullable String heldInstead() {
        return anyVerdicts || others < WRONG_TOPIC ? null : other;
    }

    private VerdictRow row(Verdict verdict) {
        Long id = verdict.ruleId();
        RuleFacts known =
                id == null
                        ? RuleFacts.UNKNOWN
                        : rules.rule(id, verdict.history(), verdict.version());
        return new VerdictRow(
                verdict.capture(),
                verdict.packet(),
                verdict.timeNs(),
                id,
                known.with(verdict.line(), verdict.priority(), verdict.action()),
                verdict.action(),
                verdict.version(),
                verdict.history(),
                verdict.status(),
                verdict.outcome(),
                verdict.assumed(),
                verdict.earlier().stream().map(passed -> earlier(verdict, passed)).toList(),
                false, // an absent address may be the packet's or the job's doing
                verdict.fields());
    }

    private EarlierRule earlier(Verdict verdict, Verdict.EarlierRule passed) {
        RuleFacts known = rules.rule(passed.ruleId(), verdict.history(), verdict.version());
        return new EarlierRule(
                passed.ruleId(), known.with(passed.line(), known.priority(), passed.action()));
    }

    private boolean visit(VerdictBlock block, Predicate<VerdictRow> visitor) {
        List<PacketField> told = block.packetFields();
        boolean addresses = told.contains(PacketField.IP_SRC) || told.contains(PacketField.IP_DST);
        int[] header = new int[HeaderWord.COUNT];
        for (int i = 0; i < block.count(); i++) {
            Map<PacketField, Object> fields = new LinkedHashMap<>();
            block.header(i, header);
            for (PacketField field : told) {
                Object value = field.value(header);
                if (value != null) {
                    fields.put(field, value);
                }
            }
            if (!visitor.test(row(block, i, addresses, fields))) {
                return false;
            }
        }
        return true;
    }

    private VerdictRow row(
            VerdictBlock block, int i, boolean addresses, Map<PacketField, Object> fields) {
        long version = block.versionOf(i);
        Long id = block.ruleId(i);
        String history = block.history();
        RuleFacts rule = id == null ? RuleFacts.UNKNOWN : rules.rule(id, history, version);
        if (block.line(i) > 0) {
            rule = rule.with(block.line(i), rule.priority(), rule.action());
        }
        String action = block.action(i);
        if (action == null || action.isEmpty()) {
            action = id == null ? rules.defaultAction(history, version) : rule.action();
        }
        Column times = block.times();
        return new VerdictRow(
                block.capture(),
                block.packets().get(i),
                times == null ? Column.NO_TIME : times.get(i),
                id,
                rule,
                action,
                version,
                history,
                block.status(i),
                block.outcome(i),
                block.assumed(),
                block.earlier(i).stream()
                        .map(rid -> new EarlierRule(rid, rules.rule(rid, history, version)))
                        .toList(),
                addresses,
                fields);
    }
}
