package dev.sluice.engine.prefix;

import dev.sluice.engine.image.WordWriter;

/**
 * Longest-prefix match over up to four header words. The tables of a trie choose by bits in which
 * prefixes differ; bits that all prefixes of a table have in common are skipped, and only at the
 * end is the address compared with the prefix that was found, all bits at once. Where they differ,
 * one of the prefixes around that one is the longest: the first that ends before they do (D. R.
 * Morrison, "PATRICIA: practical algorithm to retrieve information coded in alphanumeric", JACM
 * 1968; here with some bits a table). {@link PrefixTrieLayout} has the words.
 *
 * <p>That is right since an address goes, as far as it agrees with a prefix around it, where that
 * prefix's own address goes: what it finds lies within the prefix.
 */
public record PrefixTrie(WordWriter out, PrefixSet set, int[] positions) {
    private static final int MAX_WIDTH = 16;

    /** Bits of the first table, at least. */
    private static final int ROOT_WIDTH = 8;

    /** Log2 of the entries for a prefix, at least: few prefixes need a second table. */
    private static final int ROOT_ENTRIES_BITS = 2;

    /**
     * Writes the tables.
     *
     * @param positions layout positions of the words that hold the address
     * @return reference of the first one
     */
    public static int write(WordWriter out, PrefixSet set, int[] positions) {
        int n = set.size();
        int width = ROOT_ENTRIES_BITS + 32 - Integer.numberOfLeadingZeros(n);
        return new PrefixTrie(out, set, positions).node(0, n, 0, Math.max(ROOT_WIDTH, width));
    }

    /**
     * Writes what the address is compared with.
     *
     * @param words of an address
     * @return offset
     */
    public static int writeAround(WordWriter out, PrefixSet set, int words) {
        int n = set.size();
        int around = out.reserve(PrefixTrieLayout.RECORDS + (n + 1L) * (words + 1));
        out.set(around + PrefixTrieLayout.ADDRESS_WORDS, words);
        for (int i = 0; i < n; i++) {
            Prefix p = set.prefixes[i];
            int record = around + PrefixTrieLayout.RECORDS + (i + 1) * (words + 1);
            out.set(record, set.parent[i] + 1 << PrefixTrieLayout.PARENT_AT | p.length());
            for (int k = 0; k < words; k++) {
                out.set(record + 1 + k, p.word(k));
            }
        }
        return around;
    }

    private static int bit(Prefix p, int at) {
        return p.word(at >>> 5) >>> 31 - (at & 31) & 1;
    }

    /** First bit at which two prefixes differ, neither of which is around the other. */
    private static int differ(Prefix a, Prefix b) {
        int at = 0;
        while (bit(a, at) == bit(b, at)) {
            at++;
        }
        return at;
    }

    /**
     * A reference for prefixes from..to-1, which have their first bits in common.
     *
     * @param best 1 + index of the longest prefix around all of them
     * @param leastWidth bits of a table, at least
     */
    private int node(int from, int to, int best, int leastWidth) {
        int first = from;
        int inner = best;
        while (first < to && set.end[first] == to) {
            inner = ++first;
        }
        if (first == to) {
            return ~inner;
        }
        // In ascending order no two differ earlier than the first and the last do, and one that
        // ended before would be around all.
        int depth = differ(set.prefixes[first], set.prefixes[to - 1]);
        int bits = 33 - Integer.numberOfLeadingZeros(to - first);
        int width = Math.min(Math.max(leastWidth, bits), MAX_WIDTH);
        return table(first, to, depth, Math.min(width, 32 - (depth & 31)), inner);
    }

    private int table(int from, int to, int depth, int width, int best) {
        int at = out.reserve(PrefixTrieLayout.CHILDREN + (1L << width));
        out.set(
                at + PrefixTrieLayout.NODE,
                positions[depth >>> 5]
                        | 32 - (depth & 31) - width << PrefixTrieLayout.SHIFT_AT
                        | width << PrefixTrieLayout.WIDTH_AT);
        PrefixChildren children = PrefixChildren.of(set, from, to, depth, width, best);
        int[] bestOf = children.best();
        int[] first = children.first();
        int[] last = children.last();
        for (int value = 0; value < 1 << width; value++) {
            out.set(
                    at + PrefixTrieLayout.CHILDREN + value,
                    last[value] == 0
                            ? ~bestOf[value]
                            : node(first[value], last[value], bestOf[value], 1));
        }
        return at;
    }
}
