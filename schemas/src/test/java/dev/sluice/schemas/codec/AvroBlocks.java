package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Blocks by way of Avro's own reader and writer: what {@link BlockReader}, {@link PacketBlock} and
 * {@link VerdictBlockWriter} are held to.
 */
final class AvroBlocks {
    private AvroBlocks() {}

    /** The message of a packet block, under the current schema. */
    static byte[] encode(PacketBlock block) {
        return MessageCodec.encode(record(block, MessageSchemas.current("PacketBlock")));
    }

    /** The message of a verdict block: without answers, under the schema that has none. */
    static byte[] encode(VerdictBlock block) {
        List<Schema> released = MessageSchemas.history("VerdictBlock");
        Schema schema = released.get(block.answers() == null ? 0 : 1);
        return MessageCodec.encode(record(block, schema), MessageSchemas.fingerprint(schema));
    }

    /** A packet block as far as a released schema has it. */
    static GenericRecord record(PacketBlock block, Schema schema) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("capture", block.capture());
        record.put("captureIndex", block.captureIndex());
        record.put("shard", block.shard());
        record.put("shards", block.shards());
        record.put("count", block.count());
        record.put("columns", records(schema, block.columns()));
        PacketPlace place = block.place();
        if (place != null) {
            putIfKnown(record, "topic", place.topic());
            putIfKnown(record, "partition", place.partition());
            putIfKnown(record, "offset", place.offset());
        }
        return record;
    }

    /** A verdict block as far as a released schema has it. */
    static GenericRecord record(VerdictBlock block, Schema schema) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("capture", block.capture());
        record.put("captureIndex", block.captureIndex());
        record.put("shard", block.shard());
        record.put("version", block.version());
        putIfKnown(record, "history", block.history());
        record.put("count", block.count());
        List<Long> ids = new ArrayList<>();
        for (long rule : block.rules()) {
            ids.add(rule);
        }
        record.put("rules", ids);
        putIfKnown(record, "actions", block.actions());
        boolean deltas = block.deltas() && schema.getField("firstPacket") != null;
        PacketPlace place = block.place();
        putIfKnown(record, "topic", place == null ? "" : place.topic());
        putIfKnown(record, "partition", place == null ? -1 : place.partition());
        putIfKnown(record, "offset", place == null ? -1L : place.offset());
        putIfKnown(record, "first", place == null ? 0 : place.first());
        putIfKnown(record, "firstPacket", 0L);
        putIfKnown(record, "firstTimeNs", 0L);
        List<Column> columns = new ArrayList<>();
        if (!block.lacksPackets()) {
            addPassed(record, columns, block.packets(), "firstPacket", 70, deltas);
        }
        addPassed(record, columns, block.times(), "firstTimeNs", 71, deltas);
        columns.add(block.ruleIndexes());
        addIfThere(columns, block.versions());
        addIfThere(columns, block.statuses());
        columns.addAll(block.fields());
        block.columns().stream().filter(Column::isEarlier).forEach(columns::add);
        record.put("columns", records(schema, columns));
        if (schema.getField("answers") != null) {
            PolicyAnswers answers = block.answers();
            record.put("answers", records(schema, answers));
            record.put("assumed", answers == null ? "" : answers.assumed());
        }
        return record;
    }

    private static List<GenericRecord> records(Schema block, PolicyAnswers answers) {
        Schema element = block.getField("answers").schema().getElementType();
        List<GenericRecord> records = new ArrayList<>();
        for (int i = 0; answers != null && i < answers.size(); i++) {
            GenericRecord record = new GenericData.Record(element);
            String outcome = answers.outcome(i).name();
            record.put(
                    "outcome",
                    new GenericData.EnumSymbol(element.getField("outcome").schema(), outcome));
            record.put("line", answers.line(i));
            records.add(record);
        }
        return records;
    }

    private static PolicyAnswers answers(GenericRecord record) {
        List<?> records = (List<?>) record.get("answers");
        PolicyAnswers answers = new PolicyAnswers().begin(record.get("assumed").toString());
        for (Object item : records) {
            GenericRecord answer = (GenericRecord) item;
            answers.add(
                    VerdictOutcome.ofSymbol(answer.get("outcome")), (Integer) answer.get("line"));
        }
        return records.isEmpty() ? null : answers;
    }

    /** Adds a column as it is, or as differences where these are asked for and narrower. */
    private static void addPassed(
            GenericRecord record,
            List<Column> columns,
            Column column,
            String first,
            int deltaId,
            boolean deltas) {
        if (column == null || !deltas) {
            addIfThere(columns, column);
            return;
        }
        int count = (Integer) record.get("count");
        long[] differences = new long[count];
        long smallest = count == 1 ? 0 : Long.MAX_VALUE;
        for (int i = 1; i < count; i++) {
            differences[i] = column.get(i) - column.get(i - 1);
            smallest = Math.min(smallest, differences[i]);
        }
        differences[0] = smallest;
        Column packed = Column.ofLongs(deltaId, differences, 0, count);
        if (packed.width() >= column.width()) {
            columns.add(column);
            return;
        }
        columns.add(packed);
        record.put(first, column.get(0));
    }

    private static void putIfKnown(GenericRecord record, String field, Object value) {
        if (record.getSchema().getField(field) != null) {
            record.put(field, value);
        }
    }

    private static void addIfThere(List<Column> columns, Column column) {
        if (column != null) {
            columns.add(column);
        }
    }

    private static List<GenericRecord> records(Schema block, List<Column> columns) {
        Schema element = block.getField("columns").schema().getElementType();
        List<GenericRecord> records = new ArrayList<>();
        for (Column column : columns) {
            GenericRecord record = new GenericData.Record(element);
            record.put("id", column.id());
            record.put("base", column.base());
            record.put("width", column.width());
            record.put("data", ByteBuffer.wrap(column.data()));
            records.add(record);
        }
        return records;
    }

    /** The packet block in a message: decoded by Avro, and checked value by value. */
    static PacketBlock packets(byte[] message) throws MalformedMessageException {
        return packets(MessageCodec.decode(message));
    }

    /** The packet block in a decoded message. */
    static PacketBlock packets(GenericRecord record) throws MalformedMessageException {
        int count = count(record);
        int shard = (Integer) record.get("shard");
        int shards = (Integer) record.get("shards");
        if (shard < 0 || shard >= shards) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_SHARD, shard + " is not in 0.." + (shards - 1));
        }
        PacketBlock block =
                new PacketBlock(
                        record.get("capture").toString(),
                        (Integer) record.get("captureIndex"),
                        shard,
                        shards,
                        count,
                        columns(record, count),
                        place(record));
        if (block.column(Column.PACKET) == null) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_NUMBERS, "column " + Column.PACKET + " is missing");
        }
        return block;
    }

    /** The verdict block in a message: decoded by Avro, and checked value by value. */
    static VerdictBlock verdicts(byte[] message) throws MalformedMessageException {
        return verdicts(MessageCodec.decode(message, "VerdictBlock"));
    }

    /** The verdict block in a decoded message. */
    static VerdictBlock verdicts(GenericRecord record) throws MalformedMessageException {
        int count = count(record);
        long[] rules =
                ((List<?>) record.get("rules")).stream().mapToLong(id -> (Long) id).toArray();
        List<Column> columns = columns(record, count);
        Column packets = passed(columns, Column.PACKET, 70, record.get("firstPacket"), count);
        Column times = passed(columns, Column.TIME_NS, 71, record.get("firstTimeNs"), count);
        PacketPlace place = place(record);
        Column indexes = column(columns, Column.RULE);
        if (packets == null && place == null || indexes == null) {
            throw new MalformedMessageException(DeadLetterReason.BLOCK_COLUMN, "packet or rule");
        }
        for (Column named : columns) {
            boolean names = named.id() == Column.RULE || named.id() >= Column.EARLIER;
            for (int i = 0; names && i < count; i++) {
                if (named.get(i) < 0 || named.get(i) > rules.length) {
                    throw new MalformedMessageException(
                            DeadLetterReason.BLOCK_RULE_INDEX,
                            named.get(i) + " with " + rules.length + " rules");
                }
            }
        }
        List<String> actions =
                ((List<?>) record.get("actions")).stream().map(Object::toString).toList();
        if (!actions.isEmpty() && actions.size() != rules.length + 1) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_ACTIONS,
                    actions.size() + " with " + rules.length + " rules");
        }
        PolicyAnswers answers = answers(record);
        if (answers != null && answers.size() != rules.length + 1) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_ANSWERS,
                    answers.size() + " with " + rules.length + " rules");
        }
        return VerdictBlocks.of(
                record.get("capture").toString(),
                (Integer) record.get("captureIndex"),
                (Integer) record.get("shard"),
                (Long) record.get("version"),
                record.get("history").toString(),
                count,
                rules,
                actions,
                packets,
                times,
                indexes,
                column(columns, Column.VERSION),
                column(columns, Column.STATUS),
                columns.stream()
                        .filter(c -> c.id() >= 0 && c.id() < HeaderWord.COUNT || c.isEarlier())
                        .toList(),
                answers,
                column(columns, 70) != null || column(columns, 71) != null,
                place);
    }

    /** A column that may be there as differences. */
    private static Column passed(List<Column> columns, int id, int deltaId, Object first, int count)
            throws MalformedMessageException {
        Column plain = column(columns, id);
        Column deltas = column(columns, deltaId);
        if (deltas == null) {
            return plain;
        }
        if (plain != null) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_COLUMN_TWICE, "columns " + id + " and " + deltaId);
        }
        long[] values = new long[count];
        long value = (Long) first;
        for (int i = 0; i < count; i++) {
            value += i == 0 ? 0 : deltas.get(i);
            values[i] = value;
        }
        return Column.ofLongs(id, values, 0, count);
    }

    /** Where a block says that its packets are. */
    private static PacketPlace place(GenericRecord record) throws MalformedMessageException {
        Schema schema = record.getSchema();
        if (schema.getField("topic") == null || record.get("topic").toString().isEmpty()) {
            return null;
        }
        int partition = (Integer) record.get("partition");
        long offset = (Long) record.get("offset");
        int first = schema.getField("first") == null ? 0 : (Integer) record.get("first");
        long last = first + (long) (Integer) record.get("count");
        if (partition < 0 || offset < 0 || first < 0 || last > PacketBlock.MAX_COUNT) {
            throw new MalformedMessageException(DeadLetterReason.BLOCK_PLACE, record.toString());
        }
        return new PacketPlace(record.get("topic").toString(), partition, offset, first);
    }

    private static int count(GenericRecord record) throws MalformedMessageException {
        int count = (Integer) record.get("count");
        if (count < 1 || count > PacketBlock.MAX_COUNT) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_COUNT, count + " is not in 1.." + PacketBlock.MAX_COUNT);
        }
        return count;
    }

    private static List<Column> columns(GenericRecord record, int count)
            throws MalformedMessageException {
        List<Column> columns = new ArrayList<>();
        for (Object item : (Iterable<?>) record.get("columns")) {
            GenericRecord column = (GenericRecord) item;
            int id = (Integer) column.get("id");
            int width = (Integer) column.get("width");
            ByteBuffer data = (ByteBuffer) column.get("data");
            if (!List.of(0, 1, 2, 4, 8).contains(width)
                    || data.remaining() != (long) width * count) {
                throw new MalformedMessageException(
                        DeadLetterReason.BLOCK_COLUMN_LENGTH,
                        "column %d has width %d and %d bytes for %d values"
                                .formatted(id, width, data.remaining(), count));
            }
            if (column(columns, id) != null) {
                throw new MalformedMessageException(
                        DeadLetterReason.BLOCK_COLUMN_TWICE, "column " + id);
            }
            byte[] bytes = new byte[data.remaining()];
            data.duplicate().get(bytes);
            columns.add(new Column(id, (Long) column.get("base"), width, bytes));
        }
        return columns;
    }

    private static Column column(List<Column> columns, int id) {
        for (Column column : columns) {
            if (column.id() == id) {
                return column;
            }
        }
        return null;
    }
}
