package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of rounds. */
public final class Samples {
    private final double[] sorted;

    private Samples(double[] values) {
        this.sorted = values.clone();
        Arrays.sort(sorted);
    }

    /** One figure of each result. */
    public static <T> Samples of(List<T> results, ToDoubleFunction<? super T> figure) {
        return new Samples(results.stream().mapToDouble(figure).toArray());
    }

    /** The middle figure; of an even number the mean of the two in the middle; NaN of none. */
    public double median() {
        int count = sorted.length;
        return count == 0 ? Double.NaN : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }

    /** The smallest figure; NaN of none. */
    public double min() {
        return sorted.length == 0 ? Double.NaN : sorted[0];
    }

    /** The largest figure; NaN of none. */
    public double max() {
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }

    /** Adds median, smallest and largest figure to a record. */
    public void describe(ObjectNode record, String name) {
        record.put(name, median()).put(name + "Min", min()).put(name + "Max", max());
    }
}
