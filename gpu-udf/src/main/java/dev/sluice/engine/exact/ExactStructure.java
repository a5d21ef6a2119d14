package dev.sluice.engine.exact;

import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;

/**
 * Exact rules in one tuple, wildcard rules in merged tuples; both change in place. A rule is exact
 * if it names every bit that any rule named when the structure was made. Not thread-safe.
 */
public final class ExactStructure implements RuleStructure {
    private final HeaderLayout layout;
    private final int[] full;
    private final TupleStructure exact;
    private final MergedTupleStructure wild;
    private final boolean exactWins;
    private boolean[] isExact = new boolean[64];

    /** An empty structure for rules like these. */
    public ExactStructure(RuleSet like, HeaderLayout layout, CompileContext context) {
        this.layout = layout;
        this.exactWins = context.get(ExactFirstAlgorithm.EXACT_WINS);
        this.full = ExactFirstCompiler.fullMask(like, layout);
        String label = ExactFirstAlgorithm.LABEL;
        this.exact =
                new TupleStructure(
                        layout,
                        new Arena(label, context.budgetBytes()),
                        TupleTables.Settings.ROOMY);
        this.wild = new MergedTupleStructure(layout, new Arena(label, context.budgetBytes()));
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        if (slot >= isExact.length) {
            isExact = Arrays.copyOf(isExact, Math.max(slot + 1, isExact.length * 3 / 2));
        }
        isExact[slot] = ExactFirstCompiler.isExact(match, layout, full);
        (isExact[slot] ? exact : wild).insert(slot, rank, match);
    }

    @Override
    public void remove(int slot) {
        (isExact[slot] ? exact : wild).remove(slot);
    }

    @Override
    public void rerank(int[] rankOfSlot) {
        exact.rerank(rankOfSlot);
        wild.rerank(rankOfSlot);
    }

    @Override
    public void search(HeaderBatch headers, int[] ranks, int[] slots) {
        exact.search(headers, ranks, slots);
        if (wild.tables().count() == 0) {
            return;
        }
        Scratch scratch = Scratch.OF_THREAD.get();
        int n = headers.size();
        scratch.room(n);
        wild.search(headers, scratch.ranks, scratch.slots);
        for (int i = 0; i < n; i++) {
            if (slots[i] < 0 || !exactWins && scratch.ranks[i] < ranks[i]) {
                ranks[i] = scratch.ranks[i];
                slots[i] = scratch.slots[i];
            }
        }
    }

    @Override
    public long bytes() {
        return exact.bytes() + wild.bytes();
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        int[] ranks = new int[0];
        int[] slots = new int[0];

        void room(int n) {
            if (ranks.length < n) {
                ranks = new int[n];
                slots = new int[n];
            }
        }
    }
}
