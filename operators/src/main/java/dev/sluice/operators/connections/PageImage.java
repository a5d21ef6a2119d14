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
 * <p>As bytes: version and 16 times the number of the content (u8), id (i32), depth (u8), prefix
 * (i64), number of words (i32), the words (i32 each), all big-endian.
 *
 * @param content kind of the slots
 * @param version IP version
 * @param depth number of hash bits that the page's connections have in common
 * @param prefix these bits, the uppermost ones
 * @param words slots, which nobody may change
 */
@SuppressWarnings("ArrayRecordComponent")
public record PageImage(Content content, int version, int id, int depth, long prefix, int[] words) {
    private static final int MOST_WORDS = 1 << 26;

    /** Kind of the slots of a page. */
    public enum Content {
        /** Connections without rows. */
        PLAIN,
        /** Connections with the words of their rows. */
        ROWS,
        /** Connections whose first packet was refused, with the words of their rows. */
        REFUSED
    }

    /** Returns a number that no other page of its tracker has. */
    public long key() {
        int table = content == Content.REFUSED ? version | 16 : version;
        return (long) table << Integer.SIZE | id;
    }

    /** Returns the pages of connections of an IP version, or those of refused ones. */
    static List<PageImage> of(List<PageImage> pages, int version, boolean refused) {
        return pages.stream()
                .filter(page -> page.version == version)
                .filter(page -> (page.content == Content.REFUSED) == refused)
                .toList();
    }

    /** Writes the image. */
    public void writeTo(DataOutput to) throws IOException {
        to.writeByte(version | content.ordinal() << 4);
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
        int id = from.readInt();
        int depth = from.readUnsignedByte();
        long prefix = from.readLong();
        int length = from.readInt();
        if (version != 4 && version != 6
                || kind >> 4 >= Content.values().length
                || length < 0
                || length > MOST_WORDS) {
            throw new IOException(
                    "no page of connections: kind %d, %d words".formatted(kind, length));
        }
        byte[] bytes = new byte[length * Integer.BYTES];
        from.readFully(bytes);
        int[] words = new int[length];
        ByteBuffer.wrap(bytes).asIntBuffer().get(words);
        return new PageImage(Content.values()[kind >> 4], version, id, depth, prefix, words);
    }
}
