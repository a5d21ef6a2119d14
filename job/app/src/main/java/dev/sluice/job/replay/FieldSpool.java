package dev.sluice.job.replay;

import dev.sluice.job.read.PacketText;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * File with a fixed entry for the fields of each packet of a capture.
 *
 * <p>Packets are written in any order, and read in capture order.
 *
 * <pre>
 * entry: the header words that hold the fields, ascending     4 bytes each
 * </pre>
 *
 * <p>An entry that was never written has undefined content. Not thread-safe.
 */
final class FieldSpool implements AutoCloseable {
    private static final int READ_BYTES = 1 << 16;

    private final FileChannel file;
    private final List<PacketField> fields;
    private final int[] words;
    private final ByteBuffer entry;
    private final ByteBuffer read;
    private long readFrom;

    FieldSpool(Path path, List<PacketField> fields) throws IOException {
        this.fields = fields;
        this.words = HeaderWord.words(PacketField.wordBits(fields));
        int bytes = Math.max(4, 4 * words.length);
        entry = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        read = ByteBuffer.allocate(READ_BYTES / bytes * bytes).order(ByteOrder.LITTLE_ENDIAN);
        read.limit(0);
        file =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Writes the fields of all packets of a block. */
    void set(VerdictBlock block) throws IOException {
        Column[] columns = new Column[words.length];
        for (int w = 0; w < words.length; w++) {
            columns[w] = block.field(words[w]);
        }
        for (int i = 0; i < block.count(); i++) {
            entry.clear();
            for (Column column : columns) {
                entry.putInt(column == null ? 0 : (int) column.get(i));
            }
            entry.flip();
            long at = (block.packets().get(i) - 1) * entry.capacity();
            while (entry.hasRemaining()) {
                at += file.write(entry, at);
            }
        }
    }

    /**
     * Appends the fields of a packet, each after a tab; a field that the packet lacks is empty.
     *
     * @param packet number from 1; fast for the packet after the one read last
     */
    void append(LineBytes line, long packet) throws IOException {
        long at = (packet - 1) * entry.capacity();
        if (at < readFrom || at + entry.capacity() > readFrom + read.limit()) {
            read.clear();
            readFrom = at;
            while (read.hasRemaining() && file.read(read, at + read.position()) > 0) {
                // until the buffer is full or the file ends
            }
            read.flip();
        }
        int from = (int) (at - readFrom);
        int[] header = new int[HeaderWord.COUNT];
        for (int w = 0; w < words.length; w++) {
            header[words[w]] = read.getInt(from + 4 * w);
        }
        for (PacketField field : fields) {
            Object value = field.value(header);
            line.append('\t').append(value == null ? "" : PacketText.text(field, value));
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
