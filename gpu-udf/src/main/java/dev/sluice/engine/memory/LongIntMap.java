package dev.sluice.engine.memory;

/**
 * A map from long to positive int without an object an entry: open addressing, at most half full.
 * Not thread-safe.
 */
public final class LongIntMap {
    private static final int SMALLEST = 16;

    private long[] keys = new long[SMALLEST];

    /** The value of the key at the same index, 0 where there is no key. */
    private int[] values = new int[SMALLEST];

    private int size;

    private static int hash(long key) {
        long h = key * 0x9e3779b97f4a7c15L;
        return (int) (h ^ h >>> 32);
    }

    private int indexOf(long key) {
        int mask = keys.length - 1;
        int at = hash(key) & mask;
        while (values[at] != 0 && keys[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    /** The value of a key, 0 if it has none. */
    public int get(long key) {
        return values[indexOf(key)];
    }

    /** Sets the value of a key, greater than 0. */
    public void put(long key, int value) {
        int at = indexOf(key);
        if (values[at] == 0) {
            size++;
            keys[at] = key;
        }
        values[at] = value;
        if (2 * size > keys.length) {
            grow();
        }
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[2 * oldKeys.length];
        values = new int[2 * oldKeys.length];
        for (int k = 0; k < oldKeys.length; k++) {
            if (oldValues[k] != 0) {
                int at = indexOf(oldKeys[k]);
                keys[at] = oldKeys[k];
                values[at] = oldValues[k];
            }
        }
    }

    /** Removes a key if it is there. */
    public void remove(long key) {
        int at = indexOf(key);
        if (values[at] == 0) {
            return;
        }
        size--;
        // No marks of removed keys: a later key of the same run of entries moves into the hole.
        int mask = keys.length - 1;
        int hole = at;
        for (int next = at + 1 & mask; values[next] != 0; next = next + 1 & mask) {
            int home = hash(keys[next]) & mask;
            if ((next - home & mask) >= (next - hole & mask)) {
                keys[hole] = keys[next];
                values[hole] = values[next];
                hole = next;
            }
        }
        values[hole] = 0;
    }

    /** Number of keys. */
    public int size() {
        return size;
    }
}
