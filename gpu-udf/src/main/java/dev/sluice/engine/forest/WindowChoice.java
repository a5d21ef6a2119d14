package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Items;
import java.util.Arrays;

/**
 * Chooses the window by which a node is cut, and whether the node has a rest: what makes the
 * cheapest search for the copies that it costs, by an estimate from the lengths of the lists. Of
 * long lists an even sample is looked at. Not thread-safe.
 */
final class WindowChoice {
    static final int MAX_WIDTH = 10;

    private static final int HALF = 16;
    private static final int SAMPLE = 160;
    private static final int QUICK_SAMPLE = 40;
    private static final int SHORTLIST = 8;

    /** Items of more children than that are not copied to all of them instead of a rest. */
    private static final int MOST_INSTEAD_OF_REST = 64;

    /** Share of headers that are like the rules; the others go to all children alike. */
    private static final double LIKE_RULES = 0.8;

    /** What a search of a list costs, in reads of a node. */
    private static final double LEAF_COST = 3;

    private static final double RULE_COST = 1.5;
    private static final double HALVING_COST = 3.5;
    private static final int LEAF = 4;

    /** What a copy, and half of what a child's place in a table costs. */
    private static final double COPY_COST = 0.15;

    private final ForestEntries entries;
    private final Spread spread;
    private final int[] sample = new int[SAMPLE];
    private final float[] shares = new float[SAMPLE];
    private final double[] costOf = new double[SAMPLE + 1];
    private final int[] counts = new int[1 << MAX_WIDTH];
    private final int[] touched = new int[1 << MAX_WIDTH];
    private final double[] quick = new double[SHORTLIST];
    private final Window[] windows = new Window[SHORTLIST];
    private int sampled;
    private double scale;

    /** The choice: no window pays if its width is 0. */
    Window window = new Window(0, 0, 0);

    /** Whether the chosen node has a rest. */
    boolean rest;

    private boolean scoredRest;

    WindowChoice(ForestEntries entries) {
        this.entries = entries;
        this.spread = new Spread(entries);
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
     * Sets the choice.
     *
     * @param n items of the list that count
     * @param rests whether the node may have a rest
     */
    void choose(Items list, int n, Region region, boolean rests) {
        Arrays.fill(quick, Double.MAX_VALUE);
        draw(list, n, QUICK_SAMPLE);
        int wide = Math.max(1, Math.min(MAX_WIDTH, 34 - Integer.numberOfLeadingZeros(n / LEAF)));
        for (int p = 0; p < region.masks().length; p++) {
            if (p == entries.ports) {
                offerAll(p, 0, HALF, wide, n, region, rests);
                offerAll(p, HALF, 2 * HALF, wide, n, region, rests);
            } else {
                offerAll(p, 0, 2 * HALF, wide, n, region, rests);
            }
        }
        draw(list, n, SAMPLE);
        // A list that is not cut is compared as a whole, or to its first match.
        double best = LEAF_COST + RULE_COST * (n <= LEAF ? n : LEAF + 0.7 * (n - LEAF));
        window = new Window(0, 0, 0);
        for (int c = 0; c < SHORTLIST && quick[c] < Double.MAX_VALUE; c++) {
            double score = score(windows[c], n, region, rests);
            if (score < best) {
                best = score;
                window = windows[c];
                rest = scoredRest;
            }
        }
    }

    private void draw(Items list, int n, int most) {
        sampled = Math.min(n, most);
        scale = (double) n / sampled;
        for (int i = 0; i < sampled; i++) {
            int at = (int) ((long) i * n / sampled);
            sample[i] = list.items()[at];
            shares[i] = list.shares()[at];
        }
        for (int i = 0; i <= sampled; i++) {
            costOf[i] = cost(i * scale);
        }
    }

    /** Tries the windows within bits {@code from} to {@code to} of a word. */
    private void offerAll(int p, int from, int to, int wide, int n, Region region, boolean rests) {
        int known = region.masks()[p];
        int named = 0;
        int allNamed = -1;
        int ones = 0;
        int zeros = 0;
        boolean ranged = false;
        boolean source = from >= HALF;
        for (int i = 0; i < sampled; i++) {
            int e = sample[i] >>> ForestEntries.ITEM_BITS;
            int mask = entries.masks[p][e];
            named |= mask;
            allNamed &= mask;
            ones |= entries.values[p][e];
            zeros |= ~entries.values[p][e] & mask;
            ranged |= p == entries.ports && ForestEntries.ranged(sample[i], source);
        }
        // Bits that all items name with one value divide nothing.
        int dividing = named & ~known & ~(allNamed & ~(ones & zeros));
        int top = ranged ? to - Region.knownBits(known, source) : -1;
        if (dividing == 0 && !ranged) {
            return;
        }
        for (int w = wide; w >= 1; w -= Math.max(1, w / 4)) {
            int mask = (1 << w) - 1;
            for (int sh = from; sh + w <= to; sh++) {
                boolean ends = (dividing >>> sh & 1) != 0 && (dividing >>> sh + w - 1 & 1) != 0;
                if ((ends || sh + w == top) && (known >>> sh & mask) == 0) {
                    Window candidate = new Window(p, sh, w);
                    offer(score(candidate, n, region, rests), candidate);
                }
            }
        }
    }

    private void offer(double value, Window candidate) {
        int at = SHORTLIST - 1;
        if (value >= quick[at]) {
            return;
        }
        while (at > 0 && quick[at - 1] > value) {
            quick[at] = quick[at - 1];
            windows[at] = windows[at - 1];
            at--;
        }
        quick[at] = value;
        windows[at] = candidate;
    }

    /** Estimated cost of a node that is cut by a window; sets whether it had better have a rest. */
    private double score(Window candidate, int n, Region region, boolean rests) {
        spread.over(candidate, region);
        int touchedCount = 0;
        int placed = 0;
        int copies = 0;
        long more = 0;
        boolean tooMany = false;
        for (int i = 0; i < sampled; i++) {
            int count = spread.count(sample[i]);
            if (rests && Cutting.goesToRest(count, shares[i])) {
                more += count;
                tooMany |= Cutting.tooMany(count, shares[i]);
                continue;
            }
            placed++;
            copies += count;
            touchedCount = add(sample[i], touchedCount);
        }
        double score = Double.MAX_VALUE;
        scoredRest = rests;
        if (placed > 0 && (long) copies < (long) placed * candidate.children()) {
            score = costOf(candidate, n, placed, copies, touchedCount);
        }
        if (placed < sampled
                && !tooMany
                && more <= (long) MOST_INSTEAD_OF_REST * (sampled - placed)
                && copies + more < (long) sampled * candidate.children()) {
            for (int i = 0; i < sampled; i++) {
                if (Cutting.goesToRest(spread.count(sample[i]), shares[i])) {
                    copies += spread.count(sample[i]);
                    touchedCount = add(sample[i], touchedCount);
                }
            }
            double without = costOf(candidate, n, sampled, copies, touchedCount);
            if (without < score) {
                score = without;
                scoredRest = false;
            }
        } else if (placed == sampled) {
            scoredRest = rests;
        }
        for (int k = 0; k < touchedCount; k++) {
            counts[touched[k]] = 0;
        }
        return score;
    }

    private int add(int item, int touchedBefore) {
        int touchedCount = touchedBefore;
        int count = spread.list(item);
        for (int k = 0; k < count; k++) {
            int c = spread.children[k];
            if (counts[c]++ == 0) {
                touched[touchedCount++] = c;
            }
        }
        return touchedCount;
    }

    private double costOf(Window candidate, int n, int placed, int copies, int touchedCount) {
        double sum = 0;
        double byRules = 0;
        for (int k = 0; k < touchedCount; k++) {
            int count = counts[touched[k]];
            double cost = costOf[count];
            sum += cost;
            byRules += count * cost;
        }
        double inRest = (double) (sampled - placed) / sampled;
        double likeRules = LIKE_RULES * (1 - inRest);
        double children =
                likeRules * byRules / copies + (1 - likeRules) * sum / candidate.children();
        double rests = costOf[sampled - placed];
        double memory =
                COPY_COST * ((double) (copies - placed) / sampled + 2.0 * candidate.children() / n);
        return 1 + children + rests + memory;
    }
}
