package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.SlotBits.END;
import static dev.sluice.operators.connections.SlotBits.PICKED_UP;
import static dev.sluice.operators.connections.SlotBits.RENEW;

import dev.sluice.operators.connections.PacketTuple.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tells the connection state of each packet, in order, and keeps the connections. The package text
 * has the semantics.
 *
 * <p>For each packet call {@code state}, then {@link #decided}. Not thread-safe.
 */
public final class ConnectionTracker {
    public static final int NEW = 1;
    public static final int ESTABLISHED = 2;
    public static final int RELATED = 4;

    /** Added where the packet, or the one that an error embeds, is of who answers. */
    public static final int REPLY = 8;

    public static final int INVALID = 16;

    /** Added to all of the above. */
    public static final int TRACKED = 32;

    /** Added where both directions of the packet's connection were seen, this packet's too. */
    public static final int SEEN_REPLY = 1 << 9;

    /** Added where early drop spares the packet's connection. */
    public static final int ASSURED = 1 << 10;

    /** Added where an earlier packet of the connection was let through. */
    public static final int CONFIRMED = 1 << 11;

    public static final int UNTRACKED = 0;

    /** The state of a packet that fields decide which no caller gives. */
    public static final int UNKNOWN = -1;

    private final TrackerOptions options;
    private final long seed;
    private final IdleTimeouts timeouts;
    private final SctpPackets sctp;

    /** The connections of AWS; null: they are Linux's. */
    private final @Nullable AwsConnections aws;

    private final ConnectionTable ipv4;
    private final ConnectionTable ipv6;
    private long now;
    private @Nullable PacketTuple pending;
    private int pendingBits;

    /** Bits of the last packet's connection as they were before it; 0: it has none. */
    private int lastBits;

    private final @Nullable KeptRows rows;
    private final @Nullable RowRounds rounds;

    /** Null: the numbers of TCP segments are not looked at. */
    private final @Nullable TcpWindows windows;

    private long created;
    private long pickedUp;
    private long refused;
    private long evicted;
    private long full;

    private final SlotLoads loads = new SlotLoads();

    /** Makes a tracker without connections. */
    public ConnectionTracker(TrackerOptions options) {
        this(options, null);
    }

    /**
     * Makes a tracker without connections that keeps a row a connection.
     *
     * @param rows takes each row once; null: none are kept
     */
    public ConnectionTracker(TrackerOptions options, @Nullable ConnectionRows rows) {
        this(options, null, rows);
    }

    /**
     * Makes or restores a tracker. Connections of an image without rows get rows of opening 0.
     *
     * @param options with the seed of the tracker that made the image
     * @param image with all pages; null: there are no connections
     * @param to takes the rows; null: none are kept, and those of the image are dropped
     * @throws IllegalArgumentException if pages are missing or do not fit together
     */
    ConnectionTracker(
            TrackerOptions options, @Nullable TrackerImage image, @Nullable ConnectionRows to) {
        timeouts = new IdleTimeouts(options.nanos());
        aws = AwsConnections.of(options);
        IntToLongFunction ofRefused = aws == null ? timeouts::beginning : aws::sure;
        List<PageImage> pages = image == null ? List.of() : image.pages();
        rows = to == null ? null : new KeptRows(options, to, ofRefused, pages);
        windows = options.windows() ? new TcpWindows(options.nanos()) : null;
        sctp = new SctpPackets(timeouts);
        this.options = options;
        this.seed = options.seed();
        this.now = image == null ? Long.MIN_VALUE : image.time();
        ipv4 = ConnectionTable.of(4, options, image, to);
        ipv6 = ConnectionTable.of(6, options, image, to);
        rounds = rows == null ? null : new RowRounds(ipv4, ipv6, rows.tables(), now);
    }

    /**
     * Takes an image. Pages in it are copied when they next change.
     *
     * @param all whether it holds all pages, and not those alone that changed since the last image
     */
    public TrackerImage image(boolean all) {
        List<PageImage> pages = new ArrayList<>();
        ipv4.images(all, pages);
        ipv6.images(all, pages);
        if (rows != null) {
            rows.images(all, pages);
        }
        return new TrackerImage(now, ipv4.sweep(), ipv6.sweep(), pages);
    }

    public TrackerCounts counts() {
        long held = ipv4.size() + (long) ipv6.size();
        long untold = sctp.untold() + (windows == null ? 0 : windows.untold());
        return new TrackerCounts(
                held, created, pickedUp, refused, evicted, full, 0, 0, 0, 0, untold);
    }

    /** Returns the connections that have not ended; looks at all. */
    public long live() {
        return ipv4.live(now) + (long) ipv6.live(now);
    }

    /** Returns the connections whose first packet was refused; 0 where no rows are kept. */
    public long refusedConnections() {
        return rows == null ? 0 : rows.count();
    }

    /** Bytes of the tables: their slots, their directories and the pages' objects. */
    public long bytes() {
        return ipv4.bytes() + ipv6.bytes() + (rows == null ? 0 : rows.bytes());
    }

    /**
     * Hands rows on of connections that had packets, each once an interval of the tracker's time,
     * and those of connections that are found to have ended.
     *
     * @param interval in nanoseconds; 0: those of all connections, now
     */
    void handDue(long interval) {
        if (rounds != null) {
            rounds.advance(now, interval);
        }
    }

    /** Hands the rows of all connections that are left on; called once, after the last packet. */
    public void handRest() {
        if (rounds != null) {
            rounds.handAll(now);
        }
    }

    /**
     * Loads what {@code state} looks at for packets that come next, as many as a cache holds: 32
     * are good. Then their misses do not wait for one another.
     */
    public void load(PacketTuple[] packets, int count) {
        for (int i = 0; i < count; i++) {
            place(packets[i]);
        }
        loads.load(packets, count, ipv4, ipv6);
    }

    /**
     * Tells the state of a packet.
     *
     * @param packet not changed before {@link #decided}
     * @param embedded packet that an ICMP error tells of; null where it is not known
     * @param nanos time of the packet; one before an earlier packet's counts as that
     * @return bits of the constants of this class, or {@link #UNKNOWN}
     */
    public int state(PacketTuple packet, @Nullable PacketTuple embedded, long nanos) {
        if (nanos > now) {
            now = nanos;
        }
        pending = null;
        lastBits = 0;
        int state =
                switch (place(packet)) {
                    case KEYED -> keyed(packet);
                    case ERROR -> embedded == null ? UNKNOWN : related(packet, embedded);
                    case INVALID -> unrelated();
                    case UNTRACKED -> aws == null ? UNTRACKED : UNKNOWN;
                    case UNKNOWN -> UNKNOWN;
                };
        if (rows != null) {
            rows.look(packet, state == (TRACKED | INVALID), now);
        }
        return state;
    }

    private Kind place(PacketTuple packet) {
        return packet.place(seed, aws != null);
    }

    /** Takes a packet that has no connection. */
    void skip() {
        if (rows != null) {
            rows.skip();
        }
    }

    /**
     * Counts a later fragment, where rows are kept; changes nothing else.
     *
     * @param packet with the ports of its datagram
     * @param state of its datagram
     * @param nanos its time
     */
    void fragment(PacketTuple packet, int state, long nanos) {
        pending = null;
        lastBits = 0;
        if (rows != null) {
            place(packet);
            boolean known = (state & (NEW | ESTABLISHED)) != 0;
            rows.fragment(table(packet), packet, known, Math.max(now, nanos));
        }
    }

    /**
     * Returns the row of the refused connection that the last packet is of, until the next one;
     * null: none was refused, or no rows are kept.
     */
    public @Nullable ConnectionRow refusal() {
        return rows == null ? null : rows.refusal();
    }

    /** Tells whether the last packet's connection began in the middle, with an ACK. */
    public boolean isPickedUp() {
        return (lastBits & PICKED_UP) != 0;
    }

    /** Tells whether the last packet begins a connection if it passes. */
    public boolean begins() {
        return pending != null;
    }

    /** Takes the verdict on the last packet: a connection that it begins exists if it passed. */
    public void decided(boolean passed) {
        decided(passed, 0, 0);
    }

    /**
     * Takes the verdict on the last packet.
     *
     * @param opening of its row, if it {@link #begins} a connection
     * @param number of the packet, told where it is refused
     */
    public void decided(boolean passed, int opening, long number) {
        PacketTuple packet = pending;
        if (packet == null) {
            return;
        }
        pending = null;
        ConnectionTable table = table(packet);
        int doubted = aws == null ? -1 : table.page(packet.hash()).find(packet);
        if (!passed) {
            if (doubted >= 0) {
                return; // it goes on, or has ended
            }
            refused++;
            if (rows != null) {
                rows.refuse(packet, pendingBits, opening, number, now);
            }
            return;
        }
        created++;
        if (doubted >= 0) {
            table.remove(table.page(packet.hash()), doubted, ConnectionEnd.REOPENED);
        }
        TcpWindows begun = packet.protocol() == PacketTuple.TCP ? windows : null;
        TcpWindows known = begun == null || begun.isBegunUnknown() ? null : begun;
        long timeout =
                aws == null ? timeouts.beginning(pendingBits, known) : aws.possible(pendingBits);
        table.add(packet, pendingBits, now + timeout, sctp.stream(pendingBits, now), now);
        if (begun != null) {
            ConnectionPage page = table.page(packet.hash());
            begun.copyBegun(page.written(), page.windows(page.find(packet)));
        }
        boolean middle = (pendingBits & PICKED_UP) != 0;
        if (middle) {
            pickedUp++;
        }
        if (rows != null) {
            rows.entered(table, packet, opening, middle, now);
        }
    }

    /** Returns the table that a packet's connection is in, if there is one. */
    ConnectionTable table(PacketTuple packet) {
        return packet.version() == 4 ? ipv4 : ipv6;
    }

    private int related(PacketTuple packet, PacketTuple embedded) {
        Kind kind = place(embedded);
        if (embedded.version() == packet.version() && kind == Kind.UNKNOWN) {
            return UNKNOWN;
        }
        if (embedded.version() != packet.version()
                || kind != Kind.KEYED
                || !embedded.isSentBy(packet)) {
            return unrelated();
        }
        ConnectionTable table = table(embedded);
        ConnectionPage page = table.page(embedded.hash());
        int at = table.find(page, embedded, now);
        if (at < 0 || aws != null && aws.isDoubted(page, at, now)) {
            return unrelated();
        }
        int bits = page.bits(at);
        lastBits = bits;
        boolean ofBeginner = embedded.toItself() || SlotBits.direction(bits, embedded) == 0;
        return TRACKED | RELATED | (ofBeginner ? REPLY : 0) | CONFIRMED | SlotBits.status(bits);
    }

    /** The state of a packet that can have no connection; AWS does not tell of such. */
    private int unrelated() {
        return aws == null ? TRACKED | INVALID : UNKNOWN;
    }

    private int ofAws(
            AwsConnections by, ConnectionPage page, int at, int direction, PacketTuple packet) {
        int after = by.take(page, at, direction, packet, now);
        if (after == 0) {
            pendingBits = by.reopen(packet);
            pending = pendingBits == 0 ? null : packet;
            return UNKNOWN;
        }
        KeptRows.count(page, at, direction, packet, now);
        return TRACKED
                | ESTABLISHED
                | (direction == 1 ? REPLY : 0)
                | CONFIRMED
                | SlotBits.status(after);
    }

    private int keyed(PacketTuple packet) {
        ConnectionTable table = table(packet);
        ConnectionPage page = table.page(packet.hash());
        int at = table.find(page, packet, now);
        if (at < 0) {
            return begin(packet);
        }
        int bits = page.bits(at);
        lastBits = bits;
        int direction = SlotBits.direction(bits, packet);
        if (aws != null) {
            return ofAws(aws, page, at, direction, packet);
        }
        int state =
                direction == 1
                        ? TRACKED | ESTABLISHED | REPLY
                        : (bits & SlotBits.SEEN_REPLY) != 0 ? TRACKED | ESTABLISHED : TRACKED | NEW;
        int answered = direction == 1 ? SlotBits.SEEN_REPLY : 0;
        if (packet.protocol() == PacketTuple.SCTP) {
            int known = state | CONFIRMED;
            return sctp.state(page, at, direction, packet, now, known, TRACKED | INVALID);
        }
        if (packet.protocol() != PacketTuple.TCP) {
            KeptRows.count(page, at, direction, packet, now);
            boolean old = now > page.streamFrom(at);
            long timeout = timeouts.of(packet.protocol(), bits, old);
            int after = bits | answered | IdleTimeouts.assured(packet.protocol(), bits, old);
            page.set(at, after, now + timeout);
            return state | CONFIRMED | SlotBits.status(after);
        }
        if (!packet.isPossible()) {
            return TRACKED | INVALID;
        }
        int kind = TcpTransitions.kind(packet.flags());
        boolean unknown =
                windows != null && !windows.hold(page.written(), page.windows(at), packet);
        TcpWindows held = unknown ? null : windows;
        int after = TcpSegments.advance(bits, direction, kind, held);
        if (after == TcpSegments.INVALID) {
            if (held != null) {
                long left = held.left(bits, direction, page.end(at) - now);
                page.set(at, held.refused(bits, direction), now + left);
            }
            return unknown ? UNKNOWN : TRACKED | INVALID;
        }
        if (after == TcpSegments.REOPEN) {
            table.remove(page, at, ConnectionEnd.REOPENED);
            int begun = begin(packet);
            if (windows != null && unknown) {
                windows.lose();
            }
            return unknown ? UNKNOWN : begun;
        }
        KeptRows.count(page, at, direction, packet, now);
        if ((after & END) != 0) {
            page.set(at, after & ~END); // the state that its row tells
            table.remove(page, at, ConnectionEnd.RESET);
        } else if ((after & RENEW) != 0) {
            long timeout = timeouts.tcp(bits, after, kind, held);
            page.set(at, after & ~RENEW | answered, now + timeout);
        } else {
            page.set(at, after | answered);
        }
        return unknown ? UNKNOWN : state | CONFIRMED | SlotBits.status(after | answered);
    }

    private int begin(PacketTuple packet) {
        if (ipv4.size() + ipv6.size() >= options.connectionsMax()) {
            ConnectionTable other = packet.version() == 4 ? ipv6 : ipv4;
            if (!table(packet).evict(packet.hash(), now) && !other.evict(packet.hash(), now)) {
                full++;
                return TRACKED | NEW;
            }
            evicted++;
        }
        int bits = beginning(packet);
        if (bits == TcpSegments.INVALID) {
            return unrelated();
        }
        if (windows != null && packet.protocol() == PacketTuple.TCP) {
            windows.begin(packet);
        }
        pending = packet;
        pendingBits = bits;
        lastBits = bits;
        return SctpPackets.isUnknown(bits) ? UNKNOWN : TRACKED | NEW;
    }

    private int beginning(PacketTuple packet) {
        if (packet.protocol() == PacketTuple.SCTP && aws == null) {
            return sctp.begin(SlotBits.fresh(packet), packet);
        }
        return aws != null ? aws.begin(packet) : TcpSegments.begin(packet, options.loose());
    }
}
