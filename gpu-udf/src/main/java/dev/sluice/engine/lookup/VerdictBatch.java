package dev.sluice.engine.lookup;

/**
 * The verdicts on a batch of headers: for each the position of its rule in the rule set's total
 * order, or {@link #MISS}. A live classifier, in which positions change, writes the rule's stable
 * id to {@link #ids} instead; then {@link #rules} says only whether there is one: {@link #MISS} or
 * not. Reused; not thread-safe while it is filled.
 */
public final class VerdictBatch {
    /** No rule matched: the default action applies. */
    public static final int MISS = -1;

    private static final long[] NO_IDS = {};

    private final int[] rules;
    private long[] ids = NO_IDS;

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

    /**
     * Ids of the rules, set by rules that change in place where {@link #rules} has no {@link
     * #MISS}.
     */
    public long[] ids() {
        if (ids.length < rules.length) {
            ids = new long[rules.length];
        }
        return ids;
    }

    /** Position of the rule of a header, or {@link #MISS}. */
    public int rule(int header) {
        return rules[header];
    }
}
