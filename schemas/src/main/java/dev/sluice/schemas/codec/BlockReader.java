package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads blocks straight from the bytes of a message.
 *
 * <p>{@link #read} goes through the whole body once and holds every length against the bytes that
 * are there, remembering where what is; the methods behind it check what the block says of itself,
 * and make what they are asked for. So a message is first refused for its form, then for its
 * content, and nothing is built of what is refused for its form. Work is by field, rule and column,
 * not by header, but for the check of rule indexes.
 *
 * <p>Reusable; not thread-safe. It allocates nothing but what it gives back, unless a block has
 * columns of ids that no writer of ours gives.
 */
final class BlockReader {
    private final WireCursor in = new WireCursor();
    private final ColumnIds ids = new ColumnIds();
    private BlockForm.Piece[] columnPieces = {};
    private boolean rulesAsInt;

    private int captureIndex;
    private int shard;
    private int shards;
    private int count;
    private long version;
    private int rules;
    private int actions;
    private int columnCount;
    private int partition;
    private long offset;
    private int first;
    private long firstPacket;
    private long firstTime;

    /** Offset of the values of these fields; 0: the writer does not know the field. */
    private int captureAt;

    private int historyAt;
    private int rulesAt;
    private int actionsAt;
    private int columnsAt;
    private int topicAt;

    /** The column that was read last. */
    private int id;

    private long base;
    private int width;
    private int dataAt;
    private int dataLength;

    /**
     * Goes to a message, and through it.
     *
     * @param form of its writer's schema
     * @throws MalformedMessageException if it is truncated or corrupt
     */
    void read(byte[] message, BlockForm form) throws MalformedMessageException {
        read(message, 0, message.length, form);
    }

    /** The same of a message of {@code length} bytes that lies among others. */
    void read(byte[] among, int from, int length, BlockForm form) throws MalformedMessageException {
        in.start(among, from + MessageCodec.HEADER_BYTES, from + length);
        columnPieces = form.column;
        historyAt = 0;
        actionsAt = 0;
        topicAt = 0;
        rules = 0;
        actions = 0;
        first = 0;
        firstPacket = 0;
        firstTime = 0;
        for (BlockForm.Piece piece : form.block) {
            field(piece);
        }
        in.end();
    }

    /**
     * How many headers a message says that it is of; the rest of it is not looked at.
     *
     * @param form of its writer's schema
     * @throws MalformedMessageException if it is truncated or corrupt before it says so
     */
    int count(byte[] message, BlockForm form) throws MalformedMessageException {
        in.start(message, MessageCodec.HEADER_BYTES);
        columnPieces = form.column;
        for (BlockForm.Piece piece : form.block) {
            field(piece);
            if (piece.part() == BlockForm.Part.COUNT) {
                return count;
            }
        }
        throw new IllegalStateException("a released schema of blocks has no count");
    }

    private void field(BlockForm.Piece piece) throws MalformedMessageException {
        switch (piece.part()) {
            case CAPTURE -> captureAt = text();
            case HISTORY -> historyAt = text();
            case TOPIC -> topicAt = text();
            case PARTITION -> partition = in.integer();
            case OFFSET -> offset = number(piece.asInt());
            case FIRST -> first = in.integer();
            case FIRST_PACKET -> firstPacket = number(piece.asInt());
            case FIRST_TIME -> firstTime = number(piece.asInt());
            case CAPTURE_INDEX -> captureIndex = in.integer();
            case SHARD -> shard = in.integer();
            case SHARDS -> shards = in.integer();
            case COUNT -> count = in.integer();
            case VERSION -> version = number(piece.asInt());
            case RULES -> {
                rulesAt = in.at();
                rulesAsInt = piece.asInt();
                rules = 0;
                for (int part = in.items(); part != 0; part = in.items()) {
                    for (int i = 0; i < part; i++) {
                        number(rulesAsInt);
                    }
                    rules += part;
                }
            }
            case ACTIONS -> {
                actionsAt = in.at();
                actions = 0;
                for (int part = in.items(); part != 0; part = in.items()) {
                    for (int i = 0; i < part; i++) {
                        in.skip(in.number());
                    }
                    actions += part;
                }
            }
            case COLUMNS -> {
                columnsAt = in.at();
                columnCount = 0;
                for (int part = in.items(); part != 0; part = in.items()) {
                    for (int i = 0; i < part; i++) {
                        column();
                    }
                    columnCount += part;
                }
            }
            default -> WireCheck.pass(piece.schema(), in);
        }
    }

    private int text() throws MalformedMessageException {
        int from = in.at();
        in.skip(in.number());
        return from;
    }

    private long number(boolean asInt) throws MalformedMessageException {
        return asInt ? in.integer() : in.number();
    }

    private void column() throws MalformedMessageException {
        for (BlockForm.Piece piece : columnPieces) {
            switch (piece.part()) {
                case COLUMN_ID -> id = in.integer();
                case COLUMN_BASE -> base = number(piece.asInt());
                case COLUMN_WIDTH -> width = in.integer();
                case COLUMN_DATA -> {
                    dataLength = in.length();
                    dataAt = in.at();
                    in.skip(dataLength);
                }
                default -> WireCheck.pass(piece.schema(), in);
            }
        }
    }

    /** Checks everything that a packet block says of itself; returns its flow shard. */
    int checkPackets() throws MalformedMessageException {
        checkPackets(null);
        return shard;
    }

    /** Bytes of the name of the capture. */
    int captureBytes() throws MalformedMessageException {
        in.moveTo(captureAt);
        return in.length();
    }

    /** The packet block of the message, checked. Its columns are parts of the message. */
    PacketBlock packets() throws MalformedMessageException {
        List<Column> made = new ArrayList<>(columnCount);
        checkPackets(made);
        return new PacketBlock(
                textAt(captureAt), captureIndex, shard, shards, count, made, place());
    }

    /** Returns the place that the block states for its packets; null where it says nothing. */
    private @Nullable PacketPlace place() throws MalformedMessageException {
        String topic = topicAt == 0 ? "" : textAt(topicAt);
        if (topic.isEmpty()) {
            return null;
        }
        if (partition < 0 || offset < 0 || first < 0 || first > PacketBlock.MAX_COUNT - count) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_PLACE,
                    "packet %d and %d more at offset %d of partition %d"
                            .formatted(first, count - 1, offset, partition));
        }
        return new PacketPlace(topic, partition, offset, first);
    }

    private void checkPackets(@Nullable List<Column> made) throws MalformedMessageException {
        checkCount();
        if (shard < 0 || shard >= shards) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_SHARD, shard + " is not in 0.." + (shards - 1));
        }
        if (!columns(made)) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_NUMBERS, "column " + Column.PACKET + " is missing");
        }
    }

    private void checkCount() throws MalformedMessageException {
        if (count < 1 || count > PacketBlock.MAX_COUNT) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_COUNT, count + " is not in 1.." + PacketBlock.MAX_COUNT);
        }
    }

    /**
     * Checks the columns, and makes them.
     *
     * @param made takes them; null: none is made
     * @return whether one has packet numbers
     */
    private boolean columns(@Nullable List<Column> made) throws MalformedMessageException {
        boolean numbered = false;
        ids.clear();
        in.moveTo(columnsAt);
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                column();
                Column.check(id, width, dataLength, count);
                if (!ids.add(id)) {
                    throw Column.twice(id);
                }
                numbered |= id == Column.PACKET;
                if (made != null) {
                    made.add(new Column(id, base, width, in.bytes(), dataAt, dataLength));
                }
            }
        }
        return numbered;
    }

    /** The verdict block of the message, checked. Its columns are parts of the message. */
    VerdictBlock verdicts() throws MalformedMessageException {
        checkCount();
        List<Column> made = new ArrayList<>(columnCount);
        columns(made);
        Column packets = null;
        Column times = null;
        Column indexes = null;
        Column versions = null;
        Column statuses = null;
        Column packetDeltas = null;
        Column timeDeltas = null;
        List<Column> fields = new ArrayList<>();
        for (Column column : made) {
            switch (column.id()) {
                case Column.PACKET -> packets = column;
                case Column.TIME_NS -> times = column;
                case Column.RULE -> indexes = column;
                case Column.VERSION -> versions = column;
                case Column.STATUS -> statuses = column;
                case Column.PACKET_DELTAS -> packetDeltas = column;
                case Column.TIME_DELTAS -> timeDeltas = column;
                default -> {
                    if (column.id() >= 0 && column.id() < HeaderWord.COUNT) {
                        fields.add(column);
                    } // else a later writer's column
                }
            }
        }
        packets = either(packets, packetDeltas, firstPacket);
        times = either(times, timeDeltas, firstTime);
        PacketPlace place = place();
        if (packets == null && place == null || indexes == null) {
            throw new MalformedMessageException(DeadLetterReason.BLOCK_COLUMN, "packet or rule");
        }
        int beyond = indexes.firstBeyond(count, rules);
        if (beyond >= 0) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_RULE_INDEX,
                    indexes.get(beyond) + " with " + rules + " rules");
        }
        if (actions != 0 && actions != rules + 1) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_ACTIONS, actions + " with " + rules + " rules");
        }
        return new VerdictBlock(
                textAt(captureAt),
                captureIndex,
                shard,
                version,
                historyAt == 0 ? "" : textAt(historyAt),
                count,
                ruleIds(),
                actionTexts(),
                packets,
                times,
                indexes,
                versions,
                statuses,
                fields,
                packetDeltas != null || timeDeltas != null,
                place);
    }

    /** A column that may be there as it is or as differences. */
    private @Nullable Column either(
            @Nullable Column column, @Nullable Column deltas, long firstValue)
            throws MalformedMessageException {
        if (deltas == null) {
            return column;
        }
        if (column != null) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_COLUMN_TWICE,
                    "columns %d and %d".formatted(column.id(), deltas.id()));
        }
        int id = deltas.id() == Column.PACKET_DELTAS ? Column.PACKET : Column.TIME_NS;
        return deltas.summed(id, firstValue, count);
    }

    private String textAt(int place) throws MalformedMessageException {
        in.moveTo(place);
        return in.text();
    }

    private long[] ruleIds() throws MalformedMessageException {
        long[] made = new long[rules];
        in.moveTo(rulesAt);
        int n = 0;
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                made[n++] = number(rulesAsInt);
            }
        }
        return made;
    }

    private List<String> actionTexts() throws MalformedMessageException {
        if (actions == 0) {
            return List.of();
        }
        String[] made = new String[actions];
        in.moveTo(actionsAt);
        int n = 0;
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                made[n++] = in.text();
            }
        }
        return List.of(made);
    }

    /** Lets go of the message. */
    void clear() {
        in.clear();
    }
}
