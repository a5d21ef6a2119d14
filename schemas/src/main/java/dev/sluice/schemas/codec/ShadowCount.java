package dev.sluice.schemas.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Packets that a job has judged by its policy and by a shadow, counted. Cumulative: of the messages
 * with one {@link #key}, the last counts.
 *
 * @param old decision of the job's policy; null: the kind is not {@link Kind#PAIR}
 * @param fresh decision of the shadow; null: likewise
 * @param bytes lengths of the packets on the wire, summed up
 * @param firstNs smallest time of a packet, or {@link Column#NO_TIME} where none has a time
 * @param lastNs largest time of a packet, or {@link Column#NO_TIME} where none has a time
 * @param example the packet that was counted first, in words; empty: the kind is not a pair
 */
public record ShadowCount(
        Kind kind,
        @Nullable Decision old,
        @Nullable Decision fresh,
        long packets,
        long bytes,
        long firstNs,
        long lastNs,
        String example) {
    private static final Schema SCHEMA = MessageSchemas.current("ShadowCount");
    private static final Schema KIND = SCHEMA.getField("kind").schema();
    private static final Schema DECISION = SCHEMA.getField("old").schema().getTypes().get(1);

    /** Most characters of a rule's words. */
    private static final int MOST_WORDS = 1_000;

    /** Packets that are counted together. */
    public enum Kind {
        /** Another outcome, by one pair of rules. */
        PAIR,
        /** Another outcome, by pairs of rules beyond those that are told apart. */
        OTHERS,
        /** The same outcome. */
        SAME,
        /** The shadow did not judge. */
        NOT_COMPARED,
        /** A kind that a later writer added. */
        UNKNOWN;

        private static Kind of(Object symbol) {
            return Arrays.stream(values())
                    .filter(kind -> kind.name().equals(symbol.toString()))
                    .findFirst()
                    .orElse(UNKNOWN);
        }
    }

    /**
     * Decision of a policy.
     *
     * @param outcome as the schema's text says
     * @param ruleId stable id of the rule that decides; null: none
     * @param line of the rule in its file; null: none
     * @param action of the rule, or the default action
     * @param rule the rule in its own words, which are cut; empty: none
     * @param version newest version that judged one of the packets
     * @param history of the version; empty: none
     */
    public record Decision(
            String outcome,
            @Nullable Long ruleId,
            @Nullable Integer line,
            String action,
            String rule,
            long version,
            String history) {
        /** Cuts the words. */
        public Decision {
            rule = TextLimit.cut(rule, MOST_WORDS);
        }

        private String key() {
            return history + '/' + (ruleId == null ? "none" : ruleId.toString()) + '/' + outcome;
        }

        private GenericRecord toRecord() {
            GenericRecord r = new GenericData.Record(DECISION);
            r.put("outcome", outcome);
            r.put("ruleId", ruleId);
            r.put("line", line);
            r.put("action", action);
            r.put("rule", rule);
            r.put("version", version);
            r.put("history", history);
            return r;
        }

        private static @Nullable Decision of(@Nullable Object decision) {
            if (!(decision instanceof GenericRecord r)) {
                return null;
            }
            return new Decision(
                    r.get("outcome").toString(),
                    (Long) r.get("ruleId"),
                    (Integer) r.get("line"),
                    r.get("action").toString(),
                    r.get("rule").toString(),
                    (Long) r.get("version"),
                    r.get("history").toString());
        }
    }

    /** Returns packets of another kind than {@link Kind#PAIR}. */
    public static ShadowCount of(Kind kind, long packets, long bytes, long firstNs, long lastNs) {
        return new ShadowCount(kind, null, null, packets, bytes, firstNs, lastNs, "");
    }

    /**
     * Returns the Kafka key: of a pair {@code HISTORY/RULE/OUTCOME/HISTORY/RULE/OUTCOME}, that of
     * the job's policy first; of another kind {@code packets/} and its name, as in {@code
     * packets/not-compared}.
     */
    public String key() {
        return kind == Kind.PAIR
                ? Objects.requireNonNull(old).key() + '/' + Objects.requireNonNull(fresh).key()
                : "packets/" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns these packets and later ones of the same key: the later decisions, this example. */
    public ShadowCount and(ShadowCount later) {
        return new ShadowCount(
                kind,
                later.old,
                later.fresh,
                packets + later.packets,
                bytes + later.bytes,
                lastNs == Column.NO_TIME
                        ? later.firstNs
                        : later.lastNs == Column.NO_TIME
                                ? firstNs
                                : Math.min(firstNs, later.firstNs),
                Math.max(lastNs, later.lastNs),
                example);
    }

    /** Returns the packets among those of another kind, without what pairs alone have. */
    public ShadowCount as(Kind other) {
        return of(other, packets, bytes, firstNs, lastNs);
    }

    /** Returns the message. */
    public byte[] encode() {
        GenericRecord r = new GenericData.Record(SCHEMA);
        r.put("kind", new GenericData.EnumSymbol(KIND, kind.name()));
        r.put("old", old == null ? null : old.toRecord());
        r.put("new", fresh == null ? null : fresh.toRecord());
        r.put("packets", packets);
        r.put("bytes", bytes);
        r.put("firstNs", firstNs == Column.NO_TIME ? null : firstNs);
        r.put("lastNs", lastNs == Column.NO_TIME ? null : lastNs);
        r.put("example", example);
        return MessageCodec.encode(r);
    }

    /** Returns the bytes of the key. */
    public byte[] keyBytes() {
        return key().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the count in a message.
     *
     * @throws MalformedMessageException if it is none
     */
    public static ShadowCount decode(byte[] message) throws MalformedMessageException {
        GenericRecord r = MessageCodec.decode(message, "ShadowCount");
        return new ShadowCount(
                Kind.of(r.get("kind")),
                Decision.of(r.get("old")),
                Decision.of(r.get("new")),
                (Long) r.get("packets"),
                (Long) r.get("bytes"),
                orNoTime(r.get("firstNs")),
                orNoTime(r.get("lastNs")),
                r.get("example").toString());
    }

    private static long orNoTime(@Nullable Object time) {
        return time == null ? Column.NO_TIME : (Long) time;
    }
}
