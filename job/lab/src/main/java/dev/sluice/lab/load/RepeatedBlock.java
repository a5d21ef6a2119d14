package dev.sluice.lab.load;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.io.BinaryData;

/**
 * The message of a packet block that is sent again and again, each time with other packet numbers
 * and times: they are written over those of the time before, and nothing is encoded anew. What
 * comes of it is byte for byte the message that {@link PacketBlock#encode} makes of such a block.
 *
 * <p>Packets of a block are numbered in a row; their times lie evenly in a span. So the numbers
 * change by their column's base alone, the times by base and the 4 bytes a packet that their column
 * has here, whatever the span. Both columns are the last of the message:
 *
 * <pre>
 *  ... | packets: id base width length bytes | times: id base width length bytes | end of columns
 * </pre>
 *
 * <p>Only where a base takes more or fewer bytes than before does the message get another array:
 * for packet numbers that rise six times up to 2^41. Memory: the message. Not thread-safe.
 */
public final class RepeatedBlock {
    /** Longest span of a block's times in ns: the numbers of its column have 4 bytes. */
    public static final long MOST_SPAN_NS = 0xffff_ffffL;

    private static final int TIME_WIDTH = 4;

    /** Binary places of a step from time to time: 2^20 times a span still is a long. */
    private static final int STEP_BITS = 20;

    private final int shard;
    private final int count;
    private final int packetWidth;
    private byte[] message;

    /** Bytes that the bases of the two columns take. */
    private int packetBytes;

    private int timeBytes;

    /** A block of a block's headers; its packet numbers and times are not taken over. */
    public RepeatedBlock(PacketBlock block) {
        shard = block.shard();
        count = block.count();
        long[] row = new long[count];
        for (int i = 0; i < count; i++) {
            row[i] = i;
        }
        Column packets = Column.ofLongs(Column.PACKET, row, 0, count);
        packetWidth = packets.width();
        List<Column> columns = new ArrayList<>(block.columns());
        columns.removeIf(c -> c.id() == Column.PACKET || c.id() == Column.TIME_NS);
        columns.add(packets);
        columns.add(new Column(Column.TIME_NS, 0, TIME_WIDTH, new byte[TIME_WIDTH * count]));
        message = of(block, count, columns).encode();
        packetBytes = sizeOf(packets.base());
        timeBytes = sizeOf(0);
    }

    /** Flow shard of the headers. */
    public int shard() {
        return shard;
    }

    /** Number of headers. */
    public int count() {
        return count;
    }

    /** Bytes of the message as it was last. */
    public int length() {
        return message.length;
    }

    /** A block of the first headers of this one. */
    public RepeatedBlock first(int headers) {
        PacketBlock whole = block();
        return new RepeatedBlock(
                of(
                        whole,
                        headers,
                        whole.columns().stream().map(c -> c.slice(0, headers)).toList()));
    }

    private static PacketBlock of(PacketBlock block, int headers, List<Column> columns) {
        return new PacketBlock(
                block.capture(),
                block.captureIndex(),
                block.shard(),
                block.shards(),
                headers,
                columns);
    }

    /** Bytes of a number in Avro. */
    private static int sizeOf(long number) {
        return BinaryData.encodeLong(number, new byte[10], 0);
    }

    private PacketBlock block() {
        try {
            return PacketMessages.decode(message, 1);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("a message of ours cannot be read", e);
        }
    }

    /**
     * The message with these numbers and times. The same array may come again with other content:
     * it is the caller's until the next call.
     *
     * @param firstPacket number of the first packet; the others follow in a row
     * @param afterNs the times lie evenly behind this one, ns since 1970 UTC
     * @param untilNs and end with this one; not before {@code afterNs}. Of a longer time than
     *     {@link #MOST_SPAN_NS} they take the end
     */
    public byte[] message(long firstPacket, long afterNs, long untilNs) {
        if (untilNs < afterNs) {
            throw new IllegalArgumentException(
                    "times that end with %d do not lie behind %d".formatted(untilNs, afterNs));
        }
        long span = Math.min(untilNs - afterNs, MOST_SPAN_NS);
        long step = (span << STEP_BITS) / count;
        long base = untilNs - (count * step >>> STEP_BITS) + (step >>> STEP_BITS);
        if (sizeOf(firstPacket) != packetBytes || sizeOf(base) != timeBytes) {
            encode(firstPacket, base);
        }
        BinaryData.encodeLong(firstPacket, message, packetBaseAt());
        BinaryData.encodeLong(base, message, timeBaseAt());
        ByteBuffer target = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        int at = timesAt();
        int n = count;
        long low = step >>> STEP_BITS;
        for (int i = 0; i < n; i++) {
            target.putInt(at + TIME_WIDTH * i, (int) (((i + 1) * step >>> STEP_BITS) - low));
        }
        return message;
    }

    private int timesAt() {
        return message.length - 1 - TIME_WIDTH * count;
    }

    /** Offset of a column's base. */
    private static int baseAt(int dataAt, int width, int length, int baseBytes) {
        return dataAt - sizeOf(length) - sizeOf(width) - baseBytes;
    }

    private int timeBaseAt() {
        return baseAt(timesAt(), TIME_WIDTH, TIME_WIDTH * count, timeBytes);
    }

    private int packetBaseAt() {
        int length = packetWidth * count;
        int packetsAt = timeBaseAt() - sizeOf(Column.TIME_NS) - length;
        return baseAt(packetsAt, packetWidth, length, packetBytes);
    }

    /** Encodes the block anew, with bases of other lengths. */
    private void encode(long packetBase, long timeBase) {
        PacketBlock block = block();
        List<Column> columns = new ArrayList<>(block.columns());
        columns.replaceAll(
                c ->
                        c.id() == Column.PACKET
                                ? new Column(c.id(), packetBase, c.width(), c.data())
                                : c.id() == Column.TIME_NS
                                        ? new Column(c.id(), timeBase, c.width(), c.data())
                                        : c);
        message = of(block, count, columns).encode();
        packetBytes = sizeOf(packetBase);
        timeBytes = sizeOf(timeBase);
    }
}
