package dev.sluice.engine.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Drops ever smaller parts of a list while what is left still fails: halves first, single things
 * last (delta debugging: Zeller and Hildebrandt, TSE 2002).
 */
public final class FewerThings {
    private FewerThings() {}

    /**
     * The shortest list found.
     *
     * @param all fails
     * @param fails whether a shorter list still fails
     * @param timeIsLeft asked between attempts
     */
    public static <T> List<T> of(
            List<T> all, Predicate<List<T>> fails, BooleanSupplier timeIsLeft) {
        List<T> best = all;
        int part = Math.max(1, all.size());
        while (part > 0 && timeIsLeft.getAsBoolean()) {
            boolean dropped = false;
            for (int from = 0; from < best.size() && timeIsLeft.getAsBoolean(); ) {
                List<T> rest = new ArrayList<>(best.subList(0, from));
                rest.addAll(best.subList(Math.min(best.size(), from + part), best.size()));
                if (fails.test(rest)) {
                    best = rest;
                    dropped = true;
                } else {
                    from += part;
                }
            }
            part = dropped && part == 1 ? 1 : part / 2;
        }
        return best;
    }
}
