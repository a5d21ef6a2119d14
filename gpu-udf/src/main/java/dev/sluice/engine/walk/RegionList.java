package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * First-match list of regions of packets, each with a value. Not thread-safe.
 *
 * @param <V> values, which equal one another where nobody can tell them apart
 */
final class RegionList<V> {
    /** Most regions. */
    static final int MOST = 8_192;

    private final List<Match> regions = new ArrayList<>();
    private final List<V> values = new ArrayList<>();
    private final Steps steps;

    // Regions that were last reduced; they stay.
    private int reducedFrom;
    private int reducedTo;

    /** More steps than a list is worth. */
    static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLargeException() {
            super("the list of a policy is too large", null, false, false);
        }
    }

    /** Pairs of regions that are held against one another, for all lists of a policy. */
    static final class Steps {
        private final int most;
        private int count;

        Steps(int most) {
            this.most = most;
        }

        void add(int more) {
            count += more;
            if (count > most) {
                throw new TooLargeException();
            }
        }
    }

    RegionList(Steps steps) {
        this.steps = steps;
    }

    /** A list of one region, of all packets. */
    static <V> RegionList<V> of(V value, Steps steps) {
        RegionList<V> list = new RegionList<>(steps);
        list.add(new Match.Builder().build(), value);
        return list;
    }

    int size() {
        return regions.size();
    }

    Match region(int number) {
        return regions.get(number);
    }

    V value(int number) {
        return values.get(number);
    }

    boolean hasAny(Predicate<V> some) {
        return values.stream().anyMatch(some);
    }

    /** Adds a region behind all others. */
    void add(Match region, V value) {
        regions.add(region);
        values.add(value);
    }

    /**
     * Removes regions from a place on, whose packets have the same value without them.
     *
     * @throws TooLargeException if too many are left
     */
    void reduce(int from) {
        if (size() - from < 2 || reducedFrom == from && reducedTo == size()) {
            return;
        }
        RegionList<V> kept = new RegionList<>(steps);
        for (int i = size() - 1; i >= from; i--) {
            if (kept.needs(regions.get(i), values.get(i))) {
                kept.add(regions.get(i), values.get(i));
            }
        }
        Collections.reverse(kept.regions);
        Collections.reverse(kept.values);
        regions.subList(from, size()).clear();
        values.subList(from, values.size()).clear();
        regions.addAll(kept.regions);
        values.addAll(kept.values);
        reducedFrom = from;
        reducedTo = size();
        if (size() > MOST) {
            throw new TooLargeException();
        }
    }

    /** Returns whether a region stands before all others, which are the other way round. */
    private boolean needs(Match region, V value) {
        for (int i = size() - 1; i >= 0; i--) {
            steps.add(1);
            Match other = regions.get(i);
            if (other.meets(region)) {
                boolean differs = !values.get(i).equals(value);
                if (differs || other.holds(region)) {
                    return differs;
                }
            }
        }
        return true;
    }

    /** The list without regions whose packets are in regions before. */
    RegionList<V> withoutCovered() {
        RegionList<V> list = new RegionList<>(steps);
        for (int i = 0; i < size(); i++) {
            if (!list.holds(regions.get(i))) {
                list.add(regions.get(i), values.get(i));
            }
        }
        return list;
    }

    private boolean holds(Match region) {
        for (Match other : regions) {
            steps.add(1);
            if (other.holds(region)) {
                return true;
            }
        }
        return false;
    }

    /** The list of other values. */
    <W> RegionList<W> with(Function<V, W> value) {
        RegionList<W> list = new RegionList<>(steps);
        for (int i = 0; i < size(); i++) {
            list.add(regions.get(i), value.apply(values.get(i)));
        }
        list.reduce(0);
        return list;
    }

    /** The list of the values that packets of open regions have in this and in another one. */
    <U> RegionList<V> settled(RegionList<U> other, Predicate<V> open, BiFunction<V, U, V> value) {
        RegionList<V> list = new RegionList<>(steps);
        for (int i = 0; i < size(); i++) {
            V own = values.get(i);
            if (open.test(own)) {
                list.addAll(regions.get(i), other, so -> value.apply(own, so));
            } else {
                list.add(regions.get(i), own);
            }
        }
        list.reduce(0);
        return list;
    }

    /** Adds a region, split by the regions of a list of all packets. */
    private <U> void addAll(Match region, RegionList<U> by, Function<U, V> value) {
        int from = size();
        for (int j = 0; j < by.size(); j++) {
            steps.add(1);
            Match both = region.and(by.regions.get(j));
            if (both != null) {
                add(both, value.apply(by.values.get(j)));
                if (by.regions.get(j).holds(region)) {
                    break;
                }
            }
        }
        reduce(from);
    }

    /** The list of the values that packets have in this and in another one. */
    <U, W> RegionList<W> with(RegionList<U> other, BiFunction<V, U, W> value) {
        RegionList<W> list = new RegionList<>(steps);
        for (int i = 0; i < size(); i++) {
            V own = values.get(i);
            list.addAll(regions.get(i), other, so -> value.apply(own, so));
        }
        list.reduce(0);
        return list;
    }
}
