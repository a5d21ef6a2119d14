package dev.sluice.job.report;

import dev.sluice.schemas.codec.Column;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts of packets by key in bounded memory.
 *
 * <p>As long as there are no more keys than a limit, all counts are exact. A new key beyond the
 * limit has the median of the weights taken off each key, and keys without a weight left go (Misra
 * and Gries 1982, in batches). A key that is there has its exact count since it came; what it had
 * before is at most {@link Entry#missed}. A key that is not there has at most {@link #missed}
 * packets.
 *
 * <p>Not thread-safe.
 */
public final class TopTable<K> {
    private final int most;
    private final Map<K, Entry<K>> entries = new HashMap<>();
    private long missed;
    private long packets;
    private long bytes;

    /** Counts of a key. */
    public static final class Entry<K> {
        private final K key;
        private final long missed;
        private long packets;
        private long bytes;
        private long weight;
        private long firstNs = Column.NO_TIME;
        private long lastNs = Column.NO_TIME;
        private long connections;
        private String example = "";

        Entry(K key, long missed) {
            this.key = key;
            this.missed = missed;
        }

        /** The key. */
        public K key() {
            return key;
        }

        /** Packets since the key came into the table. */
        public long packets() {
            return packets;
        }

        /** Most packets that the key had before. */
        public long missed() {
            return missed;
        }

        /** Bytes of the packets on the wire. */
        public long bytes() {
            return bytes;
        }

        /** Time of the first packet in ns, or {@link Column#NO_TIME}. */
        public long firstNs() {
            return firstNs;
        }

        /** Time of the last packet in ns, or {@link Column#NO_TIME}. */
        public long lastNs() {
            return lastNs;
        }

        /** Connections that were counted, by {@link ChangedConnections}. */
        long connections() {
            return connections;
        }

        void addConnection() {
            connections++;
        }

        /** The first packet in words; empty: no one asked for it. */
        String example() {
            return example;
        }

        void example(String packet) {
            example = packet;
        }
    }

    /**
     * An empty table.
     *
     * @param most most keys that are kept, at least 1
     */
    public TopTable(int most) {
        this.most = most;
    }

    /**
     * Counts a packet, and returns the counts of its key.
     *
     * @param length its bytes on the wire; 0: unknown
     * @param timeNs its time, or {@link Column#NO_TIME}
     */
    public Entry<K> add(K key, long length, long timeNs) {
        packets++;
        bytes += length;
        Entry<K> entry = entries.get(key);
        if (entry == null) {
            if (entries.size() == most) {
                makeRoom();
            }
            entry = new Entry<>(key, missed);
            entries.put(key, entry);
        }
        entry.packets++;
        entry.weight++;
        entry.bytes += length;
        if (timeNs != Column.NO_TIME) {
            boolean first = entry.firstNs == Column.NO_TIME;
            entry.firstNs = first ? timeNs : Math.min(entry.firstNs, timeNs);
            entry.lastNs = first ? timeNs : Math.max(entry.lastNs, timeNs);
        }
        return entry;
    }

    /**
     * Counts packets of a key.
     *
     * @param sum their bytes on the wire
     * @param from time of the first, or {@link Column#NO_TIME} where none has a time
     * @param to time of the last, likewise
     */
    Entry<K> add(K key, long count, long sum, long from, long to) {
        Entry<K> entry = add(key, sum, from);
        entry.packets += count - 1;
        entry.weight += count - 1;
        packets += count - 1;
        entry.lastNs = Math.max(entry.lastNs, to);
        return entry;
    }

    private void makeRoom() {
        long[] weights = entries.values().stream().mapToLong(entry -> entry.weight).toArray();
        Arrays.sort(weights);
        long median = weights[weights.length / 2];
        missed += median;
        entries.values().removeIf(entry -> (entry.weight -= median) <= 0);
    }

    /** The keys with most packets, those first. */
    public List<Entry<K>> top(long count) {
        Comparator<Entry<K>> byPackets = Comparator.comparingLong(entry -> -entry.packets);
        return entries.values().stream()
                .sorted(
                        byPackets
                                .thenComparingLong(entry -> -entry.bytes)
                                .thenComparing(entry -> entry.key.toString()))
                .limit(count)
                .toList();
    }

    /** Number of keys that are kept. */
    public int size() {
        return entries.size();
    }

    /** Most packets of a key that is not kept; 0: all are kept, and all counts are exact. */
    public long missed() {
        return missed;
    }

    /** Number of all packets, which is exact. */
    public long packets() {
        return packets;
    }

    /** Bytes of all packets, which are exact. */
    public long bytes() {
        return bytes;
    }
}
