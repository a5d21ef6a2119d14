package dev.sluice.engine.rfc;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Branchless;

/**
 * A compressed table as D. Liu et al. have it. It is cut into pieces of 2^k entries. A piece is a
 * bitmap, whose bit is set where an entry differs from the one before it (always for the first
 * one), and a list of elements: one value for each run of equal entries. A piece with more runs
 * than it has room for keeps the other values in an accessory table, whose address takes the place
 * of its last elements. {@link BitmapTableLayout} has the words of a piece.
 */
final class BitmapTable {
    /** A table that is smaller than its uncompressed form by this factor is small enough. */
    private static final double ENOUGH = 3.8;

    /** The uncompressed table; beyond its end the last entry repeats. */
    private final int[] entries;

    /**
     * Form of the pieces.
     *
     * @param bits log2 of the entries of a piece
     * @param words words of a piece
     * @param elements values that fit behind the bitmap
     */
    record Form(int bits, int words, int elements) {
        int bitmapWords() {
            return Math.max(1, 1 << bits - BitmapTableLayout.WORD_BITS);
        }
    }

    /**
     * Size of a table in a form.
     *
     * @param words size in words
     * @param accessoryEntries values in the accessory table
     * @param accessoryPieces pieces that use it
     * @param pieces all pieces
     */
    record Size(long words, long accessoryEntries, int accessoryPieces, int pieces) {}

    BitmapTable(int[] entries) {
        this.entries = entries;
    }

    static Form paperForm(boolean wide) {
        return wide ? new Form(5, 9, 8) : new Form(5, 5, 8);
    }

    /** The forms that are tried: whole or half cache sectors of 32 bytes. */
    static Form[] tunedForms(boolean wide) {
        int perWord = wide ? 1 : 2;
        int[][] bitsAndWords = {{5, 4}, {5, 8}, {6, 4}, {6, 8}, {6, 16}, {7, 8}, {7, 16}};
        Form[] forms = new Form[bitsAndWords.length];
        for (int i = 0; i < forms.length; i++) {
            int bitmap = 1 << bitsAndWords[i][0] - 5;
            forms[i] =
                    new Form(
                            bitsAndWords[i][0],
                            bitsAndWords[i][1],
                            (bitsAndWords[i][1] - bitmap) * perWord);
        }
        return forms;
    }

    private int entry(int index) {
        return entries[Math.min(index, entries.length - 1)];
    }

    private int pieces(Form form) {
        return (int) ((entries.length + (1L << form.bits) - 1) >>> form.bits);
    }

    private int runs(int piece, int pieceBits) {
        int from = piece << pieceBits;
        int to = Math.min(entries.length, from + (1 << pieceBits));
        int runs = 1;
        for (int i = from + 1; i < to; i++) {
            runs += entries[i] == entries[i - 1] ? 0 : 1;
        }
        return runs;
    }

    /** How many pieces have 1, 2, ... runs; index 0 is unused. */
    int[] histogram(int pieceBits) {
        int[] histogram = new int[(1 << pieceBits) + 1];
        int pieces = pieces(new Form(pieceBits, 0, 0));
        for (int p = 0; p < pieces; p++) {
            histogram[runs(p, pieceBits)]++;
        }
        return histogram;
    }

    /** Size in a form, without writing it. */
    Size size(Form form, boolean wide) {
        int[] histogram = histogram(form.bits);
        int inPiece = BitmapTableLayout.elementsLeft(form.elements, wide);
        long accessory = 0;
        int users = 0;
        int pieces = 0;
        for (int runs = 1; runs < histogram.length; runs++) {
            pieces += histogram[runs];
            if (runs > form.elements) {
                users += histogram[runs];
                accessory += (long) histogram[runs] * (runs - inPiece);
            }
        }
        long accessoryWords = wide ? accessory : (accessory + 1) / 2;
        return new Size((long) pieces * form.words + accessoryWords, accessory, users, pieces);
    }

    private long enough(boolean wide) {
        return (long) (entries.length / ((wide ? 1 : 2) * ENOUGH));
    }

    /** Returns whether a form makes the table so small that compression is worth its time. */
    boolean compressesWell(Form form, boolean wide) {
        return size(form, wide).words <= enough(wide);
    }

    /**
     * The form to use: among those that compress well, the fastest, which is the one with the
     * fewest entries in the accessory table; the smallest if none compresses well.
     */
    Form best(boolean wide) {
        long enough = enough(wide);
        Form best = paperForm(wide);
        Size smallest = size(best, wide);
        for (Form form : tunedForms(wide)) {
            Size size = size(form, wide);
            boolean suits = size.words <= enough;
            boolean better =
                    smallest.words <= enough && suits
                            ? size.accessoryEntries < smallest.accessoryEntries
                            : size.words < smallest.words;
            if (better) {
                best = form;
                smallest = size;
            }
        }
        return best;
    }

    /**
     * Writes the table.
     *
     * @param align words that pieces are aligned to
     * @return offset of the first piece and of the accessory table
     */
    int[] write(WordWriter out, Form form, boolean wide, int align) {
        Size size = size(form, wide);
        int at = out.reserve(size.words + align);
        int table = (at + align - 1) / align * align;
        int accessory = table + size.pieces * form.words;
        int inPiece = BitmapTableLayout.elementsLeft(form.elements, wide);
        int next = 0;
        int[] values = new int[1 << form.bits];
        for (int piece = 0; piece < size.pieces; piece++) {
            int base = table + piece * form.words;
            int from = piece << form.bits;
            int runs = 0;
            for (int i = 0; i < 1 << form.bits; i++) {
                if (i == 0 || entry(from + i) != entry(from + i - 1)) {
                    int word = base + (i >>> 5);
                    out.set(word, out.get(word) | 1 << i);
                    values[runs++] = entry(from + i);
                }
            }
            int elements = base + form.bitmapWords();
            boolean direct = runs <= form.elements;
            for (int r = 0; r < (direct ? runs : inPiece); r++) {
                put(out, elements, r, values[r], wide);
            }
            if (!direct) {
                out.set(elements + inPiece / (wide ? 1 : 2), next);
                for (int r = inPiece; r < runs; r++) {
                    put(out, accessory, next++, values[r], wide);
                }
            }
        }
        return new int[] {table, accessory};
    }

    private static void put(WordWriter out, int base, int index, int value, boolean wide) {
        if (wide) {
            out.set(base + index, value);
        } else {
            int word = base + (index >>> 1);
            out.set(word, out.get(word) | value << (index << 4 & 16));
        }
    }

    /**
     * Place of a table in an image, and its form.
     *
     * @param direct whether all elements are in their pieces: no piece uses the accessory table
     */
    record Place(int table, int accessory, Form form, boolean wide, boolean direct) {
        /** A table of an image; looks at its pieces once. */
        static Place of(int[] w, int table, int accessory, Form form, boolean wide) {
            boolean direct = true;
            for (int piece = table; direct && piece < accessory; piece += form.words) {
                int runs = 0;
                for (int word = 0; word < form.bitmapWords(); word++) {
                    runs += Integer.bitCount(w[piece + word]);
                }
                direct = runs <= form.elements;
            }
            return new Place(table, accessory, form, wide, direct);
        }
    }

    /**
     * Replaces each index by the table's entry.
     *
     * @param out n indices
     * @param rare memory for n numbers
     * @param indices memory for n numbers
     */
    static void read(int[] w, Place place, int n, int[] out, int[] rare, int[] indices) {
        if (place.direct) {
            switch (place.form.bits) {
                case 5 -> direct32(w, place, n, out);
                case 6 -> direct64(w, place, n, out);
                default -> direct128(w, place, n, out);
            }
        } else {
            mixed(w, place, n, out, rare, indices);
        }
    }

    private static void direct32(int[] w, Place place, int n, int[] out) {
        int table = place.table;
        int words = place.form.words;
        int shift = place.wide ? 0 : 1;
        int halves = -shift;
        int mask = 0xffff | ~halves;
        for (int i = 0; i < n; i++) {
            int index = out[i];
            int base = table + (index >>> 5) * words;
            int rank = Integer.bitCount(w[base] & (2 << index) - 1) - 1;
            out[i] = w[base + 1 + (rank >>> shift)] >>> (rank << 4 & halves) & mask;
        }
    }

    private static void direct64(int[] w, Place place, int n, int[] out) {
        int table = place.table;
        int words = place.form.words;
        int shift = place.wide ? 0 : 1;
        int halves = -shift;
        int mask = 0xffff | ~halves;
        for (int i = 0; i < n; i++) {
            int index = out[i];
            int base = table + (index >>> 6) * words;
            int rank = Long.bitCount(bitmap(w, base) & (2L << index) - 1) - 1;
            out[i] = w[base + 2 + (rank >>> shift)] >>> (rank << 4 & halves) & mask;
        }
    }

    private static void direct128(int[] w, Place place, int n, int[] out) {
        int table = place.table;
        int words = place.form.words;
        int shift = place.wide ? 0 : 1;
        int halves = -shift;
        int mask = 0xffff | ~halves;
        for (int i = 0; i < n; i++) {
            int index = out[i];
            int base = table + (index >>> 7) * words;
            int rank = rank128(w, base, index);
            out[i] = w[base + 4 + (rank >>> shift)] >>> (rank << 4 & halves) & mask;
        }
    }

    /**
     * At first all entries are taken to be in their pieces; those that are in the accessory table
     * are read again.
     */
    private static void mixed(int[] w, Place place, int n, int[] out, int[] rare, int[] indices) {
        int[] ranks = rare;
        switch (place.form.bits) {
            case 5 -> ranks32(w, place, n, out, ranks);
            case 6 -> ranks64(w, place, n, out, ranks);
            default -> ranks128(w, place, n, out, ranks);
        }
        int elements = place.table + place.form.bitmapWords();
        int bits = place.form.bits;
        int words = place.form.words;
        int last = BitmapTableLayout.elementsLeft(place.form.elements, place.wide);
        int shift = place.wide ? 0 : 1;
        int halves = -shift;
        int later = 0;
        for (int i = 0; i < n; i++) {
            int index = out[i];
            int rank = ranks[i];
            int element = Math.min(rank, last);
            int word = w[elements + (index >>> bits) * words + (element >>> shift)];
            out[i] = word >>> (element << 4 & halves) & (0xffff | ~halves);
            // Overwrites ranks that were read already: later is never beyond i.
            rare[later] = i;
            indices[later] = index;
            later += Branchless.lessThan(last - 1, rank);
        }
        for (int k = 0; k < later; k++) {
            out[rare[k]] = get(w, place, indices[k]);
        }
    }

    /** For each index the number of its run within its piece, for pieces of 32 entries. */
    private static void ranks32(int[] w, Place place, int n, int[] index, int[] ranks) {
        int table = place.table;
        int words = place.form.words;
        for (int i = 0; i < n; i++) {
            int bitmap = w[table + (index[i] >>> 5) * words];
            ranks[i] = Integer.bitCount(bitmap & (2 << index[i]) - 1) - 1;
        }
    }

    private static void ranks64(int[] w, Place place, int n, int[] index, int[] ranks) {
        int table = place.table;
        int words = place.form.words;
        for (int i = 0; i < n; i++) {
            long bitmap = bitmap(w, table + (index[i] >>> 6) * words);
            ranks[i] = Long.bitCount(bitmap & (2L << index[i]) - 1) - 1;
        }
    }

    private static void ranks128(int[] w, Place place, int n, int[] index, int[] ranks) {
        int table = place.table;
        int words = place.form.words;
        for (int i = 0; i < n; i++) {
            ranks[i] = rank128(w, table + (index[i] >>> 7) * words, index[i]);
        }
    }

    private static int rank128(int[] w, int base, int index) {
        long upper = -(index >>> 6 & 1);
        long mask = (2L << index) - 1;
        return Long.bitCount(bitmap(w, base) & (mask | upper))
                + Long.bitCount(bitmap(w, base + 2) & mask & upper)
                - 1;
    }

    private static long bitmap(int[] w, int at) {
        return w[at] & 0xffffffffL | (long) w[at + 1] << 32;
    }

    /** The entry at an index. */
    private static int get(int[] w, Place place, int index) {
        Form form = place.form;
        int base = place.table + (index >>> form.bits) * form.words;
        int bit = index & (1 << form.bits) - 1;
        int bitmapWords = form.bitmapWords();
        int runs = 0;
        int rank = -1;
        for (int word = 0; word < bitmapWords; word++) {
            int bitmap = w[base + word];
            runs += Integer.bitCount(bitmap);
            int below = bit - 32 * word;
            if (below >= 31) {
                rank += Integer.bitCount(bitmap);
            } else if (below >= 0) {
                rank += Integer.bitCount(bitmap & (2 << below) - 1);
            }
        }
        int at = base + bitmapWords;
        if (runs > form.elements) {
            int inPiece = BitmapTableLayout.elementsLeft(form.elements, place.wide);
            if (rank >= inPiece) {
                rank += w[at + (place.wide ? inPiece : inPiece >>> 1)] - inPiece;
                at = place.accessory;
            }
        }
        return place.wide ? w[at + rank] : w[at + (rank >>> 1)] >>> (rank << 4 & 16) & 0xffff;
    }
}
