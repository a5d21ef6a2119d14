package dev.sluice.engine.memory;

import java.util.Arrays;

/** Numbers of lines that changed, each once, in the order of their first change. */
final class DirtyLines {
    private long[] marks = new long[64];
    private int[] lines = new int[64];
    private int count;

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

    /** Adds the lines of a run of words. */
    void add(int at, int words) {
        int last = at + words - 1 >>> MutableImage.LINE_BITS;
        for (int line = at >>> MutableImage.LINE_BITS; words > 0 && line <= last; line++) {
            add(line);
        }
    }

    int count() {
        return count;
    }

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
