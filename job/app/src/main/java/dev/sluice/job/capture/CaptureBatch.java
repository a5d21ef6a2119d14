package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Packets of a capture on their way to an engine: those that can be classified as columns of
 * headers, the others by the reason why not, all in capture order. Reused from batch to batch; not
 * thread-safe, but may be handed from thread to thread.
 */
public final class CaptureBatch {
    private final PacketParser parser;
    private final ParsedPacket packet = new ParsedPacket();
    private final HeaderBatch headers;
    private final @Nullable Integer inPort;
    private final long[] timesLow;
    private final int[] timesHigh;
    private final @Nullable String[] reasons;
    private final long[] headerTimes;
    private final int[] headerLengths;
    private final ShutTunnels shut = new ShutTunnels();
    private int packets;
    private long first;
    private int capture;

    /**
     * An empty batch.
     *
     * @param headers takes the headers; as many packets fit as it has room for headers
     * @param parsing what is taken for the header of a packet
     * @param inPort ingress port of all packets, or null where it is not known
     */
    public CaptureBatch(HeaderBatch headers, ParserOptions parsing, @Nullable Integer inPort) {
        this.headers = headers;
        parser = new PacketParser(parsing);
        this.inPort = inPort;
        int capacity = headers.capacity();
        timesLow = new long[capacity];
        timesHigh = new int[capacity];
        reasons = new String[capacity];
        headerTimes = new long[capacity];
        headerLengths = new int[capacity];
    }

    /** Leaves no packet; those that come are of a capture with this index. */
    public void clear(int captureIndex) {
        headers.clear(headers.layout());
        packets = 0;
        shut.clear();
        capture = captureIndex;
    }

    /** Adds the packet that a reader stands at; there must be room. */
    public void add(CaptureReader reader) {
        if (packets == 0) {
            first = reader.packet();
        }
        int at = packets++;
        timesLow[at] = reader.timeNs();
        timesHigh[at] = reader.timeHigh();
        parser.parse(reader, packet);
        if (!packet.status().isClassified()) {
            reasons[at] = packet.status().reason(reader.linkType());
            return;
        }
        reasons[at] = null;
        shut.add(packet.shut());
        int[] words = packet.words();
        if (inPort != null) {
            words[HeaderWord.IN_PORT] = inPort;
            words[HeaderWord.IP] |= Field.IN_PORT_PRESENT.place(1);
        }
        int row = headers.size();
        headerTimes[row] = reader.clampedTimeNs();
        headerLengths[row] = reader.frameLength();
        headers.add(words);
    }

    /** Packets in it. */
    public int packets() {
        return packets;
    }

    /** Whether there is no room for a packet. */
    public boolean isFull() {
        return packets == reasons.length;
    }

    /** Index of the capture that the packets are of. */
    public int capture() {
        return capture;
    }

    /** Number in its capture of a packet, from 1; all packets since {@link #clear} are of one. */
    public long number(int at) {
        return first + at;
    }

    /** Low 64 bits of a packet's time in ns. */
    public long timeLow(int at) {
        return timesLow[at];
    }

    /** The 32 bits above {@link #timeLow}. */
    public int timeHigh(int at) {
        return timesHigh[at];
    }

    /** Why a packet cannot be classified; null: it is the next among the headers. */
    public @Nullable String reason(int at) {
        return reasons[at];
    }

    /** Those of them whose tunnel was not opened. */
    public ShutTunnels shutTunnels() {
        return shut;
    }

    /** Headers of the packets that can be classified. */
    public HeaderBatch headers() {
        return headers;
    }

    /** Times of the headers, in ns since 1970 UTC, held at the least or greatest that fits. */
    public long[] headerTimes() {
        return headerTimes;
    }

    /** Lengths on the wire of the headers' frames, in bytes. */
    public int[] headerLengths() {
        return headerLengths;
    }

    /** Writes the packets in it. */
    public void writeTo(DataOutput out) throws IOException {
        out.writeInt(capture);
        out.writeLong(first);
        out.writeInt(headers.capacity());
        out.writeInt(headers.layout().wordBits());
        out.writeInt(packets);
        for (int i = 0; i < packets; i++) {
            out.writeLong(timesLow[i]);
            out.writeInt(timesHigh[i]);
            String reason = reasons[i];
            out.writeBoolean(reason != null);
            if (reason != null) {
                out.writeUTF(reason);
            }
        }
        for (int h = 0; h < headers.size(); h++) {
            out.writeLong(headerTimes[h]);
            out.writeInt(headerLengths[h]);
            for (int p = 0; p < headers.layout().size(); p++) {
                out.writeInt(headers.word(p, h));
            }
        }
    }

    /** Reads what {@link #writeTo} has written into a batch of its own. */
    public static CaptureBatch readFrom(DataInput in) throws IOException {
        int captureIndex = in.readInt();
        long first = in.readLong();
        int capacity = in.readInt();
        HeaderLayout layout = HeaderLayout.ofWordBits(in.readInt());
        CaptureBatch batch =
                new CaptureBatch(new HeaderBatch(layout, capacity), ParserOptions.DEFAULTS, null);
        batch.capture = captureIndex;
        batch.first = first;
        batch.packets = in.readInt();
        int rows = 0;
        for (int i = 0; i < batch.packets; i++) {
            batch.timesLow[i] = in.readLong();
            batch.timesHigh[i] = in.readInt();
            batch.reasons[i] = in.readBoolean() ? in.readUTF() : null;
            rows += batch.reasons[i] == null ? 1 : 0;
        }
        int[] words = batch.headers.words();
        for (int h = 0; h < rows; h++) {
            batch.headerTimes[h] = in.readLong();
            batch.headerLengths[h] = in.readInt();
            for (int p = 0; p < layout.size(); p++) {
                words[p * capacity + h] = in.readInt();
            }
        }
        batch.headers.size(rows);
        return batch;
    }
}
