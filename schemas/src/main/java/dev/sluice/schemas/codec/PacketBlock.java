package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Headers of one flow shard in columns, as they travel. Immutable by agreement. The columns of a
 * decoded block are parts of its message.
 *
 * @param capture name of the capture or interface
 * @param captureIndex position of the capture in its export, from 0
 * @param shard flow shard of every header
 * @param shards number of flow shards
 * @param count headers, 1 to {@link #MAX_COUNT}
 * @param columns header words by {@link HeaderWord} number, and packet, time and frame length
 * @param place where in Kafka it lies; null where nobody said
 */
public record PacketBlock(
        String capture,
        int captureIndex,
        int shard,
        int shards,
        int count,
        List<Column> columns,
        @Nullable PacketPlace place) {
    /** Most headers of one block. */
    public static final int MAX_COUNT = 65_536;

    static final long FINGERPRINT = MessageSchemas.currentFingerprint("PacketBlock");

    /** Values that are copied at a time, by way of an array that the first-level cache holds. */
    private static final int PIECE = 1024;

    private static final ThreadLocal<int[]> PIECES = ThreadLocal.withInitial(() -> new int[PIECE]);

    /** A block of which nobody said where it lies. */
    public PacketBlock(
            String capture, int index, int shard, int shards, int count, List<Column> columns) {
        this(capture, index, shard, shards, count, columns, null);
    }

    /** The column with an id, or null where the block has none. */
    public @Nullable Column column(int id) {
        return Column.find(columns, id);
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

    /** The message of this block, which does not say where it lies. */
    public byte[] encode() {
        return WireWriter.message(
                FINGERPRINT,
                out -> {
                    out.text(capture);
                    out.number(captureIndex);
                    out.number(shard);
                    out.number(shards);
                    out.number(count);
                    out.columns(columns);
                });
    }
}
