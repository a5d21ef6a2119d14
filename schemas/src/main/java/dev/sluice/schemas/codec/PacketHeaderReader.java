package dev.sluice.schemas.codec;

import dev.sluice.schemas.codec.HeaderForm.Part;
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
    private final WireCursor in = new WireCursor();
    private final int[] words = new int[HeaderWord.COUNT];

    /** Numbers of the header by part; of addresses, where their bytes begin. */
    private final long[] values = new long[Part.COUNT];

    /** The {@link Part#bit}s of what the header has. */
    private int present;

    private int sourceLength;
    private int destinationLength;
    private byte[] captureBytes = {};
    private String capture = "";

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
        if (piece.part() == Part.OTHER) {
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
        switch (piece.part()) {
            case CAPTURE -> captureName();
            case IP_SRC -> sourceLength = bytes(piece.part());
            case IP_DST -> destinationLength = bytes(piece.part());
            case VLAN -> {
                for (Piece inner : piece.inner()) {
                    field(inner);
                }
            }
            default -> values[piece.part().ordinal()] = piece.asInt() ? in.integer() : in.number();
        }
        present |= piece.part().bit();
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

    private int bytes(Part part) throws MalformedMessageException {
        int length = in.length();
        values[part.ordinal()] = in.at();
        in.skip(length);
        return length;
    }

    private boolean has(Part part) {
        return (present & part.bit()) != 0;
    }

    private long value(Part part, long absent) {
        return has(part) ? values[part.ordinal()] : absent;
    }

    private void makeWords(byte[] message) throws MalformedMessageException {
        Arrays.fill(words, 0);
        int ip = 0;
        ip |= optional(Part.IN_PORT, HeaderWord.IN_PORT, Field.IN_PORT_PRESENT);
        ip |= optional(Part.SPI, HeaderWord.SPI, Field.SPI_PRESENT);
        ip |= optional(Part.TUNNEL_ID, HeaderWord.TUNNEL_ID, Field.TUNNEL_ID_PRESENT);
        ip |= mac(Part.ETH_SRC, Field.ETH_SRC, Field.ETH_SRC_PRESENT);
        ip |= mac(Part.ETH_DST, Field.ETH_DST, Field.ETH_DST_PRESENT);
        int ether = Field.ETH_TYPE.place(number(Part.ETH_TYPE, Field.NO_ETHER_TYPE, 0xffff));
        if (has(Part.VLAN)) {
            ether |= Field.VLAN_PRESENT.place(1);
            ether |= Field.VLAN_ID.place(number(Part.VLAN_ID, 0, 0xfff));
            ether |= Field.VLAN_PRIORITY.place(number(Part.VLAN_PRIORITY, 0, 7));
        }
        words[HeaderWord.ETHER] = ether;
        if (has(Part.IP_SRC)) {
            ip |= addresses(message);
            ip |= Field.IP_PROTO.place(number(Part.IP_PROTO, 0, 0xff));
            ip |= Field.TOS.place(number(Part.TOS, 0, 0xff));
        }
        int fragment = number(Part.FRAGMENT, 0, 2);
        ip |= Field.FRAGMENT.place(fragment == 2 ? Field.FRAGMENT_LATER : fragment);
        if (has(Part.SRC_PORT) || has(Part.DST_PORT)) {
            ip |= Field.PORTS_PRESENT.place(1);
            words[HeaderWord.PORTS] =
                    Field.SRC_PORT.place(number(Part.SRC_PORT, 0, 0xffff))
                            | Field.DST_PORT.place(number(Part.DST_PORT, 0, 0xffff));
        }
        words[HeaderWord.TCP_FLAGS] = number(Part.TCP_FLAGS, 0, 0xfff);
        words[HeaderWord.IP] = ip;
    }

    private int addresses(byte[] message) throws MalformedMessageException {
        boolean both = has(Part.IP_DST) && sourceLength == destinationLength;
        if (!both || sourceLength != 4 && sourceLength != 16) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_ADDRESSES,
                    "ipSrc and ipDst must both have 4 or both 16 bytes");
        }
        int source = (int) values[Part.IP_SRC.ordinal()];
        int destination = (int) values[Part.IP_DST.ordinal()];
        if (sourceLength == 4) {
            words[HeaderWord.IPV4_SRC] = wordAt(message, source);
            words[HeaderWord.IPV4_DST] = wordAt(message, destination);
            return Field.IP_VERSION.place(Field.VERSION_4);
        }
        for (int i = 0; i < 4; i++) {
            words[HeaderWord.IPV6_SRC + i] = wordAt(message, source + 4 * i);
            words[HeaderWord.IPV6_DST + i] = wordAt(message, destination + 4 * i);
        }
        return Field.IP_VERSION.place(Field.VERSION_6);
    }

    private static int wordAt(byte[] message, int at) {
        return Integer.reverseBytes((int) LittleEndian.INTS.get(message, at));
    }

    private int optional(Part part, int word, Field presentBit) {
        if (!has(part)) {
            return 0;
        }
        words[word] = (int) values[part.ordinal()];
        return presentBit.place(1);
    }

    private int mac(Part part, Field field, Field presentBit) throws MalformedMessageException {
        if (!has(part)) {
            return 0;
        }
        long mac = values[part.ordinal()];
        if (mac >>> 48 != 0) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD,
                    part.field() + ": " + mac + " has more than 48 bits");
        }
        FieldBits.orMac(words, field, mac);
        return presentBit.place(1);
    }

    private int number(Part part, int absent, int max) throws MalformedMessageException {
        if (!has(part)) {
            return absent;
        }
        long number = values[part.ordinal()];
        if (number < 0 || number > max) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD,
                    part.field() + ": " + number + " is not in 0.." + max);
        }
        return (int) number;
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
        return (int) value(Part.CAPTURE_INDEX, 0);
    }

    /** Packet number in its capture, from 1. */
    public long packet() {
        return values[Part.PACKET.ordinal()];
    }

    /** Time in ns since 1970 UTC; {@link Column#NO_TIME} where it is unknown. */
    public long timeNs() {
        return value(Part.TIME_NS, Column.NO_TIME);
    }

    /** Length on the wire in bytes; 0 where it is unknown. */
    public int frameLength() {
        return (int) value(Part.FRAME_LENGTH, 0);
    }

    /**
     * The header as a block of one.
     *
     * @param shards flow shards to spread headers over
     */
    PacketBlock block(int shards) {
        List<Column> columns = new ArrayList<>(HeaderWord.COUNT + 3);
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (words[w] != 0) {
                columns.add(Column.constant(w, words[w] & 0xffffffffL));
            }
        }
        columns.add(Column.constant(Column.PACKET, packet()));
        columns.add(Column.constant(Column.TIME_NS, timeNs()));
        columns.add(Column.constant(Column.FRAME_LENGTH, frameLength()));
        return new PacketBlock(
                capture(), captureIndex(), FlowShard.of(words, shards), shards, 1, columns);
    }
}
