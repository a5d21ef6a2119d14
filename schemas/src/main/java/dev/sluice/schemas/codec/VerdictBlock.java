package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
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
 * @param packets packet numbers
 * @param times times in ns since 1970 UTC; null where the exporter states none
 * @param ruleIndexes per verdict: index into {@code rules} from 1, 0 for a miss
 * @param versions version of each verdict; null: {@code version} is that of all
 * @param statuses {@link VerdictStatus#code} of each verdict; null: all are ok
 * @param fields what was asked for of the packets: header words by {@link HeaderWord} number, each
 *     as the packet block had it or 0 throughout, and {@link Column#FRAME_LENGTH}
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
        Column packets,
        @Nullable Column times,
        Column ruleIndexes,
        @Nullable Column versions,
        @Nullable Column statuses,
        List<Column> fields) {
    private static final Schema SCHEMA = MessageSchemas.current("VerdictBlock");

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

    /** The column of a header word or of the frame lengths; null where the block has none. */
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
        int there = 0;
        boolean lengths = false;
        for (Column column : fields) {
            if (column.id() < HeaderWord.COUNT) {
                there |= 1 << column.id();
            } else {
                lengths |= column.id() == Column.FRAME_LENGTH;
            }
        }
        List<PacketField> told = new ArrayList<>();
        for (PacketField field : PacketField.values()) {
            int needed = field.wordBits();
            if (needed == 0 ? lengths : (needed & ~there) == 0) {
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
            if (column.id() < HeaderWord.COUNT) {
                words[column.id()] = (int) column.get(verdict);
            }
        }
    }

    /** The message of this block. */
    public byte[] encode() {
        GenericRecord record = new GenericData.Record(SCHEMA);
        record.put("capture", capture);
        record.put("captureIndex", captureIndex);
        record.put("shard", shard);
        record.put("version", version);
        record.put("history", history);
        record.put("count", count);
        List<Long> ids = new ArrayList<>(rules.length);
        for (long rule : rules) {
            ids.add(rule);
        }
        record.put("rules", ids);
        record.put("actions", actions);
        List<Column> columns = new ArrayList<>(5 + fields.size());
        columns.add(packets);
        addIfThere(columns, times);
        columns.add(ruleIndexes);
        addIfThere(columns, versions);
        addIfThere(columns, statuses);
        columns.addAll(fields);
        record.put("columns", Column.toRecords(SCHEMA.getField("columns").schema(), columns));
        return MessageCodec.encode(record);
    }

    private static void addIfThere(List<Column> columns, @Nullable Column column) {
        if (column != null) {
            columns.add(column);
        }
    }

    /**
     * The block in a message of the verdicts topic.
     *
     * @throws MalformedMessageException if it is not a VerdictBlock or contradicts itself
     */
    public static VerdictBlock decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "VerdictBlock"));
    }

    /** The block in a decoded message. */
    public static VerdictBlock of(GenericRecord record) throws MalformedMessageException {
        int count = (Integer) record.get("count");
        if (count < 1 || count > PacketBlock.MAX_COUNT) {
            throw new MalformedMessageException(
                    "block: count", count + " is not in 1.." + PacketBlock.MAX_COUNT);
        }
        List<?> ids = (List<?>) record.get("rules");
        long[] rules = new long[ids.size()];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = (Long) ids.get(i);
        }
        Column packets = null;
        Column times = null;
        Column indexes = null;
        Column versions = null;
        Column statuses = null;
        List<Column> fields = new ArrayList<>();
        for (Column column : Column.fromRecords(record.get("columns"), count)) {
            switch (column.id()) {
                case Column.PACKET -> packets = column;
                case Column.TIME_NS -> times = column;
                case Column.RULE -> indexes = column;
                case Column.VERSION -> versions = column;
                case Column.STATUS -> statuses = column;
                case Column.FRAME_LENGTH -> fields.add(column);
                default -> {
                    if (column.id() >= 0 && column.id() < HeaderWord.COUNT) {
                        fields.add(column);
                    } // else a later writer's column
                }
            }
        }
        if (packets == null || indexes == null) {
            throw new MalformedMessageException("block: column missing", "packet or rule");
        }
        for (int i = 0; i < count; i++) {
            if (indexes.get(i) < 0 || indexes.get(i) > rules.length) {
                throw new MalformedMessageException(
                        "block: rule index", indexes.get(i) + " with " + rules.length + " rules");
            }
        }
        return new VerdictBlock(
                record.get("capture").toString(),
                (Integer) record.get("captureIndex"),
                (Integer) record.get("shard"),
                (Long) record.get("version"),
                record.get("history").toString(),
                count,
                rules,
                actions(record, rules.length),
                packets,
                times,
                indexes,
                versions,
                statuses,
                fields);
    }

    private static List<String> actions(GenericRecord record, int rules)
            throws MalformedMessageException {
        List<?> texts = (List<?>) record.get("actions");
        if (!texts.isEmpty() && texts.size() != rules + 1) {
            throw new MalformedMessageException(
                    "block: actions", texts.size() + " with " + rules + " rules");
        }
        return texts.stream().map(Object::toString).toList();
    }
}
