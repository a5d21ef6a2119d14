package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.forest.Planner.Place;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import org.jspecify.annotations.Nullable;

/** Builds one forest: {@link Planner plans} its tree and writes it. Not thread-safe. */
final class ForestBuilder {
    /** Label of the algorithm. */
    static final String LABEL = "forest";

    /** Code of the algorithm in images. */
    static final int CODE = 3;

    private final RuleSet rules;
    private final ForestEntries entries;
    private final WordWriter out;
    private final Planner planner;
    private final int boundShift;

    ForestBuilder(RuleSet rules, ForestEntries entries, long budgetBytes) {
        this.rules = rules;
        this.entries = entries;
        this.out = new WordWriter(LABEL, budgetBytes);
        this.planner = new Planner(entries, Room.of(rules, budgetBytes));
        this.boundShift = Descriptor.boundShift(rules.size());
    }

    /** Builds a forest on this thread. */
    Forest build() {
        begin();
        Subtree root = planner.plan(rootItems(), region(), Place.ROOT);
        return end(write(root, RestLayout.NONE), 0);
    }

    /** Builds the same forest on so many threads, this one waiting for them. */
    Forest build(int threads) {
        if (threads == 1 || rules.size() < Planner.RUNS_FROM) {
            return build();
        }
        ForkJoinPool pool = new ForkJoinPool(threads);
        try {
            return pool.invoke(ForkJoinTask.adapt(() -> build()));
        } finally {
            pool.shutdown();
        }
    }

    /** Writes the rules and the head. */
    void begin() {
        out.set(ForestLayout.TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(ForestLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(ForestLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        out.set(ForestLayout.BOUND_SHIFT_AT, boundShift);
    }

    /** Writes the root and seals the forest. */
    Forest end(long root, long changed) {
        Descriptor.write(out, ForestLayout.ROOT_AT, root);
        Image image = Image.seal(out.toArray(), CODE, rules.layout(), rules.size());
        return new Forest(image, rules, changed);
    }

    /** The items of all rules, at the root. */
    Items rootItems() {
        float[] shares = new float[entries.count()];
        Arrays.fill(shares, Planner.QUOTA);
        return new Items(entries.items(), shares);
    }

    /** The region of all headers. */
    Region region() {
        return Region.all(rules.layout().size());
    }

    ForestEntries entries() {
        return entries;
    }

    WordWriter out() {
        return out;
    }

    Planner planner() {
        return planner;
    }

    /**
     * Writes a subtree and returns its descriptor.
     *
     * @param next the table whose rest a search takes behind it, {@link RestLayout#NONE}: it is at
     *     its end
     */
    long write(Subtree subtree, int next) {
        if (subtree instanceof Subtree.Leaf leaf) {
            return leaf(leaf.positions());
        }
        Subtree.Node node = (Subtree.Node) subtree;
        Subtree rest = node.rest();
        Parts parts =
                new Parts() {
                    @Override
                    public long child(int c, int nextRest) {
                        return write(node.children()[c], nextRest);
                    }

                    @Override
                    public long rest() {
                        return rest == null ? Descriptor.EMPTY : write(rest, next);
                    }
                };
        return table(node.window(), node.children(), rest != null, next, parts);
    }

    /** Writes the parts of a node. */
    interface Parts {
        /**
         * Writes a child and returns its descriptor.
         *
         * @param nextRest as {@link #write}'s
         */
        long child(int c, int nextRest);

        /** Writes the rest of a node that has one. */
        long rest();
    }

    /**
     * Writes the table of a node and what it leads to.
     *
     * @param children children that are the same object are written once; null: each is written
     * @param next as {@link #write}'s
     */
    long table(
            Window window, Object @Nullable [] children, boolean hasRest, int next, Parts parts) {
        int restWords = hasRest ? RestLayout.WORDS : 0;
        long words = restWords + (long) DescriptorLayout.WORDS * window.children();
        int table = restWords + out.reserve(words);
        int nextRest = hasRest ? table : next;
        IdentityHashMap<Object, Long> written = new IdentityHashMap<>();
        int best = DescriptorLayout.NO_RULE;
        for (int c = 0; c < window.children(); c++) {
            Long known = children == null ? null : written.get(children[c]);
            long descriptor = known == null ? parts.child(c, nextRest) : known;
            if (children != null && known == null) {
                written.put(children[c], descriptor);
            }
            Descriptor.write(out, table + DescriptorLayout.WORDS * c, descriptor);
            best = Math.min(best, Descriptor.bound(descriptor));
        }
        if (hasRest) {
            long root = parts.rest();
            Descriptor.write(out, table - RestLayout.ROOT_BEFORE, root);
            out.set(table - RestLayout.NEXT_BEFORE, next);
            best = Math.min(best, Descriptor.bound(root));
        }
        return Descriptor.node(table, hasRest, best, window);
    }

    /** A leaf: the positions of its rules, best first; the last has its sign bit set. */
    private long leaf(int[] positions) {
        int n = positions.length;
        if (n == 0) {
            return Descriptor.EMPTY;
        }
        int at = out.reserve(n);
        for (int i = 0; i < n; i++) {
            out.set(at + i, i == n - 1 ? positions[i] | ForestLayout.LEAF_LAST : positions[i]);
        }
        return Descriptor.leaf(at, positions[0] >>> boundShift);
    }
}
