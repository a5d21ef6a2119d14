package dev.sluice.engine.crossproduct.lists;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.lookup.Branchless;

/** Search of lists rule by rule: a bit tells whether the kind of a rule holds in a class. */
record KindSearch(int[] words) implements ListSearch {
    @Override
    public void search(int found, boolean first, int[] classes, CrossproductScratch scratch) {
        int lists = found;
        while (lists > 0) {
            lists = test(lists, classes, scratch);
        }
    }

    /** Tests one rule of every list; returns how many lists have another rule that may win. */
    private int test(int lists, int[] classes, CrossproductScratch scratch) {
        int[] w = words;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int left = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int entry = at[k];
            int row = w[entry + CrossproductLayout.LIST_ROW];
            int last = w[entry + CrossproductLayout.LIST_POSITION];
            int position = last & CrossproductLayout.UNMARKED;
            int c = classes[i];
            int better = Branchless.lessThan(position, best[i]);
            int hit = better & w[row + (c >>> 5)] >>> c;
            best[i] += position - best[i] & -hit;
            header[left] = i;
            at[left] = entry + CrossproductLayout.LISTED;
            left += better & ~hit & ~Branchless.isNegative(last);
        }
        return left;
    }
}
