package dev.sluice.engine.lookup;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The algorithms that there are, by label and by code. Immutable, thread-safe. */
final class AlgorithmRegistry {
    /**
     * Algorithms that {@code META-INF/services} names beside this class, wherever they are packed.
     */
    static final AlgorithmRegistry SHARED =
            new AlgorithmRegistry(
                    ServiceLoader.load(Algorithm.class, Algorithm.class.getClassLoader()));

    private final Map<String, Algorithm> byLabel = new LinkedHashMap<>();
    private final Map<Integer, Algorithm> byCode = new HashMap<>();

    /**
     * A registry that keeps the order of what it is given.
     *
     * @throws IllegalStateException if two have one label or code, or one is not well named
     */
    AlgorithmRegistry(Iterable<Algorithm> algorithms) {
        for (Algorithm algorithm : algorithms) {
            String label = algorithm.label();
            if (!label.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")
                    || label.equals(AlgorithmChoice.AUTO_LABEL)) {
                throw new IllegalStateException(
                        "%s calls itself '%s'; a label is lower-case words joined by hyphens, and not %s"
                                .formatted(
                                        algorithm.getClass().getName(),
                                        label,
                                        AlgorithmChoice.AUTO_LABEL));
            }
            if (algorithm.code() < 1) {
                throw new IllegalStateException(
                        "%s has the code %d; codes are above 0"
                                .formatted(algorithm.getClass().getName(), algorithm.code()));
            }
            Algorithm sameLabel = byLabel.putIfAbsent(label, algorithm);
            Algorithm sameCode = byCode.putIfAbsent(algorithm.code(), algorithm);
            Algorithm other = sameLabel == null ? sameCode : sameLabel;
            if (other != null) {
                throw new IllegalStateException(
                        "%s and %s have the same %s; change one of them"
                                .formatted(
                                        other.getClass().getName(),
                                        algorithm.getClass().getName(),
                                        sameLabel == null
                                                ? "code " + algorithm.code()
                                                : "label '" + label + "'"));
            }
        }
    }

    List<Algorithm> all() {
        return List.copyOf(byLabel.values());
    }

    Algorithm of(String label) {
        Algorithm algorithm = byLabel.get(label);
        if (algorithm == null) {
            throw new IllegalArgumentException(
                    "no algorithm '%s'; there are %s"
                            .formatted(label, String.join(", ", byLabel.keySet())));
        }
        return algorithm;
    }

    Algorithm ofCode(int code) {
        Algorithm algorithm = byCode.get(code);
        if (algorithm == null) {
            throw new IllegalArgumentException("no algorithm has the code " + code);
        }
        return algorithm;
    }
}
