package dev.sluice.engine.lookup;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm, or that the engine chooses one by the rules, the budget and a short calibration.
 * Immutable, thread-safe.
 */
public final class AlgorithmChoice implements Serializable {
    static final String AUTO_LABEL = "auto";

    /** The engine chooses. */
    public static final AlgorithmChoice AUTO = new AlgorithmChoice(null);

    private static final long serialVersionUID = 1L;

    private final @Nullable Algorithm algorithm;

    private AlgorithmChoice(@Nullable Algorithm algorithm) {
        this.algorithm = algorithm;
    }

    /** An algorithm. */
    public static AlgorithmChoice of(Algorithm algorithm) {
        return new AlgorithmChoice(algorithm);
    }

    /**
     * Reads an option.
     *
     * @param label auto, or an algorithm's
     * @throws IllegalArgumentException naming those that there are
     */
    public static AlgorithmChoice parse(String label) {
        if (label.equals(AUTO_LABEL)) {
            return AUTO;
        }
        try {
            return of(Algorithm.of(label));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "no algorithm '%s'; there are %s".formatted(label, String.join(", ", labels())),
                    e);
        }
    }

    /** All labels that {@link #parse} reads, auto first. */
    public static List<String> labels() {
        List<String> labels = new ArrayList<>(List.of(AUTO_LABEL));
        Algorithm.all().forEach(algorithm -> labels.add(algorithm.label()));
        return labels;
    }

    /** The algorithm; empty where the engine chooses. */
    public Optional<Algorithm> algorithm() {
        return Optional.ofNullable(algorithm);
    }

    /** As options write it. */
    public String label() {
        return algorithm == null ? AUTO_LABEL : algorithm.label();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AlgorithmChoice that && that.label().equals(label());
    }

    @Override
    public int hashCode() {
        return label().hashCode();
    }

    /** The label. */
    @Override
    public String toString() {
        return label();
    }
}
