package dev.sluice.engine.choice;

import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.CompileContext;
import java.io.Serializable;

/**
 * Options of a compile. Immutable, thread-safe.
 *
 * @param algorithm which algorithm, or that the engine chooses
 * @param budgetBytes largest image; where a device has one of its own, of both together
 * @param updatesPerSecond rule changes to expect; many make the engine choose what compiles quickly
 * @param tuning values of the algorithms' own options
 */
public record CompileOptions(
        AlgorithmChoice algorithm,
        long budgetBytes,
        double updatesPerSecond,
        AlgorithmOptions tuning)
        implements Serializable {
    /** The engine chooses an algorithm within 1 GiB for rules that do not change. */
    public static final CompileOptions DEFAULTS =
            new CompileOptions(
                    AlgorithmChoice.AUTO,
                    CompileContext.DEFAULT_BUDGET_BYTES,
                    0,
                    AlgorithmOptions.DEFAULTS);

    /** Checks the numbers. */
    public CompileOptions {
        if (budgetBytes < 1) {
            throw new IllegalArgumentException(
                    "a budget of " + budgetBytes + " bytes holds no image; give at least 1");
        }
        if (!(updatesPerSecond >= 0)) {
            throw new IllegalArgumentException(
                    "an update rate of " + updatesPerSecond + " a second is below 0");
        }
    }

    /** These options with another choice of algorithm. */
    public CompileOptions withAlgorithm(AlgorithmChoice choice) {
        return new CompileOptions(choice, budgetBytes, updatesPerSecond, tuning);
    }

    /** These options with another budget. */
    public CompileOptions withBudget(long bytes) {
        return new CompileOptions(algorithm, bytes, updatesPerSecond, tuning);
    }

    /** These options with another rate of rule changes. */
    public CompileOptions withUpdateRate(double perSecond) {
        return new CompileOptions(algorithm, budgetBytes, perSecond, tuning);
    }

    /** These options with other values of the algorithms' own. */
    public CompileOptions withTuning(AlgorithmOptions values) {
        return new CompileOptions(algorithm, budgetBytes, updatesPerSecond, values);
    }

    /** Means of a compile by an algorithm; rules that it passes on go to others. */
    CompileContext context(CompileContext.Others others) {
        return new CompileContext(budgetBytes, tuning, others);
    }
}
