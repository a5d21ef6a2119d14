package dev.sluice.engine.lookup;

/**
 * The verdicts on a batch of headers: for each the position of its rule in the rule set's total
 * order, or {@link #MISS}. Reused; not thread-safe while it is filled.
 */
public final class VerdictBatch {
    /** No rule matched: the default action applies. */
    public static final int MISS = -1;

    private final int[] rules;

    /**
     * Room for verdicts.
     *
     * @param capacity most headers of a batch
     */
    public VerdictBatch(int capacity) {
        rules = new int[capacity];
    }

    /** The flat memory: the verdict on header i at i. */
    public int[] rules() {
        return rules;
    }

    /** Position of the rule of a header, or {@link #MISS}. */
    public int rule(int header) {
        return rules[header];
    }
}
