package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;

/**
 * Longest-prefix match over up to four header words: a trie of two kinds of nodes ({@link
 * PrefixTrieLayout}). A table chooses a child by some adjacent bits, the more the denser the
 * prefixes below are; a comparison tests at once the next bits, which all prefixes below have in
 * common.
 */
final class PrefixTrie {
    private static final int MAX_WIDTH = 16;

    private final WordWriter out;
    private final PrefixSet set;
    private final int[] positions;

    private PrefixTrie(WordWriter out, PrefixSet set, int[] positions) {
        this.out = out;
        this.set = set;
        this.positions = positions;
    }

    /**
     * Writes a trie.
     *
     * @param positions layout positions of the words that hold the address
     * @return reference of its root
     */
    static int write(WordWriter out, PrefixSet set, int[] positions) {
        int from = 0;
        int best = 0;
        if (set.size() > 0 && set.prefixes[0].length() == 0) {
            best = 1;
            from = 1;
        }
        return new PrefixTrie(out, set, positions).node(from, set.size(), 0, best, true);
    }

    private static int bit(Prefix p, int at) {
        return p.word(at >>> 5) >>> 31 - (at & 31) & 1;
    }

    /** First bit from a depth on at which two prefixes differ or one of them ends. */
    private static int common(Prefix a, Prefix b, int depth) {
        int most = Math.min(a.length(), b.length());
        int at = depth;
        while (at < most && bit(a, at) == bit(b, at)) {
            at++;
        }
        return at;
    }

    /**
     * A node for prefixes from..to-1, all longer than the depth and equal before it.
     *
     * @param best 1 + index of the longest prefix that ends at or before the depth
     */
    private int node(int from, int to, int depth, int best, boolean root) {
        if (from == to) {
            return ~best;
        }
        // In ascending order no two prefixes differ earlier than the first and the last, but one
        // between them may end earlier.
        int shared = common(set.prefixes[from], set.prefixes[to - 1], depth);
        for (int i = from; i < to; i = set.end[i]) {
            shared = Math.min(shared, set.prefixes[i].length());
        }
        int wordEnd = (depth & ~31) + 32;
        boolean single = set.end[from] == to;
        if (single && !root || shared - depth > 2 && !root) {
            return compare(from, to, depth, Math.min(shared, wordEnd), best);
        }
        int count = to - from;
        int width =
                root
                        ? Math.max(8, 34 - Integer.numberOfLeadingZeros(count))
                        : 32 - Integer.numberOfLeadingZeros(count) + 1;
        width = Math.min(Math.min(width, MAX_WIDTH), wordEnd - depth);
        return table(from, to, depth, width, best);
    }

    private int header(int kind, int depth, int width) {
        return positions[depth >>> 5]
                | 32 - (depth & 31) - width << PrefixTrieLayout.SHIFT_AT
                | width << PrefixTrieLayout.WIDTH_AT
                | kind;
    }

    private int compare(int from, int to, int depth, int until, int best) {
        int at = out.reserve(PrefixTrieLayout.CHILDREN + PrefixTrieLayout.COMPARE_CHILDREN);
        int width = until - depth;
        Prefix first = set.prefixes[from];
        out.set(at + PrefixTrieLayout.NODE, header(PrefixTrieLayout.COMPARE, depth, width));
        out.set(at + PrefixTrieLayout.VALUE, first.word(depth >>> 5));
        int inner = best;
        int rest = from;
        if (first.length() == until) {
            inner = from + 1;
            rest = from + 1;
        }
        out.set(at + PrefixTrieLayout.CHILDREN, node(rest, to, until, inner, false));
        out.set(at + PrefixTrieLayout.CHILDREN + 1, ~best);
        return at;
    }

    private int table(int from, int to, int depth, int width, int best) {
        int at = out.reserve(PrefixTrieLayout.CHILDREN + (1L << width));
        out.set(at + PrefixTrieLayout.NODE, header(0, depth, width));
        fill(at + PrefixTrieLayout.CHILDREN, from, to, depth, width, best);
        return at;
    }

    private void fill(int entries, int from, int to, int depth, int width, int best) {
        PrefixChildren children = PrefixChildren.of(set, from, to, depth, width, best);
        int[] bestOf = children.best();
        int[] first = children.first();
        int[] last = children.last();
        for (int value = 0; value < 1 << width; value++) {
            out.set(
                    entries + value,
                    last[value] == 0
                            ? ~bestOf[value]
                            : node(first[value], last[value], depth + width, bestOf[value], false));
        }
    }
}
