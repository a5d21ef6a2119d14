package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.GroupPrefixes;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.PrefixLevels;
import dev.sluice.engine.prefix.PrefixRanges;
import dev.sluice.engine.prefix.PrefixRangesLayout;
import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.prefix.PrefixTables;
import dev.sluice.engine.prefix.PrefixTrie;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The source or the destination address while an image is written: chooses how the longest prefix
 * around an address is found, and writes a row for each prefix, which tells every group's longest
 * prefix around it.
 */
final class AddressAxis {
    /** A prefix takes at least so many bytes of tables of fixed strides. */
    private static final int LEAST_BYTES = 250;

    /**
     * Bytes that tables of fixed strides may take, if the prefixes cannot be searched as ranges,
     * for each prefix and for {@link #PREFIXES_MORE} more.
     */
    private static final long BYTES_A_PREFIX = 400;

    private static final int PREFIXES_MORE = 10_000;

    /** Rows start at multiples of so many words, the most that one load of a GPU reads. */
    private static final int VECTOR = 4;

    private final PrefixSet all;
    private final @Nullable PrefixTables levels;
    private final @Nullable PrefixRanges ranges;

    /**
     * An address.
     *
     * @param words header words that hold it
     * @param prefixes of all rules
     * @param levelBytes bytes up to which tables of fixed strides are preferred
     */
    AddressAxis(int[] words, PrefixSet prefixes, long levelBytes) {
        all = prefixes;
        PrefixTables small =
                words.length == 1 && all.size() <= levelBytes / LEAST_BYTES
                        ? PrefixLevels.of(all, words[0], levelBytes)
                        : null;
        ranges = words.length == 1 && small == null ? PrefixRanges.of(all) : null;
        levels =
                words.length == 1 && small == null && ranges == null
                        ? PrefixLevels.of(
                                all, words[0], BYTES_A_PREFIX * (all.size() + PREFIXES_MORE))
                        : small;
    }

    /** The tables of fixed strides that find the prefix, null if something else finds it. */
    @Nullable PrefixTables levels() {
        return levels;
    }

    /**
     * Writes the address's record, the structure that finds its prefix, the rows, and in the
     * groups' records which bits of a row are the group's.
     *
     * @param record offset of the address's record
     * @param step the step of the last level of the tables of fixed strides, if there are some
     * @param positions layout positions of the address's words
     * @param groups the groups' prefixes, which say what a row has for them
     * @param address 0 for the source, 1 for the destination
     * @param records offset of the first group's record
     */
    void write(
            WordWriter out,
            int record,
            int step,
            int[] positions,
            List<? extends GroupPrefixes> groups,
            int address,
            int records) {
        out.set(record + CrossproductLayout.POSITION, positions.length == 0 ? 0 : positions[0]);
        int form = CrossproductLayout.TRIE;
        int at = step;
        int parents = 0;
        if (levels != null) {
            form = CrossproductLayout.LEVELS;
        } else if (ranges != null) {
            form = CrossproductLayout.RANGES;
            at = ranges.write(out);
            parents = PrefixRangesLayout.parents(at, all.size());
        } else {
            at = PrefixTrie.write(out, all, positions);
            parents = PrefixTrie.writeAround(out, all, positions.length);
        }
        out.set(record + CrossproductLayout.FORM, form);
        out.set(record + CrossproductLayout.AT, at);
        out.set(record + CrossproductLayout.PARENTS, parents);
        int fields = records + CrossproductLayout.FIELDS + address * CrossproductLayout.FIELD;
        int word = 0;
        int used = 0;
        for (int g = 0; g < groups.size(); g++) {
            int bits = groups.get(g).bits(address);
            if (used + bits > 32) {
                word++;
                used = 0;
            }
            int field = fields + g * CrossproductLayout.RECORD;
            out.set(field + CrossproductLayout.FIELD_WORD, word);
            out.set(field + CrossproductLayout.FIELD_SHIFT, used);
            out.set(field + CrossproductLayout.FIELD_MASK, (1 << bits) - 1);
            used += bits;
        }
        int rowWords = Integer.highestOneBit(Math.max(1, 2 * word + 1));
        int rows = out.reserveAligned((all.size() + 1L) * rowWords, VECTOR);
        out.set(record + CrossproductLayout.ROWS, rows);
        out.set(record + CrossproductLayout.ROW_WORDS, rowWords);
        for (int g = 0; g < groups.size(); g++) {
            GroupPrefixes cells = groups.get(g);
            int[] around = cells.prefixes(address).longestAround(all);
            int field = fields + g * CrossproductLayout.RECORD;
            int shift = out.get(field + CrossproductLayout.FIELD_SHIFT);
            int fieldWord = out.get(field + CrossproductLayout.FIELD_WORD);
            for (int i = 0; i < around.length; i++) {
                int to = rows + (i + 1) * rowWords + fieldWord;
                out.set(to, out.get(to) | cells.field(address, around[i]) << shift);
            }
        }
    }
}
