package dev.sluice.engine.exact;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.SelectedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderBatch;

/** Looks all headers up in the exact tuple, then those that need it among the wildcard rules. */
public final class ExactFirstClassifier extends CompiledClassifier {
    private final Classifier inner;
    private final int head;

    /** A classifier over an image of this algorithm; that of the wildcard rules is copied out. */
    public ExactFirstClassifier(Image image) {
        super(image);
        head = words[TupleSpaceLayout.EXTRA_AT];
        inner = Algorithm.openImage(image.within(words[head + ExactFirstLayout.INNER]));
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        TupleSearch search = TupleSearch.get();
        Scratch scratch = Scratch.OF_THREAD.get();
        int[] waiting = scratch.waiting;
        int map = words[head + ExactFirstLayout.MAP];
        boolean exactWins = words[head + ExactFirstLayout.EXACT_WINS] != 0;
        int bestWildcard = words[head + ExactFirstLayout.BEST_WILDCARD];
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            search.inOrder();
            int pending = 0;
            for (int i = 0; i < n; i++) {
                int rank = search.bestRank[i];
                verdicts[from + i] = rank == Integer.MAX_VALUE ? VerdictBatch.MISS : rank;
                boolean done = rank != Integer.MAX_VALUE && (exactWins || rank < bestWildcard);
                waiting[pending] = from + i;
                pending += done ? 0 : 1;
            }
            VerdictBatch found = scratch.rest.classify(inner, headers, waiting, pending);
            for (int k = 0; k < pending; k++) {
                int position = found.rule(k);
                int at = waiting[k];
                if (position != VerdictBatch.MISS) {
                    int rank = words[map + position];
                    if (verdicts[at] == VerdictBatch.MISS || rank < verdicts[at]) {
                        verdicts[at] = rank;
                    }
                }
            }
        }
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        final int[] waiting = new int[TupleSearch.BLOCK + 1];
        final SelectedHeaders rest = new SelectedHeaders(TupleSearch.BLOCK);
    }
}
