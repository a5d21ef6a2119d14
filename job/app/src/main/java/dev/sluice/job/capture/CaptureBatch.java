package dev.sluice.job.capture;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Batch of packets of a capture for an engine, in capture order.
 *
 * <p>Packets that can be classified are columns of headers; each other packet has a reason. Reused
 * from batch to batch. Not thread-safe, but threads may pass it on.
 */
public final class CaptureBatch {
    /** Number of words that captures may state: those before the first that they never do. */
    private static final int STATED = HeaderWord.MARK;

    private final PacketParser parser;
    private final ParsedPacket packet = new ParsedPacket();
    private final HeaderBatch headers;
    private final @Nullable Integer inPort;
    private final @Nullable Facts facts;

    /** True where the headers have the frame length. */
    private final boolean measured;

    private final long[] timesLow;
    private final int[] timesHigh;
    private final @Nullable String[] reasons;
    private final long[] headerTimes;
    private final int[] headerLengths;
    private final ShutTunnels shut = new ShutTunnels();
    private @Nullable KeptPackets kept;
    private int @Nullable [] flows;
    private int[] states = {};
    private @Nullable CaptureBatch beside;
    private @Nullable RowFacts rowFacts;
    private long @Nullable [] numbers;
    private int packets;
    private long first;
    private int capture;

    /** Facts that a capture tells of its packets beside their headers. */
    public interface Facts {
        /** Puts what is told of the present packet of a reader into its header. */
        void put(CaptureReader reader, ParsedPacket packet);
    }

    /** Creates an empty batch of headers alone. */
    public CaptureBatch(HeaderBatch headers, ParserOptions parsing, @Nullable Integer inPort) {
        this(headers, parsing, inPort, null);
    }

    /**
     * Creates an empty batch.
     *
     * @param headers takes the headers; its capacity is that of the batch
     * @param parsing which header of a packet is classified
     * @param inPort ingress port of all packets; null: unknown
     * @param facts what is put into headers beside; null: nothing
     */
    public CaptureBatch(
            HeaderBatch headers,
            ParserOptions parsing,
            @Nullable Integer inPort,
            @Nullable Facts facts) {
        this.facts = facts;
        this.headers = headers;
        parser = new PacketParser(parsing.reading(headers.layout().wordBits()));
        this.inPort = inPort;
        measured = headers.layout().position(HeaderWord.FRAME_LENGTH) >= 0;
        int capacity = headers.capacity();
        timesLow = new long[capacity];
        timesHigh = new int[capacity];
        reasons = new String[capacity];
        headerTimes = new long[capacity];
        headerLengths = new int[capacity];
    }

    /** Makes the batch keep the bytes of its packets, too, for {@link CaptureWriter}. */
    public CaptureBatch keeping() {
        kept = new KeptPackets(headers.capacity());
        return this;
    }

    /** Makes the batch keep all words of its headers, too. */
    public CaptureBatch stating() {
        flows = new int[headers.capacity() * STATED];
        return this;
    }

    /** Makes the batch keep all words of its headers, too, and room for connection states. */
    public CaptureBatch tracking() {
        stating();
        states = new int[headers.capacity()];
        return this;
    }

    /** Makes the batch take packets of blocks, too, which have numbers of their own. */
    public CaptureBatch numbered() {
        numbers = new long[headers.capacity()];
        return this;
    }

    /** Makes the batch keep the facts that rows of connections tell, too. */
    public CaptureBatch telling() {
        rowFacts = new RowFacts(headers.capacity());
        return this;
    }

    /** Returns the facts that rows of connections tell, if the batch is {@link #telling}. */
    public @Nullable RowFacts rowFacts() {
        return rowFacts;
    }

    /**
     * Makes another batch take the same packets, for other rules; this one must read all header
     * words of both. Its capacity is that of this one.
     */
    public CaptureBatch with(CaptureBatch other) {
        beside = other;
        return this;
    }

    /** Returns the batch that takes the same packets, of a batch that is {@link #with} one. */
    public CaptureBatch beside() {
        return Objects.requireNonNull(beside);
    }

    /** Copies the words that captures state of a header, if the batch is {@link #stating}. */
    public void words(int header, int[] to) {
        System.arraycopy(flows(), header * STATED, to, 0, STATED);
    }

    /**
     * Returns the words that captures state of each header, one header behind the other, if the
     * batch is {@link #stating}.
     */
    public int[] flows() {
        return Objects.requireNonNull(flows);
    }

    /** Returns the connection states of the headers, if the batch is {@link #tracking}. */
    public int[] states() {
        return states;
    }

    /** Returns the bytes of the packets. */
    KeptPackets kept() {
        return Objects.requireNonNull(kept);
    }

    /** Removes all packets, and sets the index of the next packets' capture. */
    public void clear(int captureIndex) {
        if (kept != null) {
            kept.clear();
        }
        headers.clear(headers.layout());
        packets = 0;
        shut.clear();
        capture = captureIndex;
        if (beside != null) {
            beside.clear(captureIndex);
        }
    }

    /** Adds the present packet of a reader; there must be room. */
    public void add(CaptureReader reader) {
        parser.parse(reader, packet);
        add(reader, packet);
        if (beside != null) {
            beside.add(reader, packet);
        }
    }

    private void add(CaptureReader reader, ParsedPacket packet) {
        if (packets == 0) {
            first = reader.packet();
        }
        int at = packets++;
        if (kept != null) {
            kept.add(at, reader);
        }
        timesLow[at] = reader.timeNs();
        timesHigh[at] = reader.timeHigh();
        if (!packet.status().isClassified()) {
            reasons[at] = packet.status().reason(reader.linkType());
            return;
        }
        reasons[at] = null;
        shut.add(packet.shut());
        int[] words = packet.words();
        if (inPort != null) {
            Field.IN_PORT.put(words, inPort);
        }
        if (facts != null) {
            facts.put(reader, packet);
        }
        int row = headers.size();
        headerTimes[row] = reader.clampedTimeNs();
        headerLengths[row] = reader.frameLength();
        if (measured || flows != null) {
            Field.FRAME_LENGTH.put(words, headerLengths[row]);
        }
        headers.add(words);
        if (flows != null) {
            System.arraycopy(words, 0, flows, row * STATED, STATED);
        }
        if (rowFacts != null) {
            String port = inPort == null ? null : Integer.toUnsignedString(inPort);
            rowFacts.add(row, number(at), port == null ? reader.interfaceName() : port);
        }
    }

    /**
     * Adds packets of a block, which all can be classified, to a batch that is {@link #numbered};
     * there must be room.
     *
     * @param from the first of them
     * @param count how many
     */
    public void add(PacketBlock block, int from, int count) {
        int row = headers.size();
        block.appendTo(headers, from, count);
        for (int word = 0; flows != null && word < STATED; word++) {
            Column column = block.column(word);
            for (int i = 0; i < count; i++) {
                flows[(row + i) * STATED + word] = column == null ? 0 : (int) column.get(from + i);
            }
        }
        Column number = Objects.requireNonNull(block.column(Column.PACKET));
        number.copyLongs(from, count, Objects.requireNonNull(numbers), packets);
        Column time = block.column(Column.TIME_NS);
        Column length = block.column(Column.FRAME_LENGTH);
        for (int i = 0; i < count; i++) {
            headerTimes[row + i] = time == null ? Column.NO_TIME : time.get(from + i);
            headerLengths[row + i] = length == null ? 0 : (int) length.get(from + i);
            reasons[packets + i] = null;
        }
        packets += count;
        if (beside != null) {
            beside.add(block, from, count);
        }
    }

    /** Returns the number of packets. */
    public int packets() {
        return packets;
    }

    /** Tells whether the batch is full. */
    public boolean isFull() {
        return packets == reasons.length || kept != null && kept.isFull();
    }

    /** Returns the index of the packets' capture. */
    public int capture() {
        return capture;
    }

    /**
     * Returns a packet's number in its capture, from 1; all packets since {@link #clear} are of one
     * capture, and either of its reader or of blocks.
     */
    public long number(int at) {
        return numbers == null ? first + at : numbers[at];
    }

    /** Returns the low 64 bits of a packet's time in ns. */
    public long timeLow(int at) {
        return timesLow[at];
    }

    /** Returns the 32 bits above {@link #timeLow}. */
    public int timeHigh(int at) {
        return timesHigh[at];
    }

    boolean hasTime(int at) {
        return timesLow[at] != Column.NO_TIME || timesHigh[at] != -1;
    }

    /**
     * Returns the reason why a packet cannot be classified; null: it is the next among the headers.
     */
    public @Nullable String reason(int at) {
        return reasons[at];
    }

    /** Adds the packets that cannot be classified to counts by reason. */
    public void countReasons(Map<String, Long> counts) {
        for (int i = 0; i < packets && headers.size() < packets; i++) {
            String reason = reasons[i];
            if (reason != null) {
                counts.merge(reason, 1L, Long::sum);
            }
        }
    }

    /** Returns the packets whose tunnel was not decapsulated. */
    public ShutTunnels shutTunnels() {
        return shut;
    }

    /** Returns the headers of the packets that can be classified. */
    public HeaderBatch headers() {
        return headers;
    }

    /** Returns the times of the headers, in ns since 1970 UTC, clamped to the range of a long. */
    public long[] headerTimes() {
        return headerTimes;
    }

    /** Returns the frame lengths of the headers on the wire, in bytes. */
    public int[] headerLengths() {
        return headerLengths;
    }
}
