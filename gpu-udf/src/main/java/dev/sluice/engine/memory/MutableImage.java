package dev.sluice.engine.memory;

import org.jspecify.annotations.Nullable;

/**
 * The words of an arena, as one copy of changing rules has them, and the lines of them that changed
 * since a device took them. Written through an {@link Arena}; not thread-safe.
 */
public final class MutableImage {
    static final int LINE_BITS = 4;

    /** Words of a line, the unit of changes. */
    public static final int LINE = 1 << LINE_BITS;

    int[] words;
    int size;

    /** Lines that a copy elsewhere lacks; null while there is none. */
    @Nullable DirtyLines lacking;

    MutableImage(int[] words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Another memory of the same content. */
    public MutableImage copy() {
        return new MutableImage(words.clone(), size);
    }

    /** The memory; replaced when it grows. */
    public int[] words() {
        return words;
    }

    /** Words in use or released for reuse. */
    public int size() {
        return size;
    }

    /** Keeps account of changes from now on, for who keeps a copy elsewhere. */
    public void track() {
        lacking = new DirtyLines();
    }

    /** Lines of {@link #LINE} words that have changed since the last call of {@link #settle}. */
    public int changeCount() {
        DirtyLines of = lacking;
        return of == null ? 0 : of.count();
    }

    /** Number of a line that has changed. */
    public int change(int index) {
        DirtyLines of = lacking;
        if (of == null) {
            throw new IllegalStateException("nobody keeps account of changes");
        }
        return of.get(index);
    }

    /** The copy elsewhere has all changes. */
    public void settle() {
        DirtyLines of = lacking;
        if (of != null) {
            of.clear();
        }
    }
}
