package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Headers of one flow shard in columns, as they travel. Immutable by agreement.
 *
 * @param capture name of the capture or interface
 * @param captureIndex position of the capture in its export, from 0
 * @param shard flow shard of every header
 * @param shards number of flow shards
 * @param count headers, 1 to {@link #MAX_COUNT}
 * @param columns header words by {@link HeaderWord} number, and packet, time and frame length
 */
public record PacketBlock(
        String capture, int captureIndex, int shard, int shards, int count, List<Column> columns) {
    /** Most headers of one block. */
    public static final int MAX_COUNT = 65_536;

    static final Schema SCHEMA = MessageSchemas.current("PacketBlock");

    /** Values that are copied at a time, by way of an array that the first-level cache holds. */
    private static final int PIECE = 1024;

    private static final ThreadLocal<int[]> PIECES = ThreadLocal.withInitial(() -> new int[PIECE]);

    /** The column with an id, or null where the block has none. */
    public @Nullable Column column(int id) {
        for (Column column : columns) {
            if (column.id() == id) {
                return column;
            }
        }
        return null;
    }

    /**
     * Appends headers to a batch: only the words of its layout; words that the block lacks are 0.
     *
     * @param from first header
     * @param headers how many; they must fit into the batch
     */
    public void appendTo(HeaderBatch batch, int from, int headers) {
        HeaderLayout layout = batch.layout();
        int at = batch.size();
        for (int p = 0; p < layout.size(); p++) {
            int target = p * batch.capacity() + at;
            Column column = column(layout.word(p));
            if (column == null) {
                Arrays.fill(batch.words(), target, target + headers, 0);
            } else {
                column.copyWords(from, headers, batch.words(), target);
            }
        }
        batch.size(at + headers);
    }

    /**
     * Writes headers to memory outside the heap: word w of header i at {@code w * stride + at + i -
     * from}. Only the words of a layout are written; those that the block lacks are 0.
     *
     * @param from first header
     * @param headers how many
     * @param at where the first goes
     */
    public void writeTo(
            IntBuffer target, HeaderLayout layout, int stride, int at, int from, int headers) {
        int[] piece = PIECES.get();
        for (int p = 0; p < layout.size(); p++) {
            Column column = column(layout.word(p));
            for (int done = 0; done < headers; done += PIECE) {
                int count = Math.min(PIECE, headers - done);
                if (column == null) {
                    Arrays.fill(piece, 0, count, 0);
                } else {
                    column.copyWords(from + done, count, piece, 0);
                }
                target.put(p * stride + at + done, piece, 0, count);
            }
        }
    }

    /** The message of this block. */
    public byte[] encode() {
        GenericRecord record = new GenericData.Record(SCHEMA);
        record.put("capture", capture);
        record.put("captureIndex", captureIndex);
        record.put("shard", shard);
        record.put("shards", shards);
        record.put("count", count);
        record.put("columns", Column.toRecords(SCHEMA.getField("columns").schema(), columns));
        return MessageCodec.encode(record);
    }

    /** The block in a decoded message. */
    static PacketBlock of(GenericRecord record) throws MalformedMessageException {
        int count = (Integer) record.get("count");
        int shard = (Integer) record.get("shard");
        int shards = (Integer) record.get("shards");
        if (count < 1 || count > MAX_COUNT) {
            throw new MalformedMessageException(
                    "block: count", count + " is not in 1.." + MAX_COUNT);
        }
        if (shard < 0 || shard >= shards) {
            throw new MalformedMessageException(
                    "block: shard", shard + " is not in 0.." + (shards - 1));
        }
        List<Column> columns = Column.fromRecords(record.get("columns"), count);
        PacketBlock block =
                new PacketBlock(
                        record.get("capture").toString(),
                        (Integer) record.get("captureIndex"),
                        shard,
                        shards,
                        count,
                        columns);
        if (block.column(Column.PACKET) == null) {
            throw new MalformedMessageException(
                    "block: no packet numbers", "column " + Column.PACKET + " is missing");
        }
        return block;
    }
}
