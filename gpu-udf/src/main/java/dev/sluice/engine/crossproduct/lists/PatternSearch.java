package dev.sluice.engine.crossproduct.lists;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.rfc.RfcTables;

/** Search of lists by patterns, which tell for each class the first rule that holds. */
final class PatternSearch implements ListSearch {
    private final int[] words;
    private final int rules;

    /** The patterns' rows as 16-bit entries. */
    private final char[] patterns;

    private final int patternEntries;
    private final int listBits;
    private final int lists;

    PatternSearch(int[] words, int head, int rules) {
        this.words = words;
        this.rules = rules;
        int from = words[head + CrossproductLayout.PATTERNS];
        int to = words[head + CrossproductLayout.PATTERNS_END];
        patterns = RfcTables.narrow(words, from, to);
        patternEntries = words[head + CrossproductLayout.PATTERN_ENTRIES];
        listBits = words[head + CrossproductLayout.LIST_BITS];
        lists = words[head + CrossproductLayout.LISTS];
    }

    /**
     * Finds the rule of every list: the pattern tells which rule of the list it is. The cell itself
     * names the rule of a list of one; of other lists the rule's position is read.
     */
    @Override
    public void search(int found, boolean first, int[] classes, CrossproductScratch scratch) {
        char[] rows = patterns;
        int entries = patternEntries;
        int shift = listBits;
        int mask = (1 << shift) - 1;
        int all = rules;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int before = lists - all - 2;
        int longer = 0;
        for (int k = 0; k < found; k++) {
            int i = header[k];
            int cell = at[k];
            int list = cell & mask;
            int number = rows[(cell >>> shift) * entries + classes[i]];
            int hit = Branchless.maskIfNegative(-number);
            int single = Branchless.maskIfNegative(list - 1 - all);
            best[i] = Math.min(best[i], list - 1 | ~(hit & single) & Integer.MAX_VALUE);
            header[longer] = i;
            at[longer] = before + list + number;
            longer += hit & ~single & 1;
        }
        int[] w = words;
        for (int k = 0; k < longer; k++) {
            int i = header[k];
            best[i] = Math.min(best[i], w[at[k]]);
        }
    }
}
