package dev.sluice.schemas.header;

/**
 * N headers of one layout as structure of arrays: word w of header i is at {@code w * capacity + i}
 * of {@link #words()}, so that a loop over one word runs over neighbouring memory.
 *
 * <p>Filled by one thread, then handed over; not thread-safe while it is filled. Reused: {@link
 * #clear} keeps the memory.
 */
public final class HeaderBatch {
    private final int capacity;
    private HeaderLayout layout;
    private int[] words;
    private int size;

    /**
     * An empty batch.
     *
     * @param capacity most headers it can hold
     */
    public HeaderBatch(HeaderLayout layout, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " is below 1");
        }
        this.layout = layout;
        this.capacity = capacity;
        this.words = new int[Math.multiplyExact(layout.size(), capacity)];
    }

    /** Empties the batch; with another layout, its memory grows where that needs more. */
    public void clear(HeaderLayout newLayout) {
        size = 0;
        layout = newLayout;
        if (words.length < newLayout.size() * capacity) {
            words = new int[newLayout.size() * capacity];
        }
    }

    /** Which words its headers have. */
    public HeaderLayout layout() {
        return layout;
    }

    /** Most headers the batch can hold: also the distance between two words of one header. */
    public int capacity() {
        return capacity;
    }

    /** Headers in the batch. */
    public int size() {
        return size;
    }

    /** Returns whether there is no room for another header. */
    public boolean isFull() {
        return size == capacity;
    }

    /** Sets the number of headers, after their words were written into {@link #words()}. */
    public void size(int newSize) {
        if (newSize < 0 || newSize > capacity) {
            throw new IllegalArgumentException("size " + newSize + " is not in 0.." + capacity);
        }
        size = newSize;
    }

    /** The flat memory: word w of header i at {@code w * capacity + i}. */
    public int[] words() {
        return words;
    }

    /** Word at a layout position of a header. */
    public int word(int position, int header) {
        return words[position * capacity + header];
    }

    /**
     * Appends one header.
     *
     * @param header its {@link HeaderWord#COUNT} words
     */
    public void add(int[] header) {
        for (int p = 0; p < layout.size(); p++) {
            words[p * capacity + size] = header[layout.word(p)];
        }
        size++;
    }
}
