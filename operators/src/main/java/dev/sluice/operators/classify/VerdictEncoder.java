package dev.sluice.operators.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of the verdicts on a block. The columns of packet numbers and times, and of the
 * header words that travel with verdicts, pass through as they came.
 *
 * <p>A message of {@link VerdictFormat#BLOCKS} names each rule that matched once, in the order in
 * which the block's packets meet them, and each verdict is an index into these names. Which rules
 * were met already is kept by position in the rule set, so that a block costs O(verdicts), however
 * many rules there are, and O(rules) memory is kept from block to block.
 *
 * <p>Not thread-safe: one worker uses it.
 */
final class VerdictEncoder {
    private final VerdictFormat format;
    private final VerdictFields fields;
    private final List<PacketField> chosen;

    /** Header words that hold the fields: bit w for word w. */
    private final int wordBits;

    /**
     * By position in the rule set: the rule's index, from 1, among the rules of the block that is
     * being encoded. Valid where {@link #lastMet} has the block's number.
     */
    private int[] indexes = new int[0];

    /** By position in the rule set: number of the last block whose packets met the rule. */
    private int[] lastMet = new int[0];

    /** Number of the block that was encoded last, from 1; tests let the numbers run out. */
    int blockNumber;

    /** An encoder whose verdicts carry what those of their format carry by default. */
    VerdictEncoder(VerdictFormat format) {
        this(format, VerdictFields.defaults(format));
    }

    VerdictEncoder(VerdictFormat format, VerdictFields fields) {
        this.format = format;
        this.fields = fields;
        this.chosen = fields.fields();
        this.wordBits = fields.wordBits();
    }

    /**
     * Appends the messages of a block whose verdicts are all there. The block's verdicts are used
     * up: their memory is overwritten.
     */
    void encode(PendingBlock pending, RuleSet rules, List<byte[]> out) {
        if (format == VerdictFormat.BLOCKS) {
            out.add(block(pending, rules));
        } else {
            records(pending, rules, out);
        }
    }

    private byte[] block(PendingBlock pending, RuleSet rules) {
        PacketBlock block = pending.block;
        int[] verdicts = pending.verdicts;
        if (lastMet.length < rules.size()) {
            lastMet = new int[rules.size()];
            indexes = new int[rules.size()];
        }
        blockNumber++;
        int[] positions = new int[Math.min(block.count(), rules.size())];
        int found = 0;
        for (int i = 0; i < verdicts.length; i++) {
            int position = verdicts[i];
            if (position == VerdictBatch.MISS) {
                verdicts[i] = 0;
                continue;
            }
            if (lastMet[position] != blockNumber) {
                lastMet[position] = blockNumber;
                positions[found++] = position;
                indexes[position] = found;
            }
            verdicts[i] = indexes[position];
        }
        long[] ids = new long[found];
        List<String> actions = new ArrayList<>();
        if (fields.actions()) {
            actions.add(rules.defaultAction());
        }
        for (int i = 0; i < found; i++) {
            Rule rule = rules.rules().get(positions[i]);
            ids[i] = rule.id();
            if (fields.actions()) {
                actions.add(rule.action());
            }
        }
        if (blockNumber == Integer.MAX_VALUE) { // numbers begin again, and so must be forgotten
            Arrays.fill(lastMet, 0);
            blockNumber = 0;
        }
        return new VerdictBlock(
                        block.capture(),
                        block.captureIndex(),
                        block.shard(),
                        newest(pending.versions, rules.version()),
                        block.count(),
                        ids,
                        actions,
                        packets(block),
                        block.column(Column.TIME_NS),
                        Column.ofWords(Column.RULE, verdicts, 0, verdicts.length),
                        versions(pending),
                        statuses(pending),
                        fieldColumns(block))
                .encode();
    }

    private static long newest(long @Nullable [] versions, long otherwise) {
        return versions == null ? otherwise : Arrays.stream(versions).max().orElse(otherwise);
    }

    /** The versions as a column, or null where all are the same. */
    private static @Nullable Column versions(PendingBlock pending) {
        long[] versions = pending.versions;
        if (versions == null) {
            return null;
        }
        Column column = Column.ofLongs(Column.VERSION, versions, 0, versions.length);
        return column.width() == 0 ? null : column;
    }

    /** The statuses as a column, or null where all are ok. */
    private static @Nullable Column statuses(PendingBlock pending) {
        int[] statuses = pending.statuses;
        if (statuses == null) {
            return null;
        }
        Column column = Column.ofWords(Column.STATUS, statuses, 0, statuses.length);
        boolean ok = column.width() == 0 && column.base() == VerdictStatus.OK.code();
        return ok ? null : column;
    }

    /** The packet block's own columns of what travels; words that it lacks are 0 throughout. */
    private List<Column> fieldColumns(PacketBlock block) {
        List<Column> columns = new ArrayList<>();
        for (int bits = wordBits; bits != 0; bits &= bits - 1) {
            int word = Integer.numberOfTrailingZeros(bits);
            Column column = block.column(word);
            columns.add(column == null ? new Column(word, 0, 0, new byte[0]) : column);
        }
        Column lengths = block.column(Column.FRAME_LENGTH);
        if (fields.has(PacketField.FRAME_LENGTH) && lengths != null) {
            columns.add(lengths);
        }
        return columns;
    }

    private static Column packets(PacketBlock block) {
        Column packets = block.column(Column.PACKET);
        if (packets == null) {
            throw new IllegalStateException("a block without packet numbers passed the source");
        }
        return packets;
    }

    private void records(PendingBlock pending, RuleSet rules, List<byte[]> out) {
        PacketBlock block = pending.block;
        Column packets = packets(block);
        Column times = block.column(Column.TIME_NS);
        List<Column> columns = fieldColumns(block);
        int[] header = new int[HeaderWord.COUNT];
        for (int i = 0; i < pending.verdicts.length; i++) {
            int position = pending.verdicts[i];
            @Nullable Rule rule =
                    position == VerdictBatch.MISS ? null : rules.rules().get(position);
            Integer line = rule == null || rule.line() == 0 ? null : Integer.valueOf(rule.line());
            out.add(
                    new Verdict(
                                    block.capture(),
                                    block.captureIndex(),
                                    packets.get(i),
                                    times == null ? Column.NO_TIME : times.get(i),
                                    rule == null ? null : Long.valueOf(rule.id()),
                                    line,
                                    rule == null ? null : Integer.valueOf(rule.priority()),
                                    rule == null ? rules.defaultAction() : rule.action(),
                                    pending.versions == null
                                            ? rules.version()
                                            : pending.versions[i],
                                    pending.statuses == null
                                            ? VerdictStatus.OK
                                            : VerdictStatus.ofCode(pending.statuses[i]),
                                    packetFields(columns, i, header))
                            .encode());
        }
    }

    /** The fields of a packet that travel. */
    private Map<PacketField, Object> packetFields(List<Column> columns, int packet, int[] header) {
        Map<PacketField, Object> values = new EnumMap<>(PacketField.class);
        for (Column column : columns) {
            if (column.id() == Column.FRAME_LENGTH) {
                values.put(PacketField.FRAME_LENGTH, (int) column.get(packet));
            } else {
                header[column.id()] = (int) column.get(packet);
            }
        }
        for (PacketField field : chosen) {
            Object value = field.value(header);
            if (value != null) {
                values.put(field, value);
            }
        }
        return values;
    }
}
