package dev.sluice.operators.connections;

/**
 * Sections of a connection's slot, and where each begins.
 *
 * <pre>
 *   key        3 words, of IPv6 9
 *   fixed      {@link SlotBits}, the time of the end, the time from which on it is a stream
 *   rows       words of its {@link ConnectionRow}, where rows are kept
 *   windowed   its {@link WindowWords}, where windows of TCP are tracked
 *   versioned  version of the rules that judged it last, where rules judge anew
 * </pre>
 *
 * <p>Times and versions have two words each, the lower one first.
 *
 * @param version IP version
 */
public record SlotLayout(int version, boolean rows, boolean windowed, boolean versioned) {
    /** Version of a connection that no version is known to have judged: each one comes after. */
    static final long NO_VERSION = Long.MIN_VALUE;

    private static final int FIXED_WORDS = 5;
    private static final int VERSION_WORDS = 2;

    /** Slots of the connections of a tracker. */
    static SlotLayout of(int version, TrackerOptions options, boolean rows) {
        return new SlotLayout(version, rows, options.windows(), options.reevaluates());
    }

    /** Returns the number of words of a key. */
    int keyWords() {
        return version == 4 ? 3 : 9;
    }

    /** Returns the number of words of a slot. */
    int stride() {
        return versionAt() + (versioned ? VERSION_WORDS : 0);
    }

    /** Index of the row in a slot. */
    int rowAt() {
        return keyWords() + FIXED_WORDS;
    }

    /** Index of the windows in a slot. */
    int windowsAt() {
        return rowAt() + (rows ? ConnectionRow.WORDS : 0);
    }

    /** Index of the rules' version in a slot. */
    int versionAt() {
        return windowsAt() + (windowed ? WindowWords.WORDS : 0);
    }

    /**
     * Copies slots of this layout into slots of another one of the same IP version. Rows that these
     * lack are 0, windows unknown, and versions {@link #NO_VERSION}.
     */
    int[] convert(int[] from, SlotLayout to) {
        int slots = from.length / stride();
        int[] words = new int[slots * to.stride()];
        for (int slot = 0; slot < slots; slot++) {
            int source = slot * stride();
            int target = slot * to.stride();
            System.arraycopy(from, source, words, target, rowAt());
            if (rows && to.rows) {
                copy(from, source + rowAt(), words, target + to.rowAt(), ConnectionRow.WORDS);
            }
            if (to.windowed) {
                int at = target + to.windowsAt();
                if (windowed) {
                    copy(from, source + windowsAt(), words, at, WindowWords.WORDS);
                } else {
                    WindowWords.lose(words, at);
                }
            }
            if (to.versioned) {
                int at = target + to.versionAt();
                if (versioned) {
                    copy(from, source + versionAt(), words, at, VERSION_WORDS);
                } else {
                    ConnectionRow.putTime(words, at, NO_VERSION);
                }
            }
        }
        return words;
    }

    private static void copy(int[] from, int source, int[] to, int target, int count) {
        System.arraycopy(from, source, to, target, count);
    }
}
