package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.prefix.PrefixSearch;
import dev.sluice.engine.prefix.RangeSearch;
import dev.sluice.engine.prefix.TrieSearch;
import org.jspecify.annotations.Nullable;

/** Rows of the longest prefixes around one address, for a block of headers. Thread-safe. */
final class AddressRows {
    private final int[] words;

    /** Step whose entries are the prefixes, where there is no search. */
    private final int step;

    private final @Nullable PrefixSearch search;
    private final int rows;
    private final int rowWords;

    AddressRows(int[] words, int record) {
        this.words = words;
        step = words[record + CrossproductLayout.AT];
        search = search(words, record);
        rows = words[record + CrossproductLayout.ROWS];
        rowWords = words[record + CrossproductLayout.ROW_WORDS];
    }

    private static @Nullable PrefixSearch search(int[] words, int record) {
        int at = words[record + CrossproductLayout.AT];
        int parents = words[record + CrossproductLayout.PARENTS];
        int position = words[record + CrossproductLayout.POSITION];
        return switch (words[record + CrossproductLayout.FORM]) {
            case CrossproductLayout.LEVELS -> null;
            case CrossproductLayout.RANGES -> new RangeSearch(words, at, parents, position);
            default -> new TrieSearch(words, at, parents, position);
        };
    }

    /** Returns the size of a row in words. */
    int rowWords() {
        return rowWords;
    }

    /**
     * Reads the row of each header's prefix. It has, for each group, the number of the group's
     * longest prefix around the address.
     *
     * @param h flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param from first header of the block
     * @param n headers of the block
     * @param steps the entries of the steps' tables, from which levels give the prefix
     * @param row gets the rows: word w of header i at {@code [w][i]}
     */
    void rows(
            int[] h,
            int capacity,
            int from,
            int n,
            int[][] steps,
            CrossproductScratch scratch,
            int[][] row) {
        PrefixSearch searched = search;
        int[] found = searched == null ? steps[step] : scratch.found;
        if (searched != null) {
            searched.find(h, capacity, from, n, scratch.room, found);
        }
        int[] w = words;
        int first = rows;
        if (rowWords == 1) {
            int[] only = row[0];
            for (int i = 0; i < n; i++) {
                only[i] = w[first + found[i]];
            }
        } else {
            for (int word = 0; word < rowWords; word += 2) {
                int[] a = row[word];
                int[] b = row[word + 1];
                for (int i = 0; i < n; i++) {
                    int r = first + found[i] * rowWords + word;
                    a[i] = w[r];
                    b[i] = w[r + 1];
                }
            }
        }
    }
}
