package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of verdict blocks. A message is made at its final size and written once: columns
 * are copied from where they are, rule indexes are packed into their place.
 *
 * <pre>{@code
 * byte[] message = writer.of("capture", 0, shard, count).judgedBy(version, history)
 *         .rules(ids, found, actions)
 *         .column(packets).ruleIndexes(indexes, 0).message();
 * }</pre>
 *
 * <p>Columns are written in the order in which they are given; what is given must stay as it is
 * until {@link #message}. Reusable; not thread-safe.
 */
public final class VerdictBlockWriter {
    /** Fingerprint of messages without answers, which readers of before know. */
    static final long PLAIN_FINGERPRINT =
            MessageSchemas.fingerprint(MessageSchemas.history("VerdictBlock").get(0));

    private static final long FINGERPRINT = MessageSchemas.currentFingerprint("VerdictBlock");
    private static final long[] NO_RULES = {};

    private final List<ColumnBytes> columns = new ArrayList<>();
    private final PackedWords indexes = new PackedWords();
    private final PackedDeltas packets = new PackedDeltas(Column.PACKET_DELTAS);
    private final PackedDeltas times = new PackedDeltas(Column.TIME_DELTAS);
    private String capture = "";
    private int captureIndex;
    private int shard;
    private int count;
    private long version;
    private String history = "";
    private long[] rules = NO_RULES;
    private int ruleCount;
    private List<String> actions = List.of();
    private @Nullable PolicyAnswers answers;
    private @Nullable PacketPlace place;
    private long firstPacket;
    private long firstTime;

    /**
     * Begins the block of {@code verdicts} packets, whose capture and shard are as their block's.
     */
    public VerdictBlockWriter of(
            String packetCapture, int packetCaptureIndex, int packetShard, int verdicts) {
        columns.clear();
        capture = packetCapture;
        captureIndex = packetCaptureIndex;
        shard = packetShard;
        count = verdicts;
        return this;
    }

    /** States the newest rule-set version that judges the block, and its history. */
    public VerdictBlockWriter judgedBy(long newestVersion, String historyId) {
        version = newestVersion;
        history = historyId;
        return this;
    }

    /**
     * States the rules that matched.
     *
     * @param ids stable ids, of which the first {@code found} are taken
     * @param texts the default action, then the action of each rule; empty: not asked for
     */
    public VerdictBlockWriter rules(long[] ids, int found, List<String> texts) {
        rules = ids;
        ruleCount = found;
        actions = texts;
        return this;
    }

    /**
     * States the answers of the policy that judges: as many as the rules, and one more. Without
     * them the message is that of rules that stand for themselves, and has no byte for answers.
     */
    public VerdictBlockWriter answers(@Nullable PolicyAnswers ofPolicy) {
        answers = ofPolicy;
        return this;
    }

    /** States where the packets lie, whose columns are then left out. */
    public VerdictBlockWriter at(@Nullable PacketPlace packetPlace) {
        place = packetPlace;
        return this;
    }

    /**
     * Adds the column of packet numbers or that of times as differences, if these take fewer bytes;
     * else as it is.
     */
    public VerdictBlockWriter deltasIfThere(@Nullable Column column) {
        if (column == null || column.width() == 0) {
            return columnIfThere(column);
        }
        boolean ofPackets = column.id() == Column.PACKET;
        PackedDeltas deltas = ofPackets ? packets : times;
        deltas.set(column, count);
        if (deltas.width() >= column.width()) {
            return column(column);
        }
        if (ofPackets) {
            firstPacket = deltas.first();
        } else {
            firstTime = deltas.first();
        }
        columns.add(deltas);
        return this;
    }

    /** Adds a column. */
    public VerdictBlockWriter column(Column column) {
        columns.add(column);
        return this;
    }

    /** Adds a column unless it is absent. */
    public VerdictBlockWriter columnIfThere(@Nullable Column column) {
        return column == null ? this : column(column);
    }

    /**
     * Adds the column of rule indexes.
     *
     * @param words per verdict, from word {@code from} on: index of its rule from 1, 0 for a miss
     */
    public VerdictBlockWriter ruleIndexes(int[] words, int from) {
        indexes.set(Column.RULE, words, from, count);
        columns.add(indexes);
        return this;
    }

    /** The message of what was given, which is let go. */
    public byte[] message() {
        return written(WireWriter.sizeOf(this::write));
    }

    /**
     * As {@link #message()}, if the message has no more than {@code most} bytes; null if it has,
     * and nothing is written then.
     */
    public byte @Nullable [] messageWithin(int most) {
        long body = WireWriter.sizeOf(this::write);
        if (body > most - MessageCodec.HEADER_BYTES) {
            forget();
            return null;
        }
        return written(body);
    }

    private byte[] written(long body) {
        byte[] message =
                WireWriter.message(
                        answers == null ? PLAIN_FINGERPRINT : FINGERPRINT, body, this::write);
        forget();
        return message;
    }

    private void write(WireWriter out) {
        out.text(capture);
        out.number(captureIndex);
        out.number(shard);
        out.number(version);
        out.text(history);
        out.number(count);
        out.startArray(ruleCount);
        for (int i = 0; i < ruleCount; i++) {
            out.number(rules[i]);
        }
        out.endArray();
        out.startArray(actions.size());
        for (int i = 0; i < actions.size(); i++) {
            out.text(actions.get(i));
        }
        out.endArray();
        PacketPlace at = place;
        out.text(at == null ? "" : at.topic());
        out.number(at == null ? -1 : at.partition());
        out.number(at == null ? -1 : at.offset());
        out.number(at == null ? 0 : at.first());
        out.number(firstPacket);
        out.number(firstTime);
        out.columns(columns);
        PolicyAnswers policy = answers;
        if (policy != null) {
            write(policy, out);
        }
    }

    private static void write(PolicyAnswers policy, WireWriter out) {
        out.startArray(policy.size());
        for (int i = 0; i < policy.size(); i++) {
            out.number(policy.outcome(i).ordinal());
            out.number(policy.line(i));
        }
        out.endArray();
        out.text(policy.assumed());
    }

    private void forget() {
        columns.clear();
        indexes.clear();
        rules = NO_RULES;
        ruleCount = 0;
        actions = List.of();
        answers = null;
        place = null;
        firstPacket = 0;
        firstTime = 0;
    }
}
