package dev.sluice.engine.memory;

import java.util.Arrays;

/**
 * The lines of a {@link MutableImage} that were written since the last {@link #clear}: their
 * numbers, each once, in the order in which they were first written. Not thread-safe.
 */
final class DirtyLines {
    /** A bit a line: whether it is in {@link #lines}. */
    private long[] marks = new long[64];

    private int[] lines = new int[64];
    private int count;

    /** Adds a line by its number. */
    void add(int line) {
        if (line >>> 6 >= marks.length) {
            marks = Arrays.copyOf(marks, (line >>> 6) + (line >>> 7) + 64);
        }
        if ((marks[line >>> 6] >>> line & 1) == 0) {
            marks[line >>> 6] |= 1L << line;
            if (count == lines.length) {
                lines = Arrays.copyOf(lines, 2 * count);
            }
            lines[count++] = line;
        }
    }

    /** Adds the lines of a run of words from an offset on. */
    void addRun(int at, int words) {
        int last = at + words - 1 >>> MutableImage.LINE_BITS;
        for (int line = at >>> MutableImage.LINE_BITS; words > 0 && line <= last; line++) {
            add(line);
        }
    }

    int count() {
        return count;
    }

    /** Number of a line. */
    int get(int index) {
        return lines[index];
    }

    void clear() {
        for (int k = 0; k < count; k++) {
            marks[lines[k] >>> 6] = 0;
        }
        count = 0;
    }
}
