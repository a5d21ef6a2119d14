package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Items;
import java.util.Arrays;

/**
 * Chooses the window by which a node is cut, and whether the node has a rest: what makes the
 * cheapest search for the copies that it costs, by an estimate from the lengths of the lists. Of
 * long lists an even sample is looked at. Not thread-safe.
 */
final class WindowChoice {

    private static final int HALF = 16;
    private static final int QUICK_SAMPLE = 40;
    private static final int SHORTLIST = 8;

    private static final Window NONE = new Window(0, 0, 0);

    /** Items of more children than that are not copied to all of them instead of a rest. */
    private static final int MOST_INSTEAD_OF_REST = 64;

    /** Share of headers that are like the rules; the others go to all children alike. */
    private static final double LIKE_RULES = 0.8;

    /** Cost of a search of a list, in reads of a node. */
    private static final double LEAF_COST = 3;

    private static final double RULE_COST = 1.5;
    private static final double HALVING_COST = 3.5;
    private static final int LEAF = 4;

    /** Cost of a copy, and half of the cost of a child's place in a table. */
    private static final double COPY_COST = 0.15;

    private final ForestEntries entries;
    private final ItemSample sample;
    private final double[] costOf = new double[ItemSample.MOST + 1];

    /** Children of each item of the sample by the window that is looked at. */
    private final int[] childrenOf = new int[ItemSample.MOST];

    private final int[] counts = new int[1 << Window.MAX_WIDTH];
    private final double[] quick = new double[SHORTLIST];
    private final Window[] windows = new Window[SHORTLIST];
    private int sampled;

    /** The choice: no window pays if its width is 0. */
    Window window = NONE;

    /** True if the chosen node has a rest. */
    boolean rest;

    /**
     * Number of items of the sample and children that the choice looked at, each once a window or
     * word.
     */
    long looked;

    private boolean scoredRest;

    WindowChoice(ForestEntries entries) {
        this.entries = entries;
        this.sample = new ItemSample(entries);
    }

    /** Estimated cost of searching a list, in reads of a node. */
    static double cost(double items) {
        if (items <= 0) {
            return 0;
        }
        return items <= LEAF
                ? LEAF_COST + RULE_COST * items
                : LEAF_COST + RULE_COST * LEAF + HALVING_COST * log2(items / LEAF);
    }

    private static double log2(double x) {
        return Math.log(x) * 1.4426950408889634;
    }

    /**
     * Sets the choice. A short list is looked at as a whole; of a long one the windows that are
     * best by a few of its items are compared by more of them.
     *
     * @param n items of the list that count
     * @param rests whether the node may have a rest
     */
    void choose(Items list, int n, Region region, boolean rests) {
        // A list that is not cut is compared as a whole, or to its first match.
        double uncut = LEAF_COST + RULE_COST * (n <= LEAF ? n : LEAF + 0.7 * (n - LEAF));
        window = NONE;
        looked = 0;
        int shortlist = n <= QUICK_SAMPLE ? 1 : SHORTLIST;
        Arrays.fill(quick, 0, shortlist, shortlist == 1 ? uncut : Double.MAX_VALUE);
        Arrays.fill(windows, 0, shortlist, NONE);
        draw(list, n, QUICK_SAMPLE);
        int wide =
                Math.max(
                        1, Math.min(Window.MAX_WIDTH, 34 - Integer.numberOfLeadingZeros(n / LEAF)));
        for (int p = 0; p < region.masks().length; p++) {
            if (p == entries.columns().ports()) {
                offerAll(p, 0, HALF, wide, n, region, rests, shortlist);
                offerAll(p, HALF, 2 * HALF, wide, n, region, rests, shortlist);
            } else {
                offerAll(p, 0, 2 * HALF, wide, n, region, rests, shortlist);
            }
        }
        if (shortlist == 1) {
            window = windows[0];
            return;
        }
        draw(list, n, ItemSample.MOST);
        double best = uncut;
        for (int c = 0; c < shortlist && windows[c].width() > 0; c++) {
            Window candidate = windows[c];
            int from =
                    candidate.position() == entries.columns().ports() && candidate.shift() >= HALF
                            ? HALF
                            : 0;
            int to = candidate.position() == entries.columns().ports() ? from + HALF : 2 * HALF;
            turnTo(candidate.position(), from, to, region);
            double score = score(candidate.shift(), candidate.width(), n, rests, best);
            if (score < best) {
                best = score;
                window = candidate;
                rest = scoredRest;
            }
        }
    }

    private void turnTo(int p, int from, int to, Region region) {
        sample.turnTo(p, from, to, region);
        looked += sampled;
    }

    private void draw(Items list, int n, int most) {
        sample.draw(list, n, most);
        sampled = sample.size();
        double scale = (double) n / sampled;
        for (int i = 0; i <= sampled; i++) {
            costOf[i] = cost(i * scale);
        }
    }

    /** Tries the windows within bits {@code from} to {@code to} of a word. */
    private void offerAll(
            int p, int from, int to, int wide, int n, Region region, boolean rests, int shortlist) {
        turnTo(p, from, to, region);
        if (!sample.divides()) {
            return;
        }
        int known = region.masks()[p];
        for (int w = wide; w >= 1; w -= Math.max(1, w / 4)) {
            int mask = (1 << w) - 1;
            for (int sh = from; sh + w <= to; sh++) {
                if ((known >>> sh & mask) == 0 && sample.mayBeCutBy(sh, w)) {
                    double limit = quick[shortlist - 1];
                    double score = score(sh, w, n, rests, limit);
                    if (score < limit) {
                        offer(score, new Window(p, sh, w), shortlist);
                    }
                }
            }
        }
    }

    private void offer(double value, Window candidate, int shortlist) {
        int at = shortlist - 1;
        while (at > 0 && quick[at - 1] > value) {
            quick[at] = quick[at - 1];
            windows[at] = windows[at - 1];
            at--;
        }
        quick[at] = value;
        windows[at] = candidate;
        if (shortlist == 1) {
            rest = scoredRest;
        }
    }

    /**
     * Estimated cost of a node that is cut by a window of the word that the sample is turned to, or
     * any number from a limit on if it is not below that; sets whether the node had better have a
     * rest.
     */
    private double score(int shift, int width, int n, boolean rests, double limit) {
        int children = 1 << width;
        double tables = 1 + COPY_COST * 2.0 * children / n;
        if (tables >= limit) {
            return limit;
        }
        sample.over(shift, width);
        looked += sampled;
        int placed = 0;
        int copies = 0;
        long more = 0;
        boolean tooMany = false;
        for (int i = 0; i < sampled; i++) {
            int count = sample.count(i);
            if (rests && Cutting.goesToRest(count, sample.shares[i])) {
                childrenOf[i] = -count;
                more += count;
                tooMany |= Cutting.tooMany(count, sample.shares[i]);
            } else {
                childrenOf[i] = count;
                placed++;
                copies += count;
            }
        }
        double score = limit;
        scoredRest = rests;
        if (placed > 0 && (long) copies < (long) placed * children) {
            score = Math.min(score, costOf(children, tables, placed, copies, false, score));
        }
        if (placed < sampled
                && !tooMany
                && more <= (long) MOST_INSTEAD_OF_REST * (sampled - placed)
                && copies + more < (long) sampled * children) {
            int all = copies + (int) more;
            double without = costOf(children, tables, sampled, all, true, score);
            if (without < score) {
                score = without;
                scoredRest = false;
            }
        }
        return score;
    }

    /**
     * Estimated cost of a node of which so many items are placed in the children, as so many
     * copies.
     *
     * @param all whether all items are placed, else those that do not go to the rest
     * @param limit if the cost is not below it, it need not be found out
     */
    private double costOf(
            int children, double tables, int placed, int copies, boolean all, double limit) {
        double likeRules = LIKE_RULES * placed / sampled;
        double besides =
                tables
                        + costOf[sampled - placed]
                        + COPY_COST * ((double) (copies - placed) / sampled);
        // Where the copies are spread evenly, a rule meets the fewest others.
        double evenly =
                likeRules * costOf[Math.max(1, copies / children)]
                        + (1 - likeRules) * copies * costOf[placed] / ((double) placed * children);
        if (besides + evenly >= limit) {
            return limit;
        }
        looked += (long) copies + children;
        for (int i = 0; i < sampled; i++) {
            if (all || childrenOf[i] >= 0) {
                sample.addTo(counts, i);
            }
        }
        double sum = 0;
        double byRules = 0;
        for (int c = 0; c < children; c++) {
            int count = counts[c];
            counts[c] = 0;
            double cost = costOf[count];
            sum += cost;
            byRules += count * cost;
        }
        return besides + likeRules * byRules / copies + (1 - likeRules) * sum / children;
    }
}
