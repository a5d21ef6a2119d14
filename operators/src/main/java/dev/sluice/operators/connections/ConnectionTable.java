package dev.sluice.operators.connections;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Connections of one IP version by extendible hashing (Fagin et al., 1979): a directory of pages by
 * the hash's uppermost bits. A full page splits alone.
 */
final class ConnectionTable {
    /** Bits of the directory from which on pages grow instead of splitting. */
    private static final int DEEPEST = 22;

    private static final int ADDED_BETWEEN_SWEEPS = 64;

    /** Slots that are looked at first for a connection to drop. */
    private static final int NEAR = 32;

    /** Further pages that are looked at, as the kernel's NF_CT_EVICTION_RANGE of buckets. */
    private static final int FURTHER_PAGES = 8;

    private final SlotLayout layout;
    private ConnectionPage[] pages;
    private int pageCount;
    private ConnectionPage[] directory;
    private int depth;
    private int size;
    private int sweepNext;
    private int addedSinceSweep;

    /**
     * A table without connections.
     *
     * @param row takes the rows of connections that it drops; null: it keeps none
     */
    ConnectionTable(SlotLayout layout, long seed, @Nullable ConnectionRow row) {
        this.layout = layout;
        pages = new ConnectionPage[16];
        pages[0] = new ConnectionPage(0, 0, 0, layout, seed, row);
        pageCount = 1;
        depth = 1;
        directory = new ConnectionPage[] {pages[0], pages[0]};
    }

    /**
     * Restores a table.
     *
     * @param row takes the rows of connections that it drops; null: it keeps none
     * @throws IllegalArgumentException if the images are not all pages of one table
     */
    ConnectionTable(
            SlotLayout layout,
            long seed,
            List<PageImage> images,
            long sweep,
            @Nullable ConnectionRow row) {
        this(layout, seed, row);
        pages = new ConnectionPage[images.size()];
        pageCount = images.size();
        for (PageImage image : images) {
            if (image.id() < 0 || image.id() >= pageCount || pages[image.id()] != null) {
                throw new IllegalArgumentException(
                        "of %d pages one has number %d; give each page once"
                                .formatted(pageCount, image.id()));
            }
            pages[image.id()] = ConnectionPage.restore(image, layout, seed, row);
            depth = Math.max(depth, image.depth());
            size += pages[image.id()].count();
        }
        directory = new ConnectionPage[1 << Math.min(depth, DEEPEST)];
        long entries = 0;
        for (ConnectionPage page : pages) {
            if (depth > DEEPEST || page.depth < Long.SIZE && page.prefix << page.depth != 0) {
                throw new IllegalArgumentException(
                        "page %d has prefix %x of %d bits"
                                .formatted(page.id, page.prefix, page.depth));
            }
            enter(page);
            entries += 1L << depth - page.depth;
        }
        if (entries != directory.length || Arrays.asList(directory).contains(null)) {
            throw new IllegalArgumentException(
                    "the %d pages are not all of IPv%d".formatted(pageCount, layout.version()));
        }
        sweepNext = Math.floorMod((int) (sweep >>> Integer.SIZE), pageCount);
        addedSinceSweep = (int) sweep;
    }

    /**
     * Makes or restores the table of a tracker's connections.
     *
     * @param image null: there are no connections
     * @param rows takes their rows; null: none are kept
     */
    static ConnectionTable of(
            int version,
            TrackerOptions options,
            @Nullable TrackerImage image,
            @Nullable ConnectionRows rows) {
        IntToLongFunction timeouts = new IdleTimeouts(options.nanos())::beginning;
        ConnectionRow row =
                rows == null
                        ? null
                        : new ConnectionRow(version, rows::began, rows::take, false, timeouts);
        SlotLayout layout = SlotLayout.of(version, options, rows != null);
        if (image == null) {
            return new ConnectionTable(layout, options.seed(), row);
        }
        List<PageImage> pages = PageImage.of(image.pages(), version, false);
        long sweep = version == 4 ? image.sweepIpv4() : image.sweepIpv6();
        return new ConnectionTable(layout, options.seed(), pages, sweep, row);
    }

    private void enter(ConnectionPage page) {
        int from = (int) (page.prefix >>> Long.SIZE - depth);
        Arrays.fill(directory, from, from + (1 << depth - page.depth), page);
    }

    /** Returns the page that a hash belongs to. */
    ConnectionPage page(long hash) {
        return directory[(int) (hash >>> Long.SIZE - depth)];
    }

    /** Returns the slot of a packet's connection that has not ended, or -1. */
    int find(ConnectionPage page, PacketTuple packet, long now) {
        int at = page.find(packet);
        if (at >= 0 && page.end(at) <= now) {
            remove(page, at, ConnectionEnd.TIMEOUT);
            return -1;
        }
        return at;
    }

    int size() {
        return size;
    }

    long bytes() {
        long slots = 0;
        for (int i = 0; i < pageCount; i++) {
            slots += pages[i].slots();
        }
        return slots * layout.stride() * Integer.BYTES
                + (directory.length + 24L * pageCount) * Integer.BYTES;
    }

    /** Place of the clean-up. */
    long sweep() {
        return (long) sweepNext << Integer.SIZE | addedSinceSweep;
    }

    /** Adds the images of the pages that changed since the last one, or of all. */
    void images(boolean all, List<PageImage> to) {
        for (int i = 0; i < pageCount; i++) {
            if (all || pages[i].isChanged()) {
                to.add(pages[i].image());
            }
        }
    }

    void remove(ConnectionPage page, int at, ConnectionEnd end) {
        page.hand(at, end);
        page.remove(at);
        size--;
    }

    /** Returns the number of connections that have not ended. */
    int live(long now) {
        int live = 0;
        for (int i = 0; i < pageCount; i++) {
            live += pages[i].live(now);
        }
        return live;
    }

    int pageCount() {
        return pageCount;
    }

    /**
     * Drops the connections of pages that ended, and hands the rows on of those that had a packet
     * since a time.
     */
    void handActive(int from, int end, long now, long since) {
        for (int i = from; i < end; i++) {
            ConnectionPage page = pages[i];
            int ended = page.count() - page.live(now);
            if (ended > 0) {
                page.rebuild(page.count() - ended, now);
                size -= ended;
            }
            page.handActive(now, since);
        }
    }

    /** Hands the rows of all connections on. */
    void handAll(long now) {
        for (int i = 0; i < pageCount; i++) {
            pages[i].handAll(now);
        }
    }

    /** Adds a connection that the table does not hold. */
    void add(PacketTuple packet, int bits, long end, long streamFrom, long now) {
        if (++addedSinceSweep >= ADDED_BETWEEN_SWEEPS) {
            addedSinceSweep = 0;
            sweepPage(now);
        }
        ConnectionPage page = page(packet.hash());
        while (!page.hasRoom(1)) {
            grow(page, now);
            page = page(packet.hash());
        }
        page.add(packet, bits, end, streamFrom);
        size++;
    }

    private void sweepPage(long now) {
        ConnectionPage page = pages[sweepNext];
        sweepNext = sweepNext + 1 == pageCount ? 0 : sweepNext + 1;
        int ended = page.count() - page.live(now);
        if (ended > 0 && ended * 8 >= page.count()) {
            page.rebuild(page.count() - ended, now);
            size -= ended;
        }
    }

    private void grow(ConnectionPage page, long now) {
        size -= page.count();
        int live = page.live(now);
        if ((live + 1) * 4 <= ConnectionPage.LARGEST * 3 || page.depth == DEEPEST) {
            page.rebuild(live, now);
        } else {
            if (page.depth == depth) {
                ConnectionPage[] wider = new ConnectionPage[directory.length * 2];
                for (int i = 0; i < wider.length; i++) {
                    wider[i] = directory[i >>> 1];
                }
                directory = wider;
                depth++;
            }
            if (pageCount == pages.length) {
                pages = Arrays.copyOf(pages, pageCount * 2);
            }
            ConnectionPage other = page.split(pageCount, now);
            pages[pageCount++] = other;
            enter(other);
            size += other.count();
        }
        size += page.count();
    }

    /**
     * Drops a connection near a hash that ended or is not assured.
     *
     * @return whether there was one
     */
    boolean evict(long hash, long now) {
        ConnectionPage page = page(hash);
        int at = page.victim(hash, NEAR, now);
        if (at < 0) {
            at = page.victim(hash, Integer.MAX_VALUE, now);
        }
        for (int i = 1; at < 0 && i <= FURTHER_PAGES && i < pageCount; i++) {
            page = pages[(page.id + 1) % pageCount];
            at = page.victim(hash, Integer.MAX_VALUE, now);
        }
        if (at < 0) {
            return false;
        }
        remove(page, at, page.end(at) <= now ? ConnectionEnd.TIMEOUT : ConnectionEnd.EVICTED);
        return true;
    }
}
