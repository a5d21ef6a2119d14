package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In which order parts are joined so that all tables together are small and soon made: the first
 * two, then one after the other. How many classes some parts have together is estimated from some
 * rows of their product, by each part that may come last; the least of these estimates counts. Sets
 * of parts are numbers with a bit for each part. Not thread-safe.
 */
final class JoinOrder {
    /** Work that counts as much as a byte of the tables, in words. */
    private static final double WORDS_A_BYTE = 16;

    private final List<RuleColumns> parts;
    private final CoveredProduct products;
    private final BuildMeter meter;

    /** Classes of each set of parts, by estimate. */
    private final double[] classes;

    /** Work to make them in words, by the part that comes last. */
    private final double[][] work;

    /** Bytes of the tables that join each set of parts, and their work, the least that there is. */
    private final double[] cost;

    /** The work alone. */
    private final double[] words;

    /** The part that these join last. */
    private final int[] last;

    private JoinOrder(List<RuleColumns> parts, CoveredProduct products, BuildMeter meter) {
        this.parts = parts;
        this.products = products;
        this.meter = meter;
        int sets = 1 << parts.size();
        this.classes = new double[sets];
        this.work = new double[sets][parts.size()];
        this.cost = new double[sets];
        this.words = new double[sets];
        this.last = new int[sets];
    }

    /**
     * The parts in the order in which they are joined; the first is the smaller of two.
     *
     * @return null if lists of rules are the wrong way to join these parts: they would be so long
     *     that the work passes what a build may do, or what ANDing classes takes
     * @throws MemoryBudgetException if the tables would pass the budget by far
     */
    static @Nullable List<RuleColumns> of(
            List<RuleColumns> parts, CoveredProduct products, BuildMeter meter) {
        return new JoinOrder(parts, products, meter).order();
    }

    private @Nullable List<RuleColumns> order() {
        List<RuleLists> samples = new ArrayList<>();
        boolean suits = estimateAll(samples);
        samples.forEach(RuleLists::forget);
        int all = cost.length - 1;
        if (!suits || words[all] > meter.workLeft()) {
            return null;
        }
        refuseEarly(cost[all]);
        List<RuleColumns> order = new ArrayList<>();
        int left = all;
        while (Integer.bitCount(left) > 1) {
            order.add(0, parts.get(last[left]));
            left &= ~(1 << last[left]);
        }
        order.add(0, parts.get(Integer.numberOfTrailingZeros(left)));
        return order;
    }

    /** Estimates all sets of parts, from the smallest; false: lists are the wrong way. */
    private boolean estimateAll(List<RuleLists> samples) {
        int all = cost.length - 1;
        for (int joined = 0; joined <= all; joined++) {
            RuleLists sample = new RuleLists(meter);
            samples.add(sample);
            int size = Integer.bitCount(joined);
            if (size == 1) {
                classes[joined] = parts.get(Integer.numberOfTrailingZeros(joined)).count();
            } else if (size == 2 && joined < all) {
                if (!estimatePair(joined, sample)) {
                    return false;
                }
            } else if (size > 2 && joined < all) {
                if (!estimate(joined, samples)) {
                    return false;
                }
            }
            if (size > 1) {
                chain(joined);
            }
        }
        return true;
    }

    /** Refuses where even half of the smallest tables, by estimate, would pass the budget. */
    private void refuseEarly(double bytes) {
        if (bytes / 2 > meter.room()) {
            throw MemoryBudgetException.whileBuilding(
                    meter.algorithm(),
                    meter.budgetBytes() - meter.room() + (long) (bytes / 2),
                    meter.budgetBytes());
        }
    }

    private List<RuleColumns> without(int joined) {
        List<RuleColumns> remaining = new ArrayList<>();
        for (int p = 0; p < parts.size(); p++) {
            if ((joined >> p & 1) == 0) {
                remaining.add(parts.get(p));
            }
        }
        return remaining;
    }

    private boolean estimatePair(int joined, RuleLists sample) {
        int a = Integer.numberOfTrailingZeros(joined);
        int b = 31 - Integer.numberOfLeadingZeros(joined);
        RuleColumns rows = parts.get(parts.get(a).count() < parts.get(b).count() ? a : b);
        RuleColumns columns = parts.get(parts.get(a).count() < parts.get(b).count() ? b : a);
        CoveredProduct.@Nullable Estimate estimate =
                products.estimate(rows, rows.count(), columns, without(joined), sample);
        if (estimate == null) {
            return false;
        }
        classes[joined] = estimate.classes();
        work[joined][a] = estimate.words();
        work[joined][b] = estimate.words();
        return true;
    }

    private boolean estimate(int joined, List<RuleLists> samples) {
        classes[joined] = Double.MAX_VALUE;
        for (int p = 0; p < parts.size(); p++) {
            int before = joined & ~(1 << p);
            if (before != joined) {
                RuleLists found = new RuleLists(meter);
                CoveredProduct.@Nullable Estimate estimate =
                        products.estimate(
                                samples.get(before),
                                classes[before],
                                parts.get(p),
                                without(joined),
                                found);
                found.forget();
                if (estimate == null) {
                    return false;
                }
                classes[joined] = Math.min(classes[joined], estimate.classes());
                work[joined][p] = estimate.words();
            }
        }
        return true;
    }

    /** Finds what comes last where some parts are joined; of two parts the larger. */
    private void chain(int joined) {
        cost[joined] = Double.MAX_VALUE;
        for (int p = 0; p < parts.size(); p++) {
            int before = joined & ~(1 << p);
            if (before != joined) {
                int count = parts.get(p).count();
                double table = classes[before] * count * (classes[joined] > 1 << 16 ? 4 : 2);
                double sum = cost[before] + table + work[joined][p] / WORDS_A_BYTE;
                boolean larger = sum == cost[joined] && count > parts.get(last[joined]).count();
                if (sum < cost[joined] || larger) {
                    cost[joined] = sum;
                    words[joined] = words[before] + work[joined][p];
                    last[joined] = p;
                }
            }
        }
    }
}
