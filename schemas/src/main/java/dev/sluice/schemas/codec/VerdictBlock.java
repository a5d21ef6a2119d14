package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of one packet block, in its order, under one rule-set version.
 *
 * @param capture as in the packet block
 * @param captureIndex as in the packet block
 * @param shard as in the packet block
 * @param version rule-set version
 * @param count verdicts
 * @param rules stable ids of the rules that matched, each once
 * @param packets packet numbers
 * @param times times in ns since 1970 UTC; null where the exporter states none
 * @param ruleIndexes per verdict: index into {@code rules} from 1, 0 for a miss
 */
public record VerdictBlock(
        String capture,
        int captureIndex,
        int shard,
        long version,
        int count,
        long[] rules,
        Column packets,
        @Nullable Column times,
        Column ruleIndexes) {
    private static final Schema SCHEMA = MessageSchemas.current("VerdictBlock");

    /** The message of this block. */
    public byte[] encode() {
        GenericRecord record = new GenericData.Record(SCHEMA);
        record.put("capture", capture);
        record.put("captureIndex", captureIndex);
        record.put("shard", shard);
        record.put("version", version);
        record.put("count", count);
        List<Long> ids = new ArrayList<>(rules.length);
        for (long rule : rules) {
            ids.add(rule);
        }
        record.put("rules", ids);
        List<Column> columns =
                times == null
                        ? List.of(packets, ruleIndexes)
                        : List.of(packets, times, ruleIndexes);
        record.put("columns", Column.toRecords(SCHEMA.getField("columns").schema(), columns));
        return MessageCodec.encode(record);
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
        for (Column column : Column.fromRecords(record.get("columns"), count)) {
            switch (column.id()) {
                case Column.PACKET -> packets = column;
                case Column.TIME_NS -> times = column;
                case Column.RULE -> indexes = column;
                default -> {} // a later version's column
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
                count,
                rules,
                packets,
                times,
                indexes);
    }
}
