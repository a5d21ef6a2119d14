package dev.sluice.engine;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The algorithms, by the names that {@code --algorithm} takes. */
public enum Algorithm {
    /** Chosen by the rule set's shape. */
    AUTO(0),
    LINEAR(1),
    TUPLE(2),
    FOREST(3);

    private final int code;

    Algorithm(int code) {
        this.code = code;
    }

    /** Number in an image's header. */
    public int code() {
        return code;
    }

    /** The name that options take. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The algorithm of a name.
     *
     * @throws IllegalArgumentException naming those that there are
     */
    public static Algorithm of(String label) {
        for (Algorithm algorithm : values()) {
            if (algorithm.label().equals(label)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException(
                "no algorithm '%s'; there are %s"
                        .formatted(
                                label,
                                Arrays.stream(values())
                                        .map(Algorithm::label)
                                        .collect(Collectors.joining(", "))));
    }
}
