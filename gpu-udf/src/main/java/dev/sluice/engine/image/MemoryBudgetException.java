package dev.sluice.engine.image;

/** A build that would pass its memory budget and was stopped. */
public final class MemoryBudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long budgetBytes;

    /**
     * A build that needs more than it may take.
     *
     * @param neededBytes size at which it stopped: at least so much would be needed
     */
    public MemoryBudgetException(String algorithm, long neededBytes, long budgetBytes) {
        super(
                ("algorithm %s needs an image of at least %,d bytes for this rule set, over the budget of %,d;"
                                + " raise --memory-budget or choose another algorithm")
                        .formatted(algorithm, neededBytes, budgetBytes));
        this.budgetBytes = budgetBytes;
    }

    /**
     * A build that needs more than the heap holds.
     *
     * @param heapBytes the largest size of the heap
     * @param cause what the virtual machine said
     */
    public MemoryBudgetException(String algorithm, long heapBytes, OutOfMemoryError cause) {
        super(
                ("algorithm %s needs more memory for this rule set than the heap of %,d bytes holds;"
                                + " raise it, as in SLUICE_JAVA_OPTS=-Xmx8g, or choose another algorithm")
                        .formatted(algorithm, heapBytes),
                cause);
        this.budgetBytes = heapBytes;
    }

    /** The budget that was passed, or the heap's size. */
    public long budgetBytes() {
        return budgetBytes;
    }
}
