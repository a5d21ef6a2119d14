package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;

/** Values, each drawn as often as its weight says. Not thread-safe while values are added. */
final class WeightedChoice<T> {
    private final List<T> values = new ArrayList<>();
    private final List<Double> sums = new ArrayList<>();
    private double total;

    /** Values whose weight falls with their place to a power. */
    static <T> WeightedChoice<T> skewed(List<T> values, double power) {
        WeightedChoice<T> choice = new WeightedChoice<>();
        for (int i = 0; i < values.size(); i++) {
            choice.add(values.get(i), Math.pow(i + 1, -power));
        }
        return choice;
    }

    void add(T value, double weight) {
        if (weight > 0) {
            total += weight;
            values.add(value);
            sums.add(total);
        }
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * The value at a place on the line of all weights.
     *
     * @param at 0 to 1, evenly distributed for a weighted draw
     */
    T at(double at) {
        int low = 0;
        int high = values.size() - 1;
        while (low < high) {
            int middle = low + high >>> 1;
            if (sums.get(middle) <= at * total) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return values.get(low);
    }
}
