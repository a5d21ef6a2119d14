package dev.sluice.engine.image;

import org.jspecify.annotations.Nullable;

/**
 * The words of an arena, as one copy of changing rules has them, and the lines of them that changed
 * since a device took them. Written through an {@link Arena}; not thread-safe.
 */
public final class LiveWords {
    static final int LINE_BITS = 4;

    /** Words of a line, the unit of changes. */
    public static final int LINE = 1 << LINE_BITS;

    int[] words;
    int size;

    /** Lines that a copy elsewhere lacks; null while there is none. */
    @Nullable Lines lacking;

    LiveWords(int[] words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Another memory of the same content. */
    public LiveWords copy() {
        return new LiveWords(words.clone(), size);
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
        lacking = new Lines();
    }

    /** Lines of {@link #LINE} words that have changed since the last call of {@link #settle}. */
    public int changeCount() {
        Lines of = lacking;
        return of == null ? 0 : of.count();
    }

    /** Number of a line that has changed. */
    public int change(int index) {
        Lines of = lacking;
        if (of == null) {
            throw new IllegalStateException("nobody keeps account of changes");
        }
        return of.get(index);
    }

    /** The copy elsewhere has all changes. */
    public void settle() {
        Lines of = lacking;
        if (of != null) {
            of.clear();
        }
    }
}
