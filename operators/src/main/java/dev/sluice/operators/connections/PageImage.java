package dev.sluice.operators.connections;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A page of connections at one time. Version and id name the page for good: a later image takes the
 * place of an earlier one, and no page ever goes.
 *
 * <p>As bytes: version (u8), id (i32), depth (u8), prefix (i64), number of words (i32), the words
 * (i32 each), all big-endian.
 *
 * @param version IP version
 * @param depth number of hash bits that the page's connections have in common
 * @param prefix these bits, the uppermost ones
 * @param words slots, which nobody may change
 */
@SuppressWarnings("ArrayRecordComponent")
public record PageImage(int version, int id, int depth, long prefix, int[] words) {
    private static final int MOST_WORDS = 1 << 26;

    /** Writes the image. */
    public void writeTo(DataOutput to) throws IOException {
        to.writeByte(version);
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
        int version = from.readUnsignedByte();
        int id = from.readInt();
        int depth = from.readUnsignedByte();
        long prefix = from.readLong();
        int length = from.readInt();
        if (version != 4 && version != 6 || length < 0 || length > MOST_WORDS) {
            throw new IOException(
                    "no page of connections: IP version %d, %d words".formatted(version, length));
        }
        byte[] bytes = new byte[length * Integer.BYTES];
        from.readFully(bytes);
        int[] words = new int[length];
        ByteBuffer.wrap(bytes).asIntBuffer().get(words);
        return new PageImage(version, id, depth, prefix, words);
    }
}
