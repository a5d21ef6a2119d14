package dev.sluice.operators.connections;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Page of a {@link ConnectionTable}: slots by open addressing with linear probing. It holds the
 * connections whose hash begins with the page's prefix.
 *
 * <p>{@link SlotLayout} tells the words of a slot.
 */
final class ConnectionPage {
    private static final int SMALLEST = 16;

    /** Slots from which on a page splits. */
    static final int LARGEST = 512;

    /**
     * Slots from which on a page has the largest number, so that it does not grow by a few soon.
     */
    private static final int NEARLY_LARGEST = LARGEST * 7 / 8;

    final int id;
    int depth;
    long prefix;
    private final SlotLayout layout;
    private final int keyWords;
    private final int stride;
    private final long seed;

    /** Takes the slots that are dropped; null: slots have no rows. */
    private final @Nullable ConnectionRow row;

    private int slots;
    private int count;
    private int[] words;
    private boolean changed = true;

    /** Tells whether an image holds the words, so that they are copied before they change. */
    private boolean shared;

    ConnectionPage(
            int id,
            int depth,
            long prefix,
            SlotLayout layout,
            long seed,
            @Nullable ConnectionRow row) {
        this(id, depth, prefix, layout, seed, row, new int[SMALLEST * layout.stride()]);
    }

    private ConnectionPage(
            int id,
            int depth,
            long prefix,
            SlotLayout layout,
            long seed,
            @Nullable ConnectionRow row,
            int[] words) {
        this.id = id;
        this.depth = depth;
        this.prefix = prefix;
        this.layout = layout;
        keyWords = layout.keyWords();
        stride = layout.stride();
        this.seed = seed;
        this.row = row;
        this.words = words;
        this.slots = words.length / stride;
    }

    /**
     * Restores a page. Slots get sections, or lose them, where the image differs in that.
     *
     * @param row takes the slots that are dropped; null: slots have no rows
     * @throws IllegalArgumentException if the image is none of such a page
     */
    static ConnectionPage restore(
            PageImage image, SlotLayout layout, long seed, @Nullable ConnectionRow row) {
        int[] words = image.words();
        int stride = image.layout().stride();
        if (words.length < SMALLEST * stride || words.length % stride != 0) {
            throw new IllegalArgumentException(
                    "page %d has %d words, which are no slots".formatted(image.id(), words.length));
        }
        boolean same = image.layout().equals(layout);
        words = same ? words : image.layout().convert(words, layout);
        ConnectionPage page =
                new ConnectionPage(
                        image.id(), image.depth(), image.prefix(), layout, seed, row, words);
        page.shared = same;
        page.changed = !same;
        for (int at = 0; at < words.length; at += page.stride) {
            if (page.isUsed(at)) {
                page.count++;
                if (row != null) {
                    row.began(words, at);
                }
                long hash = page.hash(at);
                if (page.depth > 0 && (hash ^ page.prefix) >>> Long.SIZE - page.depth != 0) {
                    throw new IllegalArgumentException(
                            "page %d holds a connection of another page; its hash had another seed"
                                    .formatted(image.id()));
                }
            }
        }
        if (!page.hasRoom(0)) {
            throw new IllegalArgumentException("page %d is too full".formatted(image.id()));
        }
        return page;
    }

    /** Tells whether the page changed since its last image. */
    boolean isChanged() {
        return changed;
    }

    /** Returns the page as it is now; later changes are made in a copy. */
    PageImage image() {
        changed = false;
        shared = true;
        boolean refused = row != null && row.isRefused();
        return new PageImage(layout, refused, id, depth, prefix, words);
    }

    /** Returns the words, which are to be changed. */
    int[] written() {
        changed = true;
        if (shared) {
            words = words.clone();
            shared = false;
        }
        return words;
    }

    int count() {
        return count;
    }

    int slots() {
        return slots;
    }

    /** Tells whether a number of connections more fits. */
    boolean hasRoom(int more) {
        return (count + more) * 4L <= slots * 3L;
    }

    /** Returns the words, which are not to be changed. */
    int[] words() {
        return words;
    }

    /** Returns the index from which on {@link #find} looks. */
    int home(long hash) {
        return (int) ((hash & 0xffffffffL) * slots >>> Integer.SIZE) * stride;
    }

    private int after(int at) {
        int next = at + stride;
        return next == words.length ? 0 : next;
    }

    private boolean isUsed(int at) {
        return words[at + keyWords] != 0;
    }

    private long hash(int at) {
        int protocol = words[at + keyWords] & 0xff;
        return PacketTuple.hash(words, at, keyWords, protocol, seed);
    }

    /** Returns the index of a packet's slot, or -1. */
    int find(PacketTuple packet) {
        int[] in = words;
        int[] key = packet.key;
        int length = keyWords;
        int wanted = packet.protocol() | SlotBits.USED;
        int at = home(packet.hash());
        while (true) {
            int bits = in[at + length];
            if (bits == 0) {
                return -1;
            }
            if ((bits & SlotBits.KEY) == wanted
                    && in[at] == key[0]
                    && in[at + 1] == key[1]
                    && in[at + 2] == key[2]
                    && (length == 3 || Arrays.equals(in, at + 3, at + length, key, 3, length))) {
                return at;
            }
            at = after(at);
        }
    }

    int bits(int at) {
        return words[at + keyWords];
    }

    long end(int at) {
        return time(at + keyWords + 1);
    }

    long streamFrom(int at) {
        return time(at + keyWords + 3);
    }

    void streamFrom(int at, long to) {
        ConnectionRow.putTime(written(), at + keyWords + 3, to);
    }

    /** Returns the version of the rules that judged a slot's connection last. */
    long version(int at) {
        return time(at + layout.versionAt());
    }

    void version(int at, long version) {
        ConnectionRow.putTime(written(), at + layout.versionAt(), version);
    }

    /** Index of the windows of a slot among the words. */
    int windows(int at) {
        return at + layout.windowsAt();
    }

    private long time(int at) {
        return ConnectionRow.time(words, at);
    }

    void set(int at, int bits) {
        written()[at + keyWords] = bits;
    }

    void set(int at, int bits, long end) {
        int[] to = written();
        to[at + keyWords] = bits;
        ConnectionRow.putTime(to, at + keyWords + 1, end);
    }

    /** Begins the row of a slot with the packet that begins its connection. */
    void begin(int at, PacketTuple packet, int opening, long number) {
        int[] to = written();
        ConnectionRow.begin(to, at + layout.rowAt(), packet, opening, number);
        Objects.requireNonNull(row).began(to, at);
    }

    boolean hasRows() {
        return row != null;
    }

    /** Counts a packet in the row of a slot. */
    void count(int at, int direction, int length) {
        ConnectionRow.count(written(), at + layout.rowAt(), direction, length);
    }

    /** Sets the time of the last packet in the row of a slot; it does not go back. */
    void last(int at, long time) {
        ConnectionRow.last(written(), at + layout.rowAt(), time);
    }

    /** Hands the row of a slot on, where rows are kept. */
    void hand(int at, ConnectionEnd end) {
        if (row != null) {
            row.hand(words, at, end);
        }
    }

    /** Hands the rows of all slots on. */
    void handAll(long now) {
        for (int at = 0; at < words.length; at += stride) {
            if (isUsed(at)) {
                hand(at, end(at) > now ? ConnectionEnd.LIVE : ConnectionEnd.TIMEOUT);
            }
        }
    }

    /** Hands the rows of connections on that have not ended, and had a packet since a time. */
    void handActive(long now, long since) {
        for (int at = 0; at < words.length; at += stride) {
            if (isUsed(at) && end(at) > now && row(at).last() >= since) {
                hand(at, ConnectionEnd.LIVE);
            }
        }
    }

    ConnectionRow row(int at) {
        return Objects.requireNonNull(row).at(words, at);
    }

    /** Adds a connection that the page has room for and does not hold. */
    void add(PacketTuple packet, int bits, long end, long streamFrom) {
        int[] to = written();
        int at = free(packet.hash());
        System.arraycopy(packet.key, 0, to, at, keyWords);
        to[at + keyWords] = bits;
        ConnectionRow.putTime(to, at + keyWords + 1, end);
        ConnectionRow.putTime(to, at + keyWords + 3, streamFrom);
        count++;
    }

    private int free(long hash) {
        int at = home(hash);
        while (isUsed(at)) {
            at = after(at);
        }
        return at;
    }

    /** Removes a slot, and moves later ones of its run towards their homes. */
    void remove(int at) {
        int[] to = written();
        int hole = at;
        for (int next = after(hole); isUsed(next); next = after(next)) {
            int home = home(hash(next));
            boolean stays = hole < next ? hole < home && home <= next : hole < home || home <= next;
            if (!stays) {
                System.arraycopy(to, next, to, hole, stride);
                hole = next;
            }
        }
        to[hole + keyWords] = 0;
        count--;
    }

    /** Returns the number of connections that have not ended. */
    int live(long now) {
        int live = 0;
        for (int at = 0; at < words.length; at += stride) { // without a branch guessed wrong
            int used = isUsed(at) ? 1 : 0;
            live += end(at) > now ? used : 0;
        }
        return live;
    }

    /** Makes the page as large as its live connections ask for, and drops the others. */
    void rebuild(int live, long now) {
        int[] from = words;
        resize(live);
        for (int at = 0; at < from.length; at += stride) {
            take(from, at, now);
        }
    }

    /**
     * Splits the page by the bit of the hash behind its prefix, and drops connections that ended.
     *
     * @return the page with the bit
     */
    ConnectionPage split(int newId, long now) {
        long bit = 1L << Long.SIZE - 1 - depth;
        depth++;
        ConnectionPage other = new ConnectionPage(newId, depth, prefix | bit, layout, seed, row);
        int[] from = words;
        long[] hashes = new long[count + 1];
        int[] places = new int[count + 1];
        int live = 0;
        int ones = 0;
        for (int at = 0; at < from.length; at += stride) { // without a branch guessed wrong
            long hash = hash(at);
            hashes[live] = hash;
            places[live] = at;
            int used = isUsed(at) ? 1 : 0;
            int lives = end(at) > now ? used : 0;
            live += lives;
            ones += (hash & bit) == 0 ? 0 : lives;
            if (row != null && lives < used) {
                row.hand(from, at, ConnectionEnd.TIMEOUT);
            }
        }
        other.resize(ones);
        resize(live - ones);
        for (int k = 0; k < live; k++) {
            ((hashes[k] & bit) == 0 ? this : other).put(from, places[k], hashes[k]);
        }
        return other;
    }

    private void resize(int live) {
        slots = Math.max(SMALLEST, live * 5 / 3 + 1);
        if (slots > NEARLY_LARGEST && live * 4L + 4 <= LARGEST * 3L) {
            slots = LARGEST;
        }
        words = new int[slots * stride];
        shared = false;
        changed = true;
        count = 0;
    }

    private void take(int[] from, int at, long now) {
        int bits = from[at + keyWords];
        long end = from[at + keyWords + 1] & 0xffffffffL | (long) from[at + keyWords + 2] << 32;
        if (bits != 0 && end > now) {
            put(from, at, PacketTuple.hash(from, at, keyWords, bits & 0xff, seed));
        } else if (bits != 0 && row != null) {
            row.hand(from, at, ConnectionEnd.TIMEOUT);
        }
    }

    private void put(int[] from, int at, long hash) {
        System.arraycopy(from, at, words, free(hash), stride);
        count++;
    }

    /**
     * Returns the slot that ends first of those that ended or are not assured, or -1.
     *
     * @param hash place from which on slots are looked at
     * @param limit number of slots to look at
     */
    int victim(long hash, int limit, long now) {
        int victim = -1;
        int at = home(hash);
        for (int i = Math.min(limit, slots); i > 0; i--) {
            if (isUsed(at)
                    && ((bits(at) & SlotBits.ASSURED) == 0 || end(at) <= now)
                    && (victim < 0 || end(at) < end(victim))) {
                victim = at;
            }
            at = after(at);
        }
        return victim;
    }
}
