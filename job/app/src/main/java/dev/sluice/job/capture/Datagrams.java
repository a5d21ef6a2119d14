package dev.sluice.job.capture;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Table of the datagrams whose first fragment was seen, which gives later fragments the ports of
 * their datagram.
 *
 * <p>The key is source, destination and identification, of IPv4 also the protocol (RFC 791, RFC
 * 8200 section 4.5). A first fragment replaces an earlier one of its key. The table keeps the last
 * {@link #MOST} first fragments, each for {@link #TIMEOUT_NS} of packet time, as Linux's
 * ipfrag_time. So an answer depends only on the packets within a horizon of positions.
 *
 * <p>Memory: nothing before the first fragment, then 76 bytes a datagram in arrays that double. Not
 * thread-safe.
 */
public final class Datagrams {
    /** Maximal number of datagrams. */
    static final int MOST = 16_384;

    /** Time for which the later fragments of a datagram are followed. */
    static final long TIMEOUT_NS = 30_000_000_000L;

    private static final int KEY = 10;
    private static final int NONE = -1;

    private final long horizon;
    private final int seed = ThreadLocalRandom.current().nextInt();

    /** Keys of the ring's slots: version and protocol, identification, source, destination. */
    private int[] keys = {};

    private int[] protocols = {};
    private int[] ports = {};
    private long[] times = {};
    private long[] positions = {};

    /** Next slot of the chain of a slot's hash, newest first. */
    private int[] next = {};

    private int[] heads = {};
    private final int[] key = new int[KEY];

    /** Slot of the next datagram. */
    private int end;

    private boolean full;
    private long lone;
    private long evicted;

    /**
     * Creates an empty table.
     *
     * @param horizon greatest distance of a later fragment from its first one, in positions
     */
    public Datagrams(long horizon) {
        this.horizon = horizon;
    }

    /**
     * Notes a first fragment, or gives a later one the protocol and ports of its datagram.
     *
     * @param words header of the fragment, {@link HeaderWord#COUNT} words
     * @param datagram its identification
     * @param own a first fragment's ports, as {@link Field#FLOW_PORTS}
     * @param timeNs of the packet, or {@link Column#NO_TIME}
     * @param position of the packet; positions never fall
     * @return false for a later fragment whose first one is not in the table
     */
    boolean follow(int[] words, int datagram, int own, long timeNs, long position) {
        key(words, datagram);
        if (Field.FRAGMENT.extract(words[HeaderWord.IP]) == Field.FRAGMENT_FIRST) {
            // An error's fragments are of no flow: Linux embeds at most what fits into a packet.
            if (Field.FLOW_DST_PRESENT.extract(words[HeaderWord.TCP_FLAGS]) == 0) {
                add(Field.IP_PROTO.extract(words[HeaderWord.IP]), own, timeNs, position);
            }
            return true;
        }
        int slot = find();
        if (slot == NONE || isOver(slot, timeNs, position)) {
            lone++;
            return false;
        }
        Field.FLOW_PROTO.put(words, protocols[slot]);
        Field.FLOW_PORTS.put(words, ports[slot]);
        return true;
    }

    private void key(int[] words, int datagram) {
        Arrays.fill(key, 0);
        key[1] = datagram;
        if (Field.IP_VERSION.extract(words[HeaderWord.IP]) == Field.VERSION_4) {
            key[0] = 0x100 | Field.IP_PROTO.extract(words[HeaderWord.IP]);
            key[2] = words[HeaderWord.IPV4_SRC];
            key[6] = words[HeaderWord.IPV4_DST];
        } else {
            System.arraycopy(words, HeaderWord.IPV6_SRC, key, 2, 4);
            System.arraycopy(words, HeaderWord.IPV6_DST, key, 6, 4);
        }
    }

    private int hash(int[] from, int at) {
        int hash = seed;
        for (int i = at; i < at + KEY; i++) {
            hash = (hash ^ from[i]) * 0x85ebca6b;
            hash ^= hash >>> 15;
        }
        return hash & heads.length - 1;
    }

    private int find() {
        if (heads.length == 0) {
            return NONE;
        }
        int slot = heads[hash(key, 0)];
        while (slot != NONE && !isOfKey(slot)) {
            slot = next[slot];
        }
        return slot;
    }

    private boolean isOfKey(int slot) {
        return Arrays.equals(keys, slot * KEY, slot * KEY + KEY, key, 0, KEY);
    }

    private boolean isOver(int slot, long timeNs, long position) {
        boolean timed = timeNs != Column.NO_TIME && times[slot] != Column.NO_TIME;
        return position - positions[slot] > horizon
                || timed && Math.abs(timeNs - times[slot]) > TIMEOUT_NS;
    }

    private void add(int protocol, int own, long timeNs, long position) {
        int old = find();
        if (old != NONE) {
            unlink(old);
        }
        if (end == times.length) {
            grow();
        }
        if (full && next[end] != end) {
            evicted += isOver(end, timeNs, position) ? 0 : 1;
            unlink(end);
        }
        System.arraycopy(key, 0, keys, end * KEY, KEY);
        protocols[end] = protocol;
        ports[end] = own;
        times[end] = timeNs;
        positions[end] = position;
        link(end++);
    }

    private void link(int slot) {
        int hash = hash(keys, slot * KEY);
        next[slot] = heads[hash];
        heads[hash] = slot;
    }

    /** Takes a slot out of its chain; from then on it is its own next one. */
    private void unlink(int slot) {
        int hash = hash(keys, slot * KEY);
        if (heads[hash] == slot) {
            heads[hash] = next[slot];
        } else {
            int before = heads[hash];
            while (next[before] != slot) {
                before = next[before];
            }
            next[before] = next[slot];
        }
        next[slot] = slot;
    }

    /** Makes room behind the last slot: more slots, or the oldest ones again. */
    private void grow() {
        if (times.length == MOST) {
            full = true;
            end = 0;
            return;
        }
        int size = Math.max(64, 2 * times.length);
        keys = Arrays.copyOf(keys, size * KEY);
        protocols = Arrays.copyOf(protocols, size);
        ports = Arrays.copyOf(ports, size);
        times = Arrays.copyOf(times, size);
        positions = Arrays.copyOf(positions, size);
        next = Arrays.copyOf(next, size);
        heads = new int[2 * size];
        Arrays.fill(heads, NONE);
        for (int slot = 0; slot < end; slot++) {
            if (next[slot] != slot) {
                link(slot);
            }
        }
    }

    /** Returns the number of later fragments whose first one was not in the table. */
    public long lone() {
        return lone;
    }

    /**
     * Returns the number of datagrams that others displaced before their time was over. The table
     * does not know which of them were whole by then.
     */
    public long evicted() {
        return evicted;
    }
}
