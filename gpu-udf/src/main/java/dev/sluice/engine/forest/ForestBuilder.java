package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Cut;
import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** Builds one forest. Not thread-safe. */
final class ForestBuilder {
    /** Copies that an item may become on its way from the root. */
    static final float QUOTA = 16;

    private static final int MAX_DEPTH = 64;

    /** Copies that one cut may make besides its items' quotas: limits the memory of a build. */
    private static final int MOST_COPIES_A_CUT = 1_000_000;

    /** Rests in rests; where there are so many, a node has none. */
    private static final int MAX_RESTS = 24;

    private final RuleSet rules;
    private final ForestEntries entries;
    private final WordWriter out;
    private final WindowChoice choice;
    private final Cutting cutting;
    private final int boundShift;
    private long copiesLeft;
    private long tableWordsLeft;

    ForestBuilder(RuleSet rules, ForestEntries entries, long budgetBytes) {
        this.rules = rules;
        this.entries = entries;
        this.out = new WordWriter(ForestAlgorithm.LABEL, budgetBytes);
        this.choice = new WindowChoice(entries);
        this.boundShift = Descriptor.boundShift(rules.size());
        this.cutting = new Cutting(entries);
        // What no cut divides any more needs a word an item.
        long room = budgetBytes / 4 - (RuleTable.stride(rules, 0) + 1L) * rules.size();
        this.copiesLeft = Math.max(0, room / 4);
        this.tableWordsLeft = Math.max(0, room / 2);
    }

    /** Builds a forest. */
    Forest build() {
        begin();
        return end(node(rootItems(), region(), Place.ROOT), 0);
    }

    /**
     * Builds the forest of a changed rule set from the one before: subtrees without a changed rule
     * are copied, nodes above the others keep their windows, and where much has changed subtrees
     * are built anew.
     */
    Forest rebuild(Changes changes) {
        begin();
        long root =
                new Regrowth(this, changes)
                        .node(
                                changes.root(),
                                changes.reached(QUOTA),
                                rootItems(),
                                region(),
                                Place.ROOT);
        return end(root, changes.sinceWhole());
    }

    private void begin() {
        out.set(ForestLayout.TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(ForestLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(ForestLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        out.set(ForestLayout.BOUND_SHIFT_AT, boundShift);
    }

    private Forest end(long root, long changed) {
        Descriptor.write(out, ForestLayout.ROOT_AT, root);
        Image image = Image.seal(out.toArray(), ForestAlgorithm.CODE, rules.layout(), rules.size());
        return new Forest(image, rules, changed);
    }

    private Items rootItems() {
        float[] shares = new float[entries.count()];
        Arrays.fill(shares, QUOTA);
        return new Items(entries.items(), shares);
    }

    private Region region() {
        return Region.all(rules.layout().size());
    }

    ForestEntries entries() {
        return entries;
    }

    WordWriter out() {
        return out;
    }

    /**
     * Where a node stands.
     *
     * @param depth nodes above it
     * @param rests how many of them it is in the rest of
     * @param next the table whose rest a search takes when it is done with this node, {@link
     *     RestLayout#NONE}: it is at its end
     */
    record Place(int depth, int rests, int next) {
        static final Place ROOT = new Place(0, 0, RestLayout.NONE);

        boolean mayHaveRest() {
            return rests < MAX_RESTS;
        }

        Place child(int nextRest) {
            return new Place(depth + 1, rests, nextRest);
        }

        Place rest() {
            return new Place(depth + 1, rests + 1, next);
        }
    }

    /** Builds the subtree of a list and returns its descriptor. */
    long node(Items list, Region region, Place place) {
        int n = upToCover(list, region);
        if (n <= 1 || place.depth() == MAX_DEPTH) {
            return leaf(list.items(), n);
        }
        choice.choose(list, n, region, place.mayHaveRest());
        Items counting = list.upTo(n);
        boolean rest = choice.rest;
        for (Window window = choice.window; window.width() > 0; window = window.narrower()) {
            Cut cut = cut(counting, window, region, rest, place);
            if (cut == null && !rest && place.mayHaveRest()) {
                cut = cut(counting, window, region, true, place);
            }
            if (cut != null) {
                return children(cut, region, place, new Anew(cut));
            }
        }
        return leaf(list.items(), n);
    }

    /**
     * Divides a list as far as there is room for it; null: there is none, or nothing is divided.
     *
     * @param rest whether the node may have a rest here
     */
    @Nullable Cut cut(Items list, Window window, Region region, boolean rest, Place place) {
        if (tableWords(window) > tableWordsLeft) {
            return null;
        }
        boolean copiesBounded = rest || place.mayHaveRest();
        long mostCopies = Math.min(copiesLeft, MOST_COPIES_A_CUT + (long) (QUOTA * list.size()));
        Cut cut = cutting.cut(list, window, region, rest, copiesBounded, mostCopies);
        boolean whole = cut == null || cut.rest() != null && cut.rest().size() == list.size();
        return whole ? null : cut;
    }

    private static long tableWords(Window window) {
        return RestLayout.WORDS + (long) DescriptorLayout.WORDS * window.children();
    }

    /** Builds the parts of a cut. */
    interface Parts {
        long child(int c, Region region, Place place);

        long rest(Items list, Region region, Place place);
    }

    /** Parts without a predecessor. */
    private final class Anew implements Parts {
        private final Cut cut;

        Anew(Cut cut) {
            this.cut = cut;
        }

        @Override
        public long child(int c, Region region, Place place) {
            return node(cut.children()[c], region, place);
        }

        @Override
        public long rest(Items list, Region region, Place place) {
            return node(list, region, place);
        }
    }

    /** Writes the table of a cut and builds what it leads to. */
    long children(Cut cut, Region region, Place place, Parts parts) {
        Window window = cut.window();
        Items rest = cut.rest();
        copiesLeft -= cut.copies();
        tableWordsLeft -= tableWords(window);
        int restWords = rest == null ? 0 : RestLayout.WORDS;
        int table =
                restWords
                        + out.reserve(
                                restWords + (long) DescriptorLayout.WORDS * window.children());
        Place below = place.child(rest == null ? place.next() : table);
        IdentityHashMap<Items, Long> built = new IdentityHashMap<>();
        int best = DescriptorLayout.NO_RULE;
        for (int c = 0; c < window.children(); c++) {
            Items list = cut.children()[c];
            Long descriptor = built.get(list);
            if (descriptor == null) {
                Region within = region.child(window, c, entries.ports);
                descriptor = parts.child(c, within, below);
                built.put(list, descriptor);
            }
            Descriptor.write(out, table + DescriptorLayout.WORDS * c, descriptor);
            best = Math.min(best, Descriptor.bound(descriptor));
        }
        if (rest != null) {
            long root = parts.rest(rest, region, place.rest());
            Descriptor.write(out, table - RestLayout.ROOT_BEFORE, root);
            out.set(table - RestLayout.NEXT_BEFORE, place.next());
            best = Math.min(best, Descriptor.bound(root));
        }
        return Descriptor.node(table, rest != null, best, window);
    }

    /** Length of the list up to the first item that matches every header of the node, with it. */
    int upToCover(Items list, Region region) {
        int[] items = list.items();
        for (int i = 0; i < items.length; i++) {
            if (entries.covers(items[i], region.masks())) {
                return i + 1;
            }
        }
        return items.length;
    }

    /** A leaf: the positions of its rules, best first; the last has its sign bit set. */
    private long leaf(int[] items, int n) {
        if (n == 0) {
            return Descriptor.EMPTY;
        }
        int at = out.reserve(n);
        for (int i = 0; i < n; i++) {
            int position = items[i] >>> ForestEntries.ITEM_BITS;
            out.set(at + i, i == n - 1 ? position | ForestLayout.LEAF_LAST : position);
        }
        return Descriptor.leaf(at, items[0] >>> ForestEntries.ITEM_BITS >>> boundShift);
    }
}
