package dev.sluice.engine.memory;

import java.util.Arrays;

/** Which words of a memory were written, in order: single words and runs. Not thread-safe. */
final class WriteLog {
    /** Places of single words; for a run the complement of its first place, then its length. */
    private int[] entries = new int[64];

    private int count;

    /** Words that were written, repeated ones too. */
    private long words;

    void add(int at) {
        room(1);
        entries[count++] = at;
        words++;
    }

    void add(int at, int length) {
        room(2);
        entries[count++] = ~at;
        entries[count++] = length;
        words += length;
    }

    private void room(int more) {
        if (count + more > entries.length) {
            entries = Arrays.copyOf(entries, 2 * entries.length);
        }
    }

    long words() {
        return words;
    }

    /** Writes to another memory what was written to the first. */
    void repeat(int[] from, int[] to) {
        for (int k = 0; k < count; k++) {
            int at = entries[k];
            if (at >= 0) {
                to[at] = from[at];
            } else {
                System.arraycopy(from, ~at, to, ~at, entries[++k]);
            }
        }
    }

    /** Adds the lines in which words were written. */
    void lines(DirtyLines to) {
        for (int k = 0; k < count; k++) {
            int at = entries[k];
            if (at >= 0) {
                to.add(at >>> MutableImage.LINE_BITS);
            } else {
                to.add(~at, entries[++k]);
            }
        }
    }

    void clear() {
        count = 0;
        words = 0;
    }
}
