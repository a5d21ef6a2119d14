package dev.sluice.engine.image;

import org.jspecify.annotations.Nullable;

/**
 * A build that would pass its memory budget, or the work that a budget is worth, and was stopped.
 * It says whether the options or the heap bound it.
 */
public final class MemoryBudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long neededBytes;
    private final long budgetBytes;

    /**
     * A build that needs more than it may take.
     *
     * @param neededBytes size at which it stopped: at least so much would be needed
     */
    public MemoryBudgetException(String algorithm, long neededBytes, long budgetBytes) {
        this(
                algorithm,
                "an image of at least %,d bytes for this rule set, over the budget of %,d"
                        .formatted(neededBytes, budgetBytes),
                neededBytes,
                budgetBytes);
    }

    /** A build that was stopped, whatever of its needs passed the budget. */
    private MemoryBudgetException(
            String algorithm, String needs, long neededBytes, long budgetBytes) {
        this(
                "algorithm %s needs %s; %s, or choose another algorithm"
                        .formatted(algorithm, needs, HeapBudget.remedy(neededBytes, budgetBytes)),
                neededBytes,
                budgetBytes,
                null);
    }

    /**
     * A build that needs more beside its image than it may take.
     *
     * @param neededBytes bytes beside the image at which it stopped
     */
    public static MemoryBudgetException whileBuilding(
            String algorithm, long neededBytes, long budgetBytes) {
        return new MemoryBudgetException(
                algorithm,
                "at least %,d bytes while it compiles this rule set, over the budget of %,d"
                        .formatted(neededBytes, budgetBytes),
                neededBytes,
                budgetBytes);
    }

    /**
     * A build that does more work than its budget is worth.
     *
     * @param words words of work at which it stopped
     * @param mostWords what the budget is worth
     */
    static MemoryBudgetException ofWork(
            String algorithm, long words, long mostWords, long budgetBytes) {
        return new MemoryBudgetException(
                algorithm,
                "at least %,d steps to compile this rule set, over the %,d that a budget of %,d bytes allows"
                        .formatted(words, mostWords, budgetBytes),
                budgetBytes + 1,
                budgetBytes);
    }

    /**
     * Something else that finds no room.
     *
     * @param message what needs how much, and what can be done about it
     * @param neededBytes at least so much would be needed
     * @param budgetBytes the bytes that there are
     */
    public MemoryBudgetException(
            String message, long neededBytes, long budgetBytes, @Nullable Throwable cause) {
        super(message, cause);
        this.neededBytes = neededBytes;
        this.budgetBytes = budgetBytes;
    }

    /**
     * No algorithm fits.
     *
     * @param closest the algorithm that passed the budget by least
     * @param neededBytes bytes at which it stopped; it would need more
     */
    public static MemoryBudgetException ofAll(String closest, long neededBytes, long budgetBytes) {
        return new MemoryBudgetException(
                ("no algorithm fits the budget of %,d bytes with this rule set: %s was not done at"
                                + " %,d bytes, and the others stopped behind it; %s, to twice as much at first")
                        .formatted(
                                budgetBytes,
                                closest,
                                neededBytes,
                                HeapBudget.remedy(neededBytes, budgetBytes)),
                neededBytes,
                budgetBytes,
                null);
    }

    /** At least so much would be needed. */
    public long neededBytes() {
        return neededBytes;
    }

    /** The budget that was passed. */
    public long budgetBytes() {
        return budgetBytes;
    }
}
