package dev.sluice.job.capture;

import dev.sluice.job.capture.CaptureReader.Direction;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Header of one packet as the parser read it: match words, the columns that it reached, and status.
 * Reused from packet to packet.
 */
public final class ParsedPacket {
    // Bits of columns with a value whose presence the match words do not show.
    static final int ETH_TYPE = 1;
    static final int IP_VERSION = 1 << 1;
    static final int TOS = 1 << 2;
    static final int FRAGMENT = 1 << 3;
    static final int PROTO = 1 << 4;
    static final int IP_SRC = 1 << 5;
    static final int IP_DST = 1 << 6;
    static final int SRC_PORT = 1 << 7;
    static final int DST_PORT = 1 << 8;
    static final int TCP_FLAGS = 1 << 9;

    /** Minor defect that does not stop the parser. */
    enum Note {
        CAPLEN_BEYOND_WIRELEN,
        VLAN_STACKED,
        LENGTH_1501_1535,
        SNAP,
        SNAP_SMALL_TYPE,
        IP_LENGTH_BEYOND_FRAME,
        IP_TOTAL_LENGTH_0,
        IP_PAYLOAD_LENGTH_0,
        TCP_DATA_OFFSET,
        UDP_LENGTH;

        final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    final int[] words = new int[HeaderWord.COUNT];
    int columns;
    int notes;
    PacketStatus status = PacketStatus.OK;

    /** Identification of its datagram, if it is a fragment. */
    int datagram;

    /** Type, code and identifier of an ICMP packet, as {@link Field#FLOW_PORTS}; 0: of others. */
    int icmp;

    /** Tunnel that was not decapsulated, so that its outer header is classified; null: none. */
    @Nullable Tunnel shut;

    /** First fragment whose tunnel it was in; null: none. */
    private @Nullable ParsedPacket around;

    /** The kernel's number of the interface that it came in by, as its capture has it; 0: none. */
    int inIndex;

    /** The kernel's number of the interface that it leaves by, as its capture has it; 0: none. */
    int outIndex;

    /** Direction that its link layer states. */
    Direction direction = Direction.UNSTATED;

    void clear() {
        Arrays.fill(words, 0);
        inIndex = 0;
        outIndex = 0;
        direction = Direction.UNSTATED;
        columns = 0;
        icmp = 0;
        notes = 0;
        status = PacketStatus.OK;
        shut = null;
        around = null;
    }

    /** Keeps the header of a tunnel for {@link #follow}, if it is a first fragment. */
    void keep(ParsedPacket outer) {
        if (Field.FRAGMENT.extract(outer.words[HeaderWord.IP]) == Field.FRAGMENT_FIRST) {
            ParsedPacket first = new ParsedPacket();
            first.copy(outer);
            first.around = around;
            around = first;
        }
    }

    /** Copies the header of another packet, but not its notes. */
    void copy(ParsedPacket other) {
        System.arraycopy(other.words, 0, words, 0, words.length);
        columns = other.columns;
        datagram = other.datagram;
        icmp = other.icmp;
        status = other.status;
    }

    void note(Note note) {
        notes |= 1 << note.ordinal();
    }

    boolean has(Note note) {
        return (notes & 1 << note.ordinal()) != 0;
    }

    boolean has(int column) {
        return (columns & column) != 0;
    }

    boolean hasVlan() {
        return (words[HeaderWord.ETHER] & Field.VLAN_PRESENT.maskInWord()) != 0;
    }

    /**
     * Notes its datagram if it is a first fragment; a later one gets the ports of its datagram.
     * Datagrams whose tunnels it was in are noted, too: their later fragments have no inner header.
     *
     * @param timeNs its time, or {@link dev.sluice.schemas.codec.Column#NO_TIME}
     * @param position its position among the packets of the table
     * @return false for a later fragment whose first one is not in the table
     */
    public boolean follow(Datagrams datagrams, long timeNs, long position) {
        if (around != null) {
            around.follow(datagrams, timeNs, position);
        }
        return Field.FRAGMENT.extract(words[HeaderWord.IP]) == Field.FRAGMENT_NONE
                || status != PacketStatus.OK
                || datagrams.follow(words, datagram, icmp != 0 ? icmp : ports(), timeNs, position);
    }

    /** Returns its ports, or the id of its call in their place. */
    private int ports() {
        boolean call = Field.FLOW_PRESENT.extract(words[HeaderWord.TCP_FLAGS]) != 0;
        return words[call ? HeaderWord.FLOW_PORTS : HeaderWord.PORTS];
    }

    /** Returns the header's {@link HeaderWord#COUNT} words; do not change them. */
    public int[] words() {
        return words;
    }

    /**
     * Returns the tunnel that was not decapsulated, so that its outer header is classified; null:
     * none.
     */
    public @Nullable Tunnel shut() {
        return shut;
    }

    /** Returns the kernel's number of the interface that it came in by; 0: the capture has none. */
    public int inIndex() {
        return inIndex;
    }

    /** Returns the kernel's number of the interface that it leaves by; 0: the capture has none. */
    public int outIndex() {
        return outIndex;
    }

    /** Returns the direction that its link layer states. */
    public Direction direction() {
        return direction;
    }

    /** Returns the result of the parse. */
    public PacketStatus status() {
        return status;
    }
}
