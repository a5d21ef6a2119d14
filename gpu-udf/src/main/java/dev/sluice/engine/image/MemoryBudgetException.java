package dev.sluice.engine.image;

import org.jspecify.annotations.Nullable;

/** A build that would pass its memory budget and was stopped. */
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
                ("algorithm %s needs an image of at least %,d bytes for this rule set, over the budget of %,d;"
                                + " raise --memory-budget or choose another algorithm")
                        .formatted(algorithm, neededBytes, budgetBytes),
                neededBytes,
                budgetBytes,
                null);
    }

    /**
     * A build that needs more than the heap holds.
     *
     * @param heapBytes the largest size of the heap
     * @param cause what the virtual machine said
     */
    public MemoryBudgetException(String algorithm, long heapBytes, OutOfMemoryError cause) {
        this(
                ("algorithm %s needs more memory for this rule set than the heap of %,d bytes holds;"
                                + " raise it, as in SLUICE_JAVA_OPTS=-Xmx8g, or choose another algorithm")
                        .formatted(algorithm, heapBytes),
                heapBytes,
                heapBytes,
                cause);
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
                                + " %,d bytes, and the others stopped behind it; raise --memory-budget, to twice as"
                                + " much at first")
                        .formatted(budgetBytes, closest, neededBytes),
                neededBytes,
                budgetBytes,
                null);
    }

    /** At least so much would be needed; the heap's size where it is not known. */
    public long neededBytes() {
        return neededBytes;
    }

    /** The budget that was passed, or the heap's size. */
    public long budgetBytes() {
        return budgetBytes;
    }
}
