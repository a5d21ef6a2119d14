package dev.sluice.engine.memory;

import java.util.Arrays;

/**
 * Offsets of the words that were written to a buffer, in order: single words and runs. Not
 * thread-safe.
 */
final class WriteLog {
    /** A single word: its offset. A run: ~offset of its first word, then its length. */
    private int[] entries = new int[64];

    private int count;

    /** Words that were written; one written twice counts twice. */
    private long words;

    /** A word was written. */
    void add(int at) {
        room(1);
        entries[count++] = at;
        words++;
    }

    /** A run of words was written. */
    void addRun(int at, int length) {
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

    /** Words that were written; one written twice counts twice. */
    long words() {
        return words;
    }

    /** Copies the words that were written from their buffer to another. */
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

    /** Adds the lines that have the words. */
    void addLinesTo(DirtyLines to) {
        for (int k = 0; k < count; k++) {
            int at = entries[k];
            if (at >= 0) {
                to.add(at >>> MutableImage.LINE_BITS);
            } else {
                to.addRun(~at, entries[++k]);
            }
        }
    }

    void clear() {
        count = 0;
        words = 0;
    }
}
