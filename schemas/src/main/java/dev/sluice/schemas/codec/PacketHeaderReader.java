package dev.sluice.schemas.codec;

import static dev.sluice.schemas.codec.DeadLetterReason.HEADER_ADDRESSES;
import static dev.sluice.schemas.codec.DeadLetterReason.HEADER_FIELD;
import static dev.sluice.schemas.codec.DeadLetterReason.HEADER_TEXT;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;

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
    private static final MessageKind KIND = MessageKind.of("PacketHeader");
    private static final long FULL_WORD = 0xffffffffL;

    private final WireCursor in = new WireCursor();
    private final int[] words = new int[HeaderWord.COUNT];

    /** Fields in the order of the message; a slot is an index into these. */
    private final PacketField[] fields;

    private final Field[] rows;
    private final Schema.Type[] types;

    /** Slot of the source of IP headers, of 4 or 16 bytes; addresses of other slots have 4. */
    private final int sourceSlot;

    private final int destinationSlot;

    /** Numbers of the header by slot; of bytes, where they begin. */
    private final long[] values;

    /** Lengths of bytes by slot. */
    private final int[] lengths;

    /** The bits of the slots of what the header has. */
    private long present;

    private byte[] captureBytes = {};
    private String capture = "";
    private int captureIndex;
    private long packet;
    private long timeNs;

    /** A reader of all fields. */
    public PacketHeaderReader() {
        this(MessageSchemas.current(KIND.name()), PacketField.values());
    }

    /** A reader of messages of a schema, which may have other fields. */
    PacketHeaderReader(Schema schema, List<PacketField> known) {
        Map<String, PacketField> byKey = new HashMap<>();
        known.forEach(field -> byKey.put(field.key(), field));
        fields =
                schema.getFields().stream()
                        .map(field -> byKey.get(field.name()))
                        .filter(Objects::nonNull)
                        .toArray(PacketField[]::new);
        rows = Arrays.stream(fields).map(field -> field.rows().get(0)).toArray(Field[]::new);
        types = Arrays.stream(fields).map(PacketHeaderReader::type).toArray(Schema.Type[]::new);
        values = new long[fields.length];
        lengths = new int[fields.length];
        List<String> keys = Arrays.stream(fields).map(PacketField::key).toList();
        sourceSlot = keys.indexOf(PacketField.IP_SRC.key());
        destinationSlot = keys.indexOf(PacketField.IP_DST.key());
    }

    /** Type of a field in a header message, where it is not null. */
    static Schema.Type type(PacketField field) {
        if (field.text() == FieldText.ADDRESS) {
            return Schema.Type.BYTES;
        }
        return field.rows().get(0).bits() > 32 ? Schema.Type.LONG : Schema.Type.INT;
    }

    /** Returns whether a message says that it is a PacketHeader of a released schema. */
    public static boolean isHeader(byte[] message) {
        return KIND.isIn(message);
    }

    /**
     * Reads a message for which {@link #isHeader} holds.
     *
     * @throws MalformedMessageException if it is truncated or corrupt, or contradicts itself; what
     *     the reader holds then is of no use
     * @throws IllegalArgumentException if it is no PacketHeader
     */
    public void read(byte[] message) throws MalformedMessageException {
        if (!isHeader(message)) {
            throw new IllegalArgumentException("the message is no PacketHeader; ask isHeader");
        }
        readPresent(KIND.present(message, MessageSchemas::byFingerprint));
    }

    /** Reads a message of the schema of this reader. */
    void readPresent(byte[] message) throws MalformedMessageException {
        in.start(message, MessageCodec.HEADER_BYTES, message.length);
        try {
            captureName();
            captureIndex = in.integer();
            packet = in.number();
            timeNs = isThere() ? in.number() : Column.NO_TIME;
            present = 0;
            for (int slot = 0; slot < fields.length; slot++) {
                if (isThere()) {
                    field(slot);
                }
            }
            in.end();
            makeWords(message);
        } finally {
            in.clear();
        }
    }

    /** Reads which of null and a value follows. */
    private boolean isThere() throws MalformedMessageException {
        long choice = in.number();
        if (choice < 0 || choice > 1) {
            throw WireCursor.malformed("choice " + choice + " of 2");
        }
        return choice == 1;
    }

    private void field(int slot) throws MalformedMessageException {
        switch (types[slot]) {
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
        TextLimit.require(HEADER_TEXT, "capture name", length);
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
        for (long left = others; left != 0; left &= left - 1) {
            put(message, Long.numberOfTrailingZeros(left));
        }
    }

    private void put(byte[] message, int slot) throws MalformedMessageException {
        PacketField field = fields[slot];
        Field row = rows[slot];
        long value = values[slot];
        switch (row.text()) {
            case MAC -> {
                requireMost(field, value, 0xffffffffffffL);
                FieldBits.orMac(words, row, value);
                row.markPresent(words);
            }
            case ADDRESS -> address(message, field, (int) value, lengths[slot]);
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

    /** Puts an address beside those of the IP header, whose version tells the number of bytes. */
    private void address(byte[] message, PacketField field, int at, int length)
            throws MalformedMessageException {
        for (Field row : field.rows()) {
            if (FieldBits.fitsAddresses(words, row)) {
                if (8 * length != row.bits()) {
                    throw new MalformedMessageException(
                            HEADER_FIELD,
                            "%s: %d bytes are not %d"
                                    .formatted(field.key(), length, row.bits() / 8));
                }
                for (int i = 0; i < row.words(); i++) {
                    words[row.word() + i] = wordAt(message, at + 4 * i);
                }
                row.markPresent(words);
            }
        }
    }

    private static void requireMost(PacketField field, long value, long most)
            throws MalformedMessageException {
        if (value < 0 || value > most) {
            throw new MalformedMessageException(
                    HEADER_FIELD, field.key() + ": " + value + " is not in 0.." + most);
        }
    }

    private void addresses(byte[] message) throws MalformedMessageException {
        int length = lengths[sourceSlot];
        boolean both = has(destinationSlot) && length == lengths[destinationSlot];
        if (!both || length != 4 && length != 16) {
            throw new MalformedMessageException(
                    HEADER_ADDRESSES, "ipSrc and ipDst must both have 4 or both 16 bytes");
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
        return captureIndex;
    }

    /** Packet number in its capture, from 1. */
    public long packet() {
        return packet;
    }

    /** Time in ns since 1970 UTC; {@link Column#NO_TIME} where it is unknown. */
    public long timeNs() {
        return timeNs;
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
                capture(), captureIndex(), FlowShard.FLOW.of(words, shards), shards, 1, columns);
    }
}
