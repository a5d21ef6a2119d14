package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of one packet block, or of a run of its packets, in its order: all versions that
 * judge are of one rule history.
 *
 * @param capture as in the packet block
 * @param captureIndex as in the packet block
 * @param shard as in the packet block
 * @param version rule-set version; the newest where {@code versions} are there
 * @param history id of the rule history that all versions are numbers of; empty: unknown
 * @param count verdicts
 * @param rules stable ids of the rules that matched, each once for each of its actions
 * @param actions the default action, then the action of each of {@code rules}; empty: not asked for
 * @param packets packet numbers; null where {@code place} says where they are
 * @param times times in ns since 1970 UTC; null where the exporter states none
 * @param ruleIndexes per verdict: index into {@code rules} from 1, 0 for a miss
 * @param versions version of each verdict; null: {@code version} is that of all
 * @param statuses {@link VerdictStatus#code} of each verdict; null: all are ok
 * @param fields what was asked for of the packets: header words by {@link HeaderWord} number, each
 *     as the packet block had it or 0 throughout
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
        @Nullable Column packets,
        @Nullable Column times,
        Column ruleIndexes,
        @Nullable Column versions,
        @Nullable Column statuses,
        List<Column> fields,
        boolean deltas,
        @Nullable PacketPlace place) {
    /** A block that has the columns of its packets as they are. */
    public VerdictBlock(
            String capture,
            int captureIndex,
            int shard,
            long version,
            String history,
            int count,
            long[] rules,
            List<String> actions,
            Column packets,
            @Nullable Column times,
            Column ruleIndexes,
            @Nullable Column versions,
            @Nullable Column statuses,
            List<Column> fields) {
        this(
                capture,
                captureIndex,
                shard,
                version,
                history,
                count,
                rules,
                actions,
                packets,
                times,
                ruleIndexes,
                versions,
                statuses,
                fields,
                false,
                null);
    }

    /**
     * A block whose verdicts are all ok and of one version of an unknown history, without fields of
     * its packets.
     */
    public VerdictBlock(
            String capture,
            int captureIndex,
            int shard,
            long version,
            int count,
            long[] rules,
            Column packets,
            @Nullable Column times,
            Column ruleIndexes) {
        this(
                capture,
                captureIndex,
                shard,
                version,
                "",
                count,
                rules,
                List.of(),
                packets,
                times,
                ruleIndexes,
                null,
                null,
                List.of());
    }

    /**
     * Packet numbers.
     *
     * @throws IllegalStateException if they were left out, and nobody has put them back ({@link
     *     #with})
     */
    @Override
    public Column packets() {
        if (packets == null) {
            throw new IllegalStateException("packet numbers are with the packets, at " + place);
        }
        return packets;
    }

    /** Returns whether columns were left out: {@link #place} says where they are. */
    public boolean lacksPackets() {
        return packets == null;
    }

    /**
     * This block with the columns that were left out: packet numbers, times and all header fields.
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
                    DeadLetterReason.BLOCK_OTHER_PACKETS,
                    "those of " + block.capture() + " are at " + from);
        }
        List<Column> told = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            Column column = block.column(word);
            told.add(column == null ? Column.constant(word, 0) : column.slice(from.first(), count));
        }
        return new VerdictBlock(
                capture,
                captureIndex,
                shard,
                version,
                history,
                count,
                rules,
                actions,
                numbers.slice(from.first(), count),
                Column.sliceOf(block.column(Column.TIME_NS), from.first(), count),
                ruleIndexes,
                versions,
                statuses,
                told,
                false,
                null);
    }

    /** The version that gave a verdict. */
    public long versionOf(int verdict) {
        return versions == null ? version : versions.get(verdict);
    }

    /** How a verdict came about. */
    public VerdictStatus status(int verdict) {
        return statuses == null ? VerdictStatus.OK : VerdictStatus.ofCode(statuses.get(verdict));
    }

    /** Stable id of the rule of a verdict; null: none matched. */
    public @Nullable Long ruleId(int verdict) {
        int index = (int) ruleIndexes.get(verdict);
        return index == 0 ? null : Long.valueOf(rules[index - 1]);
    }

    /** The action of a verdict; null where the block has none. */
    public @Nullable String action(int verdict) {
        return actions.isEmpty() ? null : actions.get((int) ruleIndexes.get(verdict));
    }

    /** The column of a header word; null where the block has none. */
    public @Nullable Column field(int id) {
        for (Column column : fields) {
            if (column.id() == id) {
                return column;
            }
        }
        return null;
    }

    /** The fields that the block's columns tell of each packet. */
    public List<PacketField> packetFields() {
        long there = 0;
        for (Column column : fields) {
            there |= HeaderWord.bit(column.id());
        }
        List<PacketField> told = new ArrayList<>();
        for (PacketField field : PacketField.values()) {
            if ((field.wordBits() & ~there) == 0) {
                told.add(field);
            }
        }
        return told;
    }

    /**
     * Writes the header of a packet, as far as the block has it; other words stay as they are.
     *
     * @param words {@link HeaderWord#COUNT} words
     */
    public void header(int verdict, int[] words) {
        for (Column column : fields) {
            words[column.id()] = (int) column.get(verdict);
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
        int[] indexes = new int[size];
        int[] named = new int[rules.length + 1];
        long[] ids = new long[Math.min(size, rules.length)];
        List<String> texts = new ArrayList<>();
        if (!actions.isEmpty()) {
            texts.add(actions.get(0));
        }
        int found = 0;
        for (int i = 0; i < size; i++) {
            int index = (int) ruleIndexes.get(from + i);
            if (index > 0 && named[index] == 0) {
                ids[found] = rules[index - 1];
                named[index] = ++found;
                if (!actions.isEmpty()) {
                    texts.add(actions.get(index));
                }
            }
            indexes[i] = named[index];
        }
        return new VerdictBlock(
                capture,
                captureIndex,
                shard,
                version,
                history,
                size,
                Arrays.copyOf(ids, found),
                texts,
                Column.sliceOf(packets, from, size),
                Column.sliceOf(times, from, size),
                Column.ofWords(Column.RULE, indexes, 0, size),
                Column.sliceOf(versions, from, size),
                Column.sliceOf(statuses, from, size),
                fields.stream().map(field -> field.slice(from, size)).toList(),
                deltas,
                place == null ? null : place.from(from));
    }

    private VerdictBlockWriter writer() {
        VerdictBlockWriter writer =
                new VerdictBlockWriter()
                        .of(capture, captureIndex, shard, count)
                        .judgedBy(version, history)
                        .rules(rules, rules.length, actions)
                        .at(place);
        if (deltas) {
            writer.deltasIfThere(packets).deltasIfThere(times);
        } else {
            writer.columnIfThere(packets).columnIfThere(times);
        }
        writer.column(ruleIndexes).columnIfThere(versions).columnIfThere(statuses);
        fields.forEach(writer::column);
        return writer;
    }

    /** Returns whether a message says of itself that it is a VerdictBlock of a released schema. */
    public static boolean isIn(byte[] message) {
        BlockForm form = BlockForm.of(message);
        return form != null && !form.ofPackets;
    }

    /**
     * Verdicts of a message of the verdicts topic, the rest of which is not looked at.
     *
     * @throws MalformedMessageException if it is not a VerdictBlock, or ends before it says so
     */
    public static int count(byte[] message) throws MalformedMessageException {
        BlockForm form = BlockForm.of(message);
        return form == null || form.ofPackets
                ? decode(message).count() // says what it is instead
                : new BlockReader().count(message, form);
    }

    /**
     * The block in a message of the verdicts topic. Its columns are parts of the message, which
     * must not change.
     *
     * @throws MalformedMessageException if it is not a VerdictBlock or contradicts itself
     */
    public static VerdictBlock decode(byte[] message) throws MalformedMessageException {
        BlockForm form = BlockForm.of(message);
        if (form == null || form.ofPackets) {
            MessageCodec.decode(message, "VerdictBlock"); // says what it is instead
            throw new IllegalStateException("a released schema of VerdictBlock has no form");
        }
        BlockReader reader = new BlockReader();
        reader.read(message, form);
        return reader.verdicts();
    }
}
