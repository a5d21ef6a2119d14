package dev.sluice.operators.connections;

import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a tracker's connections, and of the connections whose first packet was not let through.
 *
 * <p>The latter have tables of their own. A refused connection ends when no packet between its ends
 * came within the timeout of a first packet. At the largest number an old one goes for a new one.
 */
final class KeptRows {
    private final ConnectionTable ipv4;
    private final ConnectionTable ipv6;
    private final int most;
    private final IntToLongFunction timeouts;
    private long count;
    private @Nullable ConnectionRow refusal;

    /** End of that connection before the last packet. */
    private long endBefore;

    /**
     * Keeps the refused connections of images.
     *
     * @param timeouts nanoseconds by the {@link SlotBits} of a first packet
     * @param images of pages; those of connections that exist are passed over
     */
    KeptRows(
            TrackerOptions options,
            ConnectionRows rows,
            IntToLongFunction timeouts,
            List<PageImage> images) {
        this.timeouts = timeouts;
        most = options.connectionsMax();
        ipv4 = table(4, options, rows, images);
        ipv6 = table(6, options, rows, images);
    }

    private ConnectionTable table(
            int version, TrackerOptions options, ConnectionRows rows, List<PageImage> images) {
        ConnectionRow row = new ConnectionRow(version, rows::began, rows::take, true, timeouts);
        SlotLayout layout = new SlotLayout(version, true, false, false);
        List<PageImage> own = PageImage.of(images, version, true);
        return own.isEmpty()
                ? new ConnectionTable(layout, options.seed(), row)
                : new ConnectionTable(layout, options.seed(), own, 0, row);
    }

    /** Adds the images of the pages that changed since the last one, or of all. */
    void images(boolean all, List<PageImage> to) {
        ipv4.images(all, to);
        ipv6.images(all, to);
    }

    /** Returns the tables of refused connections. */
    List<ConnectionTable> tables() {
        return List.of(ipv4, ipv6);
    }

    private ConnectionTable table(PacketTuple packet) {
        return packet.version() == 4 ? ipv4 : ipv6;
    }

    /** Row of the refused connection that the packet is of; null: none is known. */
    @Nullable ConnectionRow refusal() {
        return refusal;
    }

    /** Counts a packet of a connection, where rows are kept. */
    static void count(ConnectionPage page, int at, int direction, PacketTuple packet, long now) {
        if (!page.hasRows()) {
            return;
        }
        page.count(at, direction, packet.length());
        if ((page.bits(at) & SlotBits.TAGGED) == 0) {
            page.last(at, now);
        }
    }

    /** Takes a packet that is of no connection. */
    void skip() {
        refusal = null;
    }

    /**
     * Looks for the refused connection that a packet is of.
     *
     * @param counts whether the packet is of no other connection
     */
    void look(PacketTuple packet, boolean counts, long now) {
        refusal = packet.isKeyed() ? seen(packet, counts, now) : null;
    }

    /**
     * Counts a later fragment in the connection that it is of, or in the refused one.
     *
     * @param of its table
     * @param known whether a connection may have it
     * @param time of the fragment; the tracker's may be an earlier one
     */
    void fragment(ConnectionTable of, PacketTuple packet, boolean known, long time) {
        int at = -1;
        if (known && packet.isKeyed()) {
            ConnectionPage page = of.page(packet.hash());
            at = page.find(packet);
            if (at >= 0 && page.end(at) <= time) {
                at = -1;
            }
            if (at >= 0) {
                int direction = SlotBits.direction(page.bits(at), packet);
                count(page, at, direction, packet, time);
            }
        }
        look(packet, at < 0, time);
    }

    /** Begins the row of a connection that was entered into a table. */
    void entered(ConnectionTable to, PacketTuple packet, int opening, boolean middle, long now) {
        ConnectionPage page = to.page(packet.hash());
        page.begin(page.find(packet), packet, opening, now);
        if (refusal != null && !middle) {
            refusal = null;
            letThrough(packet, now);
        }
    }

    private @Nullable ConnectionRow seen(PacketTuple packet, boolean counts, long now) {
        ConnectionTable table = table(packet);
        if (table.size() == 0) {
            return null;
        }
        ConnectionPage page = table.page(packet.hash());
        int at = table.find(page, packet, now);
        if (at < 0) {
            return null;
        }
        int bits = page.bits(at);
        endBefore = page.end(at);
        if (counts) {
            page.set(at, bits, now + timeouts.applyAsLong(bits));
            page.count(at, SlotBits.direction(bits, packet), packet.length());
        }
        return page.row(at);
    }

    /**
     * Enters a refused first packet, unless its connection was refused before.
     *
     * @param bits of the connection that it would have begun
     */
    void refuse(PacketTuple packet, int bits, int opening, long number, long now) {
        look(packet, true, now);
        if (refusal != null) {
            return;
        }
        ConnectionTable table = table(packet);
        if (ipv4.size() + ipv6.size() >= most && !table.evict(packet.hash(), now)) {
            (table == ipv4 ? ipv6 : ipv4).evict(packet.hash(), now);
        }
        count++;
        long end = now + timeouts.applyAsLong(bits);
        table.add(packet, bits, end, now + IdleTimeouts.STREAM_NANOS, now);
        ConnectionPage page = table.page(packet.hash());
        int at = page.find(packet);
        page.begin(at, packet, opening, number);
        refusal = page.row(at);
    }

    private void letThrough(PacketTuple packet, long now) {
        ConnectionTable table = table(packet);
        ConnectionPage page = table.page(packet.hash());
        int at = table.find(page, packet, now);
        if (at >= 0) {
            page.set(at, page.bits(at), endBefore); // the packet is not of the refused connection
            table.remove(page, at, ConnectionEnd.LET_THROUGH);
        }
    }

    /** Connections that were refused. */
    long count() {
        return count;
    }

    long bytes() {
        return ipv4.bytes() + ipv6.bytes();
    }
}
