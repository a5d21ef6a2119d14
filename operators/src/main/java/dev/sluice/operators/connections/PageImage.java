package dev.sluice.operators.connections;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A page of connections at one time. Version and id name the page for good: a later image takes the
 * place of an earlier one, and no page ever goes.
 *
 * <p>As bytes: kind (u8), id (i32), depth (u8), prefix (i64), number of words (i32), the words (i32
 * each), all big-endian. The kind has the IP version in bits 0 to 3, in bits 4 and 5 whether slots
 * have rows (1) and are of refused connections (2), in bit 6 whether slots have windows, and in bit
 * 7 versions of rules.
 *
 * @param layout of the slots
 * @param refused whether the first packets of the connections were refused; then slots have rows
 * @param depth number of hash bits that the page's connections have in common
 * @param prefix these bits, the uppermost ones
 * @param words slots, which nobody may change
 */
@SuppressWarnings("ArrayRecordComponent")
public record PageImage(
        SlotLayout layout, boolean refused, int id, int depth, long prefix, int[] words) {
    /** A page without slots, which no tracker has. */
    public static final PageImage NONE =
            new PageImage(new SlotLayout(4, false, false, false), false, 0, 0, 0, new int[0]);

    private static final int MOST_WORDS = 1 << 26;
    private static final int CONTENT_SHIFT = 4;
    private static final int ROWS = 1;
    private static final int REFUSED = 2;
    private static final int WINDOWED = 1 << 6;
    private static final int VERSIONED = 1 << 7;

    /** Returns a number that no other page of its tracker has. */
    public long key() {
        int table = refused ? layout.version() | 16 : layout.version();
        return (long) table << Integer.SIZE | id;
    }

    /** Returns the pages of connections of an IP version, or those of refused ones. */
    static List<PageImage> of(List<PageImage> pages, int version, boolean refused) {
        return pages.stream()
                .filter(page -> page.layout.version() == version && page.refused == refused)
                .toList();
    }

    /** Writes the image. */
    public void writeTo(DataOutput to) throws IOException {
        int content = refused ? REFUSED : layout.rows() ? ROWS : 0;
        to.writeByte(
                layout.version()
                        | content << CONTENT_SHIFT
                        | (layout.windowed() ? WINDOWED : 0)
                        | (layout.versioned() ? VERSIONED : 0));
        to.writeInt(id);
        to.writeByte(depth);
        to.writeLong(prefix);
        to.writeInt(words.length);
        ByteBuffer bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
        bytes.asIntBuffer().put(words);
        to.write(bytes.array());
    }

    /**
     * Reads an image.
     *
     * @throws IOException if the bytes are no image
     */
    public static PageImage readFrom(DataInput from) throws IOException {
        int kind = from.readUnsignedByte();
        int version = kind & 15;
        int content = kind >> CONTENT_SHIFT & 3;
        int id = from.readInt();
        int depth = from.readUnsignedByte();
        long prefix = from.readLong();
        int length = from.readInt();
        if (version != 4 && version != 6
                || content > REFUSED
                || length < 0
                || length > MOST_WORDS) {
            throw new IOException(
                    "no page of connections: kind %d, %d words".formatted(kind, length));
        }
        byte[] bytes = new byte[length * Integer.BYTES];
        from.readFully(bytes);
        int[] words = new int[length];
        ByteBuffer.wrap(bytes).asIntBuffer().get(words);
        SlotLayout layout =
                new SlotLayout(
                        version, content > 0, (kind & WINDOWED) != 0, (kind & VERSIONED) != 0);
        return new PageImage(layout, content == REFUSED, id, depth, prefix, words);
    }
}
