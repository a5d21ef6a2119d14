package dev.sluice.operators.connections;

import dev.sluice.schemas.codec.Connection;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;

/**
 * Row of a connection, read from its slot. One object is used again for all rows of a table.
 *
 * <p>The words of a row:
 *
 * <pre>
 *   0, 1   packets of who began and of who answers, 32 bits each; the largest number stays
 *   2, 3   bytes of who began and of who answers, lower 32 bits
 *   4      their upper 16 bits, those of who began in the lower half
 *   5, 6   time of the last packet; of a refused connection: number of the packet that was refused
 *   7      opening, a number that the tracker's caller gives
 * </pre>
 *
 * <p>The time of the first packet follows from that of the stream. Of SCTP, which has tags there,
 * words 5 and 6 are the time of the first packet, and that of the last one follows from the end: it
 * is of the last packet from which on the timeout ran anew. A refused connection's end is its last
 * packet's time and one timeout, which its bits tell, so that the time has no words.
 *
 * <p>Not thread-safe.
 */
public final class ConnectionRow {
    /** Number of words. */
    static final int WORDS = 8;

    private static final int UPPER_BYTES = 4;
    private static final int NUMBER = 5;
    private static final int OPENING = 7;

    private static final List<String> TCP =
            List.of(
                    "none",
                    "syn-sent",
                    "syn-recv",
                    "established",
                    "fin-wait",
                    "close-wait",
                    "last-ack",
                    "time-wait",
                    "close",
                    "syn-sent2");

    private static final List<String> SCTP =
            List.of(
                    "none",
                    "closed",
                    "cookie-wait",
                    "cookie-echoed",
                    "established",
                    "shutdown-sent",
                    "shutdown-recd",
                    "shutdown-ack-sent",
                    "heartbeat-sent",
                    "unknown");

    private final int keyWords;
    private final IntConsumer began;
    private final BiConsumer<ConnectionRow, ConnectionEnd> to;

    /** Timeout of a refused connection or one of SCTP by its bits. */
    private final IntToLongFunction timeouts;

    private final boolean refused;
    private int[] words = {};
    private int at;

    /**
     * A row of no slot.
     *
     * @param began hears the openings of rows that begin
     * @param to takes the rows
     * @param refused whether the table has connections that were refused
     * @param timeouts nanoseconds of a refused connection or one of SCTP by its {@link SlotBits}
     */
    ConnectionRow(
            int version,
            IntConsumer began,
            BiConsumer<ConnectionRow, ConnectionEnd> to,
            boolean refused,
            IntToLongFunction timeouts) {
        keyWords = version == 4 ? 3 : 9;
        this.began = began;
        this.to = to;
        this.refused = refused;
        this.timeouts = timeouts;
    }

    /** Writes a row with the packet that begins its connection. */
    static void begin(int[] to, int from, PacketTuple packet, int opening, long number) {
        Arrays.fill(to, from, from + WORDS, 0);
        to[from + OPENING] = opening;
        putTime(to, from + NUMBER, number);
        count(to, from, 0, packet.length());
    }

    /**
     * Counts a packet.
     *
     * @param direction 0 from who began
     * @param length its bytes
     */
    static void count(int[] to, int from, int direction, int length) {
        if (to[from + direction] == -1) {
            return; // no more packets can be told
        }
        to[from + direction]++;
        int lower = to[from + 2 + direction];
        int sum = lower + length;
        to[from + 2 + direction] = sum;
        if (Integer.compareUnsigned(sum, lower) < 0) {
            int shift = 16 * direction;
            int upper = (to[from + UPPER_BYTES] >>> shift) + 1 & 0xffff;
            to[from + UPPER_BYTES] = to[from + UPPER_BYTES] & ~(0xffff << shift) | upper << shift;
        }
    }

    static void last(int[] to, int from, long time) {
        if (time > time(to, from + NUMBER)) {
            putTime(to, from + NUMBER, time);
        }
    }

    /** Reads a time of two words, the lower one first. */
    static long time(int[] from, int at) {
        return from[at] & 0xffffffffL | (long) from[at + 1] << Integer.SIZE;
    }

    /** Writes a time. */
    static void putTime(int[] to, int at, long time) {
        to[at] = (int) time;
        to[at + 1] = (int) (time >>> Integer.SIZE);
    }

    /** Sets the slot that is read. */
    ConnectionRow at(int[] slots, int slot) {
        words = slots;
        at = slot;
        return this;
    }

    /** Hands the row of a slot on. */
    void hand(int[] slots, int slot, ConnectionEnd end) {
        to.accept(at(slots, slot), end);
    }

    /** Tells the receiver of a row that begins, or was restored. */
    void began(int[] slots, int slot) {
        began.accept(at(slots, slot).opening());
    }

    private int bits() {
        return words[at + keyWords];
    }

    private int row(int word) {
        return words[at + keyWords + 5 + word];
    }

    /** Returns the IP version. */
    public int version() {
        return keyWords == 3 ? 4 : 6;
    }

    /** Returns the IP protocol. */
    public int protocol() {
        return bits() & 0xff;
    }

    /** Returns the address of who began, 4 or 16 bytes. */
    public byte[] source() {
        return address(beganUpper());
    }

    /** Returns the address of who answers, 4 or 16 bytes. */
    public byte[] destination() {
        return address(!beganUpper());
    }

    private boolean beganUpper() {
        return (bits() & SlotBits.BEGAN_UPPER) != 0;
    }

    private byte[] address(boolean upper) {
        int count = keyWords / 2;
        ByteBuffer bytes = ByteBuffer.allocate(count * Integer.BYTES);
        for (int i = 0; i < count; i++) {
            bytes.putInt(words[at + (upper ? count : 0) + i]);
        }
        return bytes.array();
    }

    private int ports() {
        return words[at + keyWords - 1];
    }

    /** Tells whether the protocol is told apart by ports. */
    public boolean hasPorts() {
        return PacketTuple.hasPorts(protocol())
                && (protocol() != PacketTuple.SCTP || (bits() & SlotBits.TAGGED) != 0);
    }

    /** Tells whether the connection is a query of ICMP or ICMPv6. */
    public boolean isQuery() {
        return protocol() == (version() == 4 ? PacketTuple.ICMP : PacketTuple.ICMPV6);
    }

    /** Returns the port of who began; of a query its type; else 0. */
    public int sourcePort() {
        return isQuery() ? ports() >>> 8 & 0xff : beganUpper() ? ports() & 0xffff : ports() >>> 16;
    }

    /** Returns the port of who answers; of a query its code; else 0. */
    public int destinationPort() {
        return isQuery() ? ports() & 0xff : beganUpper() ? ports() >>> 16 : ports() & 0xffff;
    }

    /** Returns the identifier of a query. */
    public int queryId() {
        return ports() >>> 16;
    }

    /** Returns the time of the first packet, in ns. */
    public long first() {
        return isTagged() ? number() : time(words, at + keyWords + 3) - IdleTimeouts.STREAM_NANOS;
    }

    /** Returns the time of the last packet, in ns. */
    public long last() {
        return refused || isTagged()
                ? time(words, at + keyWords + 1) - timeouts.applyAsLong(bits())
                : number();
    }

    private boolean isTagged() {
        return !refused && (bits() & SlotBits.TAGGED) != 0;
    }

    private long number() {
        return time(words, at + keyWords + 5 + NUMBER);
    }

    /** Returns the packets of a direction; 0: from who began. */
    public long packets(int direction) {
        return Integer.toUnsignedLong(row(direction));
    }

    /** Returns the bytes of a direction; 0: from who began. */
    public long bytes(int direction) {
        return Integer.toUnsignedLong(row(2 + direction))
                | (row(UPPER_BYTES) >>> 16 * direction & 0xffffL) << Integer.SIZE;
    }

    /** Returns the number that the caller gave with the verdict on the first packet. */
    public int opening() {
        return row(OPENING);
    }

    /** Tells whether the first packet was not let through, so that there is no connection. */
    public boolean isRefused() {
        return refused;
    }

    /** Returns the caller's number of the packet that was refused first; 0: none was. */
    public long refusedAt() {
        return refused ? number() : 0;
    }

    /**
     * Returns the row as a message.
     *
     * @param of the verdict on its first packet
     */
    public Connection toConnection(Connection.Opening of, ConnectionEnd end) {
        boolean ports = hasPorts() || isQuery();
        return new Connection(
                of,
                new Connection.Ends(
                        source(),
                        destination(),
                        protocol(),
                        ports ? sourcePort() : null,
                        ports ? destinationPort() : null,
                        isQuery() ? queryId() : null),
                first(),
                last(),
                new Connection.Traffic(packets(0), bytes(0)),
                new Connection.Traffic(packets(1), bytes(1)),
                state(),
                end.label(),
                refused ? refusedAt() : null);
    }

    /**
     * Returns the state: {@code refused}, that of TCP as {@code syn-sent}, that of SCTP as {@code
     * cookie-wait} or {@code unknown}, or {@code unreplied} or {@code replied}.
     */
    public String state() {
        if (refused) {
            return "refused";
        }
        if (protocol() == PacketTuple.TCP) {
            return TCP.get(SlotBits.state(bits()));
        }
        if ((bits() & SlotBits.TAGGED) != 0) {
            return SCTP.get(SlotBits.state(bits()));
        }
        return (bits() & SlotBits.SEEN_REPLY) != 0 ? "replied" : "unreplied";
    }
}
