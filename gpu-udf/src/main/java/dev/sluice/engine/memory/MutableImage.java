package dev.sluice.engine.memory;

import org.jspecify.annotations.Nullable;

/**
 * An image that changes: one buffer of an {@link Arena}, which alone writes it. Counts the lines
 * that were written, for one who keeps a copy elsewhere, as on a device. Not thread-safe.
 */
public final class MutableImage {
    static final int LINE_BITS = 4;

    /** Size of a line in words. */
    public static final int LINE = 1 << LINE_BITS;

    int[] words;
    int size;

    /** Lines that a copy elsewhere lacks; null: nobody asked for them. */
    @Nullable DirtyLines dirtyLines;

    MutableImage(int[] words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Another buffer of the same content, without dirty lines. */
    public MutableImage copy() {
        return new MutableImage(words.clone(), size);
    }

    /** The words; another array after the arena has grown. Do not change. */
    public int[] words() {
        return words;
    }

    /** Words in use or released for reuse. */
    public int size() {
        return size;
    }

    /** From now on notes the lines that are written; there are none yet. */
    public void trackDirtyLines() {
        dirtyLines = new DirtyLines();
    }

    /**
     * Number of lines of {@link #LINE} words that were written since the last {@link
     * #clearDirtyLines}; 0 if they are not noted.
     */
    public int dirtyLineCount() {
        DirtyLines dirty = dirtyLines;
        return dirty == null ? 0 : dirty.count();
    }

    /**
     * Number of a line that was written: its words start at this times {@link #LINE}.
     *
     * @param index from 0 to {@link #dirtyLineCount} - 1
     * @throws IllegalStateException if lines are not noted
     */
    public int dirtyLine(int index) {
        DirtyLines dirty = dirtyLines;
        if (dirty == null) {
            throw new IllegalStateException("dirty lines are not noted; call trackDirtyLines");
        }
        return dirty.get(index);
    }

    /** To be called when the copy elsewhere has all that was written. */
    public void clearDirtyLines() {
        DirtyLines dirty = dirtyLines;
        if (dirty != null) {
            dirty.clear();
        }
    }
}
