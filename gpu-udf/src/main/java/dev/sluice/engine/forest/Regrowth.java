package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Cut;
import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.forest.ForestBuilder.Parts;
import dev.sluice.engine.forest.ForestBuilder.Place;
import java.util.Arrays;

/**
 * Builds a forest from the one before: what no change reaches is copied. Where an item goes in a
 * cut depends on the item, the window and the cuts above alone, so that items that stayed go where
 * they went before. Not thread-safe.
 */
final class Regrowth {
    /** A subtree is built anew if more than one in so many of its items changed. */
    private static final int MUCH = 8;

    private static final Items NONE = new Items(new int[0], new float[0]);

    private final ForestBuilder builder;
    private final Changes changes;
    private final Spread came;
    private final Spread gone;

    Regrowth(ForestBuilder builder, Changes changes) {
        this.builder = builder;
        this.changes = changes;
        this.came = new Spread(builder.entries());
        this.gone = new Spread(changes.gone);
    }

    /**
     * Builds the subtree of a list again.
     *
     * @param was the subtree before
     * @param reached changed items that belong to the subtree: new ones, and ~item of those that
     *     went
     */
    long node(long was, Items reached, Items list, Region region, Place place) {
        if (reached.size() == 0) {
            return changes.copy(was, place.next(), builder.out());
        }
        int n = builder.upToCover(list, region);
        if (Descriptor.isLeaf(was) || (long) reached.size() * MUCH > n) {
            return builder.node(list, region, place);
        }
        boolean rests = Descriptor.hasRest(was);
        Cut cut = builder.cut(list.upTo(n), Descriptor.window(was), region, rests, place);
        if (cut == null) {
            return builder.node(list, region, place);
        }
        return builder.children(
                cut, region, place, new Again(was, divide(reached, cut, region, rests), cut));
    }

    /** Parts that grow from those before. */
    private final class Again implements Parts {
        private final long was;
        private final Items[] reached;
        private final Cut cut;

        Again(long was, Items[] reached, Cut cut) {
            this.was = was;
            this.reached = reached;
            this.cut = cut;
        }

        @Override
        public long child(int c, Region region, Place place) {
            return node(changes.child(was, c), reached[c], cut.children()[c], region, place);
        }

        @Override
        public long rest(Items list, Region region, Place place) {
            return node(changes.rest(was), reached[reached.length - 1], list, region, place);
        }
    }

    /** The changed items that each child gets, and behind them those of the rest. */
    private Items[] divide(Items reached, Cut cut, Region region, boolean rests) {
        Window window = cut.window();
        came.over(window, region);
        gone.over(window, region);
        int restAt = window.children();
        int[] counts = new int[restAt + 1];
        Items[] divided = new Items[restAt + 1];
        Arrays.fill(divided, NONE);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < reached.size(); i++) {
                int it = reached.items()[i];
                Spread spread = it < 0 ? gone : came;
                int item = it ^ it >> 31;
                float share = reached.shares()[i];
                int count = spread.list(item);
                boolean toRest = rests && Cutting.goesToRest(count, share);
                // What one hid that went is seen again in all parts of the node.
                boolean hid = it < 0 && changes.gone.covers(item, region.masks());
                if (toRest || hid && rests) {
                    add(divided, counts, restAt, it, share, pass);
                }
                for (int k = 0; k < count && (hid || !toRest); k++) {
                    int c = spread.children[k];
                    int within = spread.within(item, c);
                    float below = Cutting.below(share, count);
                    add(divided, counts, c, it < 0 ? ~within : within, below, pass);
                }
            }
            for (int c = 0; pass == 0 && c <= restAt; c++) {
                divided[c] =
                        counts[c] == 0 ? NONE : new Items(new int[counts[c]], new float[counts[c]]);
            }
            Arrays.fill(counts, 0);
        }
        return divided;
    }

    private static void add(
            Items[] divided, int[] counts, int part, int item, float share, int pass) {
        int at = counts[part]++;
        if (pass == 1) {
            divided[part].items()[at] = item;
            divided[part].shares()[at] = share;
        }
    }
}
