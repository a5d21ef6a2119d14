package dev.sluice.engine.lookup;

import java.io.Serializable;

/**
 * An algorithm by its label, or {@link #AUTO}. Immutable, thread-safe.
 *
 * @param label auto, or an algorithm's
 */
public record AlgorithmChoice(String label) implements Serializable {
    /** The engine chooses by the rules, the budget and a short calibration. */
    public static final AlgorithmChoice AUTO = new AlgorithmChoice("auto");

    /** The label. */
    @Override
    public String toString() {
        return label;
    }
}
