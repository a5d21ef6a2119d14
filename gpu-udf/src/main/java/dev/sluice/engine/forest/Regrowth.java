package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Cut;
import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.forest.ForestBuilder.Parts;
import dev.sluice.engine.forest.Planner.Place;
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
    private final ForestChanges changes;
    private final Spread came;
    private final Spread gone;

    /**
     * Builds the forest of a changed rule set from the one before: subtrees without a changed rule
     * are copied, nodes above the others keep their windows, and where much has changed subtrees
     * are built anew.
     */
    static Forest rebuild(ForestBuilder builder, ForestChanges changes) {
        builder.begin();
        long root =
                new Regrowth(builder, changes)
                        .node(
                                changes.root(),
                                changes.reached(Planner.QUOTA),
                                builder.rootItems(),
                                builder.region(),
                                Place.ROOT,
                                RestLayout.NONE);
        return builder.end(root, changes.sinceWhole());
    }

    private Regrowth(ForestBuilder builder, ForestChanges changes) {
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
     * @param next the table whose rest a search takes behind it, as {@link RestLayout#NONE} says
     */
    private long node(long was, Items reached, Items list, Region region, Place place, int next) {
        if (reached.size() == 0) {
            return changes.copy(was, next, builder);
        }
        Planner planner = builder.planner();
        int n = planner.upToCover(list, region);
        boolean anew = Descriptor.isLeaf(was) || (long) reached.size() * MUCH > n;
        boolean rests = Descriptor.hasRest(was);
        Window window = Descriptor.window(was);
        Cut cut = anew ? null : planner.cut(list.upTo(n), window, region, rests, place);
        if (cut == null) {
            return builder.write(planner.plan(list, region, place), next);
        }
        boolean hasRest = cut.rest() != null;
        Items[] divided = divide(reached, cut, region, rests);
        Parts parts =
                new Parts() {
                    @Override
                    public long child(int c, int nextRest) {
                        Region within =
                                region.child(cut.window(), c, builder.entries().columns().ports());
                        long before = changes.child(was, c);
                        return node(
                                before,
                                divided[c],
                                cut.children()[c],
                                within,
                                place.child(),
                                nextRest);
                    }

                    @Override
                    public long rest() {
                        Items list = cut.rest();
                        Items changed = divided[divided.length - 1];
                        return node(
                                changes.rest(was),
                                changed,
                                list == null ? NONE : list,
                                region,
                                place.rest(),
                                next);
                    }
                };
        return builder.table(window, cut.children(), hasRest, next, parts);
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
