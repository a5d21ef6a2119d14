package dev.sluice.schemas.codec;

import dev.sluice.schemas.codec.HeaderForm.Piece;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads PacketHeader messages straight from their bytes: no record, no box and, while captures do
 * not change, no object a header.
 *
 * <p>{@link #read} goes through the whole body once and holds every length against the bytes that
 * are there; then it checks what the header says of itself and makes its words. So a message is
 * first refused for its form, then for its content. What it read stays until the next call.
 *
 * <p>Reusable; not thread-safe: one a thread.
 */
public final class PacketHeaderReader {
    private static final long FULL_WORD = 0xffffffffL;

    private final WireCursor in = new WireCursor();
    private final int[] words = new int[HeaderWord.COUNT];
    private final PacketField[] fields;
    private final Field[] rows;

    /** Slot of the source of IP headers, of 4 or 16 bytes; addresses of other slots have 4. */
    private final int sourceSlot;

    private final int destinationSlot;

    /** Numbers of the header by slot of {@link HeaderForm}; of bytes, where they begin. */
    private final long[] values;

    /** Lengths of bytes by slot. */
    private final int[] lengths;

    /** The bits of the slots of what the header has. */
    private long present;

    private byte[] captureBytes = {};
    private String capture = "";

    /** A reader of all fields. */
    public PacketHeaderReader() {
        this(PacketField.values());
    }

    PacketHeaderReader(List<PacketField> fields) {
        this.fields = fields.toArray(PacketField[]::new);
        rows = fields.stream().map(field -> field.rows().get(0)).toArray(Field[]::new);
        int slots = HeaderForm.FIRST_FIELD + fields.size();
        values = new long[slots];
        lengths = new int[slots];
        sourceSlot = HeaderForm.FIRST_FIELD + PacketField.IP_SRC.ordinal();
        destinationSlot = HeaderForm.FIRST_FIELD + PacketField.IP_DST.ordinal();
    }

    /** Returns whether a message says that it is a PacketHeader of a released schema. */
    public static boolean isHeader(byte[] message) {
        return HeaderForm.of(message) != null;
    }

    /**
     * Reads a message for which {@link #isHeader} holds.
     *
     * @throws MalformedMessageException if it is truncated or corrupt, or contradicts itself; what
     *     the reader holds then is of no use
     * @throws IllegalArgumentException if it is no PacketHeader
     */
    public void read(byte[] message) throws MalformedMessageException {
        HeaderForm form = HeaderForm.of(message);
        if (form == null) {
            throw new IllegalArgumentException("the message is no PacketHeader; ask isHeader");
        }
        read(message, form);
    }

    /** As {@link #read(byte[])}, by the form of the message's writer. */
    void read(byte[] message, HeaderForm form) throws MalformedMessageException {
        in.start(message, MessageCodec.HEADER_BYTES);
        try {
            present = 0;
            for (Piece piece : form.pieces) {
                field(piece);
            }
            in.end();
            makeWords(message);
        } finally {
            in.clear();
        }
    }

    private void field(Piece piece) throws MalformedMessageException {
        int slot = piece.slot();
        if (slot == HeaderForm.OTHER) {
            WireCheck.pass(piece.schema(), in);
            return;
        }
        if (piece.nullAt() >= 0) {
            long choice = in.number();
            if (choice < 0 || choice > 1) {
                throw WireCursor.malformed("choice " + choice + " of 2");
            }
            if (choice == piece.nullAt()) {
                return;
            }
        }
        switch (piece.type()) {
            case STRING -> captureName();
            case BYTES -> {
                lengths[slot] = in.length();
                values[slot] = in.at();
                in.skip(lengths[slot]);
            }
            case INT -> values[slot] = in.integer();
            default -> values[slot] = in.number();
        }
        present |= 1L << slot;
    }

    private void captureName() throws MalformedMessageException {
        int length = in.length();
        TextLimit.require(DeadLetterReason.HEADER_TEXT, "capture name", length);
        int from = in.at();
        in.skip(length);
        int to = in.at();
        if (!Arrays.equals(captureBytes, 0, captureBytes.length, in.bytes(), from, to)) {
            captureBytes = Arrays.copyOfRange(in.bytes(), from, to);
            capture = new String(captureBytes, StandardCharsets.UTF_8);
        }
    }

    private boolean has(int slot) {
        return (present >>> slot & 1) != 0;
    }

    private long value(int slot, long absent) {
        return has(slot) ? values[slot] : absent;
    }

    /**
     * Addresses first, as other fields depend on the IP version; the others in the table's order.
     */
    private void makeWords(byte[] message) throws MalformedMessageException {
        Arrays.fill(words, 0);
        words[HeaderWord.ETHER] = Field.ETH_TYPE.place(Field.NO_ETHER_TYPE);
        if (has(sourceSlot)) {
            addresses(message);
        }
        long others = present & ~(1L << sourceSlot | 1L << destinationSlot);
        for (long left = others >>> HeaderForm.FIRST_FIELD; left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            put(message, fields[number], rows[number]);
        }
    }

    private void put(byte[] message, PacketField field, Field row)
            throws MalformedMessageException {
        int slot = HeaderForm.FIRST_FIELD + field.ordinal();
        long value = values[slot];
        switch (row.text()) {
            case MAC -> {
                requireMost(field, value, 0xffffffffffffL);
                FieldBits.orMac(words, row, value);
                row.markPresent(words);
            }
            case ADDRESS -> {
                if (lengths[slot] != 4) {
                    throw new MalformedMessageException(
                            DeadLetterReason.HEADER_FIELD,
                            field.key() + ": " + lengths[slot] + " bytes are not 4");
                }
                row.put(words, wordAt(message, (int) value));
            }
            case FRAGMENT -> {
                requireMost(field, value, 2);
                if (FieldBits.fitsAddresses(words, row)) {
                    row.put(words, value == 2 ? Field.FRAGMENT_LATER : (int) value);
                }
            }
            default -> {
                long unsigned = row.bits() == 32 ? value & FULL_WORD : value;
                requireMost(field, unsigned, row.bits() == 32 ? FULL_WORD : row.extract(-1));
                if (FieldBits.fitsAddresses(words, row)) {
                    row.put(words, (int) unsigned);
                }
            }
        }
    }

    private static void requireMost(PacketField field, long value, long most)
            throws MalformedMessageException {
        if (value < 0 || value > most) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD,
                    field.key() + ": " + value + " is not in 0.." + most);
        }
    }

    private void addresses(byte[] message) throws MalformedMessageException {
        int length = lengths[sourceSlot];
        boolean both = has(destinationSlot) && length == lengths[destinationSlot];
        if (!both || length != 4 && length != 16) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_ADDRESSES,
                    "ipSrc and ipDst must both have 4 or both 16 bytes");
        }
        int source = (int) values[sourceSlot];
        int destination = (int) values[destinationSlot];
        if (length == 4) {
            words[HeaderWord.IPV4_SRC] = wordAt(message, source);
            words[HeaderWord.IPV4_DST] = wordAt(message, destination);
            words[HeaderWord.IP] |= Field.IP_VERSION.place(Field.VERSION_4);
            return;
        }
        for (int i = 0; i < 4; i++) {
            words[HeaderWord.IPV6_SRC + i] = wordAt(message, source + 4 * i);
            words[HeaderWord.IPV6_DST + i] = wordAt(message, destination + 4 * i);
        }
        words[HeaderWord.IP] |= Field.IP_VERSION.place(Field.VERSION_6);
    }

    private static int wordAt(byte[] message, int at) {
        return Integer.reverseBytes((int) LittleEndian.INTS.get(message, at));
    }

    /** The {@link HeaderWord#COUNT} words of the header; do not change. */
    public int[] words() {
        return words;
    }

    /** Name of the capture or interface: the same object for headers of one in a row. */
    public String capture() {
        return capture;
    }

    /** Position of the capture in its export, from 0. */
    public int captureIndex() {
        return (int) value(HeaderForm.CAPTURE_INDEX, 0);
    }

    /** Packet number in its capture, from 1. */
    public long packet() {
        return values[HeaderForm.PACKET];
    }

    /** Time in ns since 1970 UTC; {@link Column#NO_TIME} where it is unknown. */
    public long timeNs() {
        return value(HeaderForm.TIME_NS, Column.NO_TIME);
    }

    /** Length on the wire in bytes; 0 where it is unknown. */
    public int frameLength() {
        return words[HeaderWord.FRAME_LENGTH];
    }

    /**
     * The header as a block of one.
     *
     * @param shards flow shards to spread headers over
     */
    PacketBlock block(int shards) {
        List<Column> columns = new ArrayList<>(HeaderWord.COUNT + 2);
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (words[w] != 0) {
                columns.add(Column.constant(w, words[w] & 0xffffffffL));
            }
        }
        columns.add(Column.constant(Column.PACKET, packet()));
        columns.add(Column.constant(Column.TIME_NS, timeNs()));
        return new PacketBlock(
                capture(), captureIndex(), FlowShard.of(words, shards), shards, 1, columns);
    }
}
