package dev.sluice.schemas.codec;

import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_ACTIONS;
import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_ANSWERS;
import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_COLUMN;
import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_COLUMN_TWICE;
import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_OTHER_PACKETS;
import static dev.sluice.schemas.codec.DeadLetterReason.BLOCK_RULE_INDEX;

import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of one packet block, or of a run of its packets, in its order: all versions that
 * judge are of one rule history.
 *
 * @param capture as in the packet block
 * @param captureIndex as in the packet block
 * @param shard as in the packet block
 * @param version rule-set version; the newest where verdicts have columns of them
 * @param history id of the rule history that all versions are numbers of; empty: unknown
 * @param count verdicts
 * @param rules stable ids of the rules that matched, each once for each of its actions
 * @param actions the default action, then the action of each of {@code rules}; empty: not asked for
 * @param columns each id once: packet numbers, unless {@code place} says where they are; times,
 *     where the exporter states some; indexes into {@code rules} from 1, 0 for a miss; versions,
 *     unless one is that of all; {@link VerdictStatus#code}s, unless all are ok; indexes of rules
 *     of {@linkplain Column#EARLIER earlier stages}; header words that were asked for, as the
 *     packet block had them or 0 throughout
 * @param answers of the policy that judges, one more than rules: that of a miss is the first; null:
 *     the rules stand for themselves
 * @param deltas whether packet numbers and times travel as differences, where these are shorter
 * @param place where the packets are, whose columns were left out; null: they were not
 */
public record VerdictBlock(
        String capture,
        int captureIndex,
        int shard,
        long version,
        String history,
        int count,
        long[] rules,
        List<String> actions,
        List<Column> columns,
        @Nullable PolicyAnswers answers,
        boolean deltas,
        @Nullable PacketPlace place) {
    private static final MessageKind KIND = MessageKind.of("VerdictBlock");

    /**
     * Packet numbers.
     *
     * @throws IllegalStateException if they were left out, and nobody has put them back ({@link
     *     #with})
     */
    public Column packets() {
        Column packets = Column.find(columns, Column.PACKET);
        if (packets == null) {
            throw new IllegalStateException("packet numbers are with the packets, at " + place);
        }
        return packets;
    }

    /** Times in ns since 1970 UTC; null where the exporter states none. */
    public @Nullable Column times() {
        return Column.find(columns, Column.TIME_NS);
    }

    /** Index into {@link #rules} of each verdict, from 1; 0 for a miss. */
    public Column ruleIndexes() {
        return Objects.requireNonNull(Column.find(columns, Column.RULE));
    }

    /**
     * Ids of the rules that let a packet pass in the stages before the one that decided, in the
     * order of the stages; none where the rules are no policy of several stages.
     */
    public List<Long> earlier(int verdict) {
        List<Long> ids = new ArrayList<>(0);
        for (Column column : columns) {
            int index = column.isEarlier() ? (int) column.get(verdict) : 0;
            if (index > 0) {
                ids.add(rules[index - 1]);
            }
        }
        return ids;
    }

    /** Returns whether {@link #earlier} has a rule of some packet. */
    public boolean tellsEarlier() {
        return columns.stream().anyMatch(Column::isEarlier);
    }

    /** Version of each verdict; null: {@link #version} is that of all. */
    public @Nullable Column versions() {
        return Column.find(columns, Column.VERSION);
    }

    /** {@link VerdictStatus#code} of each verdict; null: all are ok. */
    public @Nullable Column statuses() {
        return Column.find(columns, Column.STATUS);
    }

    /** Header words of the packets, by {@link HeaderWord} number. */
    public List<Column> fields() {
        return columns.stream().filter(Column::isHeaderWord).toList();
    }

    /** Returns whether columns were left out: {@link #place} says where they are. */
    public boolean lacksPackets() {
        return Column.find(columns, Column.PACKET) == null;
    }

    /**
     * This block with the columns that were left out: packet numbers, times and all header fields
     * but those that it has.
     *
     * @param block what lies at {@link #place}
     * @throws MalformedMessageException if that is another block
     */
    public VerdictBlock with(PacketBlock block) throws MalformedMessageException {
        PacketPlace from = place;
        Column numbers = block.column(Column.PACKET);
        if (from == null || numbers == null) {
            throw new IllegalArgumentException("no packets to take from, or none left out");
        }
        if (!block.capture().equals(capture)
                || block.captureIndex() != captureIndex
                || block.shard() != shard
                || from.first() + count > block.count()) {
            throw new MalformedMessageException(
                    BLOCK_OTHER_PACKETS, "those of " + block.capture() + " are at " + from);
        }
        List<Column> whole = new ArrayList<>(columns);
        whole.add(numbers.slice(from.first(), count));
        Column times = block.column(Column.TIME_NS);
        if (times != null) {
            whole.add(times.slice(from.first(), count));
        }
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            if (Column.find(columns, word) != null) {
                continue;
            }
            Column column = block.column(word);
            whole.add(
                    column == null ? Column.constant(word, 0) : column.slice(from.first(), count));
        }
        return with(count, rules, actions, answers, whole, false, null);
    }

    private VerdictBlock with(
            int size,
            long[] ids,
            List<String> texts,
            @Nullable PolicyAnswers told,
            List<Column> some,
            boolean delta,
            @Nullable PacketPlace at) {
        return new VerdictBlock(
                capture,
                captureIndex,
                shard,
                version,
                history,
                size,
                ids,
                texts,
                some,
                told,
                delta,
                at);
    }

    /** The version that gave a verdict. */
    public long versionOf(int verdict) {
        Column versions = versions();
        return versions == null ? version : versions.get(verdict);
    }

    /** How a verdict came about. */
    public VerdictStatus status(int verdict) {
        Column statuses = statuses();
        return statuses == null ? VerdictStatus.OK : VerdictStatus.ofCode(statuses.get(verdict));
    }

    /** Stable id of the rule of a verdict; null: none matched. */
    public @Nullable Long ruleId(int verdict) {
        int index = (int) ruleIndexes().get(verdict);
        return index == 0 ? null : Long.valueOf(rules[index - 1]);
    }

    /** The action of a verdict; null where the block has none. */
    public @Nullable String action(int verdict) {
        return actions.isEmpty() ? null : actions.get((int) ruleIndexes().get(verdict));
    }

    /** Fate of a verdict's packet by the policy that judges; NONE: the rules are no policy. */
    public VerdictOutcome outcome(int verdict) {
        PolicyAnswers of = answers;
        return of == null ? VerdictOutcome.NONE : of.outcome((int) ruleIndexes().get(verdict));
    }

    /**
     * Line of a verdict's rule in its file, as of the verdict's version; of a packet that depends
     * the line that it depends on. 0: none, or the block does not tell it.
     */
    public int line(int verdict) {
        PolicyAnswers of = answers;
        return of == null ? 0 : of.line((int) ruleIndexes().get(verdict));
    }

    /** The assumption under which a policy judges; empty: none. */
    public String assumed() {
        PolicyAnswers of = answers;
        return of == null ? "" : of.assumed();
    }

    /** The column of a header word; null where the block has none. */
    public @Nullable Column field(int id) {
        return Column.find(columns, id);
    }

    /** The fields that the block's columns tell of each packet. */
    public List<PacketField> packetFields() {
        long there =
                fields().stream().mapToLong(c -> HeaderWord.bit(c.id())).reduce(0, (a, b) -> a | b);
        return PacketField.values().stream()
                .filter(field -> (field.wordBits() & ~there) == 0)
                .toList();
    }

    /**
     * Writes the header of a packet, as far as the block has it; other words stay as they are.
     *
     * @param words {@link HeaderWord#COUNT} words
     */
    public void header(int verdict, int[] words) {
        for (Column column : columns) {
            if (column.isHeaderWord()) {
                words[column.id()] = (int) column.get(verdict);
            }
        }
    }

    /** The message of this block. */
    public byte[] encode() {
        return writer().message();
    }

    /**
     * Appends the messages of this block, in its order: one, or where that would be larger than
     * {@code most} bytes those of its halves. What cannot be halved, the verdict of a single
     * packet, is a message of whatever size.
     *
     * @param most bytes of a message
     */
    public void encode(int most, List<byte[]> out) {
        byte[] whole = count == 1 ? encode() : writer().messageWithin(most);
        if (whole != null) {
            out.add(whole);
            return;
        }
        part(0, count / 2).encode(most, out);
        part(count / 2, count - count / 2).encode(most, out);
    }

    /** The verdicts of some of the packets, with the rules that these name. */
    private VerdictBlock part(int from, int size) {
        int[] named = new int[rules.length + 1];
        long[] ids = new long[rules.length];
        List<String> texts = new ArrayList<>();
        if (!actions.isEmpty()) {
            texts.add(actions.get(0));
        }
        PolicyAnswers all = answers;
        PolicyAnswers told =
                all == null ? null : new PolicyAnswers().begin(all.assumed()).addFrom(all, 0);
        int found = 0;
        List<Column> some = new ArrayList<>();
        for (Column column : columns) {
            if (!column.isRuleIndex()) {
                some.add(column.slice(from, size));
                continue;
            }
            int[] indexes = new int[size];
            for (int i = 0; i < size; i++) {
                int index = (int) column.get(from + i);
                if (index > 0 && named[index] == 0) {
                    ids[found] = rules[index - 1];
                    named[index] = ++found;
                    if (!actions.isEmpty()) {
                        texts.add(actions.get(index));
                    }
                    if (all != null && told != null) {
                        told.addFrom(all, index);
                    }
                }
                indexes[i] = named[index];
            }
            some.add(Column.ofWords(column.id(), indexes, 0, size));
        }
        PacketPlace at = place == null ? null : place.from(from);
        return with(size, Arrays.copyOf(ids, found), texts, told, some, deltas, at);
    }

    private VerdictBlockWriter writer() {
        VerdictBlockWriter writer =
                new VerdictBlockWriter()
                        .of(capture, captureIndex, shard, count)
                        .judgedBy(version, history)
                        .rules(rules, rules.length, actions)
                        .answers(answers)
                        .at(place);
        for (Column column : columns) {
            boolean passed = column.id() == Column.PACKET || column.id() == Column.TIME_NS;
            if (deltas && passed) {
                writer.deltasIfThere(column);
            } else {
                writer.column(column);
            }
        }
        return writer;
    }

    /** Returns whether a message says of itself that it is a VerdictBlock of a released schema. */
    public static boolean isIn(byte[] message) {
        return isPlain(message) || KIND.isIn(message);
    }

    /** Returns whether a message is of the schema without answers, its last fields. */
    static boolean isPlain(byte[] message) {
        return MessageCodec.isSingleObject(message, 0, message.length)
                && MessageCodec.fingerprint(message, 0) == VerdictBlockWriter.PLAIN_FINGERPRINT;
    }

    private static byte[] present(byte[] message, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        return isPlain(message) ? message : KIND.present(message, released);
    }

    /**
     * Verdicts of a message of the verdicts topic, the rest of which is not looked at where it has
     * the present form.
     *
     * @throws MalformedMessageException if it is not a VerdictBlock, or ends before it says so
     */
    public static int count(byte[] message) throws MalformedMessageException {
        byte[] present = present(message, MessageSchemas::byFingerprint);
        WireCursor in = new BlockReader().start(present, 0, present.length);
        in.skip(in.number()); // capture
        in.integer(); // its index
        in.integer(); // shard
        in.number(); // version
        in.skip(in.number()); // history
        return in.integer();
    }

    /**
     * The block in a message of the verdicts topic. Its columns are parts of the message, which
     * must not change.
     *
     * @throws MalformedMessageException if it is not a VerdictBlock or contradicts itself
     */
    public static VerdictBlock decode(byte[] message) throws MalformedMessageException {
        return decode(message, MessageSchemas::byFingerprint);
    }

    /**
     * As {@link #decode(byte[])}, with other writers' schemas than the released ones.
     *
     * @param released the schema with a fingerprint, or null where there is none
     */
    static VerdictBlock decode(byte[] message, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        byte[] present = present(message, released);
        BlockReader reader = new BlockReader();
        WireCursor in = reader.start(present, 0, present.length);
        String name = in.text();
        int index = in.integer();
        int shard = in.integer();
        long version = in.number();
        String history = in.text();
        int count = reader.count();
        long[] rules = reader.numbers();
        List<String> actions = reader.texts();
        String topic = in.text();
        int partition = in.integer();
        long offset = in.number();
        int first = in.integer();
        long firstPacket = in.number();
        long firstTime = in.number();
        List<Column> columns = reader.columns();
        PolicyAnswers answers = isPlain(present) ? null : reader.answers();
        reader.end();
        boolean sums = sum(columns, Column.PACKET, Column.PACKET_DELTAS, firstPacket, count);
        sums |= sum(columns, Column.TIME_NS, Column.TIME_DELTAS, firstTime, count);
        PacketPlace place = reader.place(topic, partition, offset, first);
        Column indexes = Column.find(columns, Column.RULE);
        boolean told = place != null || Column.find(columns, Column.PACKET) != null;
        if (!told || indexes == null) {
            throw new MalformedMessageException(BLOCK_COLUMN, "packet or rule");
        }
        for (Column column : columns) {
            int beyond = column.isRuleIndex() ? column.firstBeyond(count, rules.length) : -1;
            if (beyond >= 0) {
                throw new MalformedMessageException(
                        BLOCK_RULE_INDEX, column.get(beyond) + " with " + rules.length + " rules");
            }
        }
        if (!actions.isEmpty() && actions.size() != rules.length + 1) {
            throw new MalformedMessageException(
                    BLOCK_ACTIONS, actions.size() + " with " + rules.length + " rules");
        }
        if (answers != null && answers.size() != rules.length + 1) {
            throw new MalformedMessageException(
                    BLOCK_ANSWERS, answers.size() + " with " + rules.length + " rules");
        }
        return new VerdictBlock(
                name, index, shard, version, history, count, rules, actions, columns, answers, sums,
                place);
    }

    /** Replaces a column of differences by that of their sums; returns whether it was there. */
    private static boolean sum(List<Column> columns, int id, int deltasId, long first, int count)
            throws MalformedMessageException {
        Column deltas = Column.find(columns, deltasId);
        if (deltas == null) {
            return false;
        }
        if (Column.find(columns, id) != null) {
            throw new MalformedMessageException(
                    BLOCK_COLUMN_TWICE, "columns %d and %d".formatted(id, deltasId));
        }
        columns.set(columns.indexOf(deltas), deltas.summed(id, first, count));
        return true;
    }
}
