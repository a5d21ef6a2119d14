package dev.sluice.engine.lookup;

import java.util.Arrays;

/**
 * The verdicts on a batch of headers: for each the position of its rule in the rule set's total
 * order, or {@link #MISS}. Reused; not thread-safe while it is filled.
 */
public final class VerdictBatch {
    /** No rule matched: the default action applies. */
    public static final int MISS = -1;

    private final int[] rules;

    /** Verdicts of earlier stages; memory for each once it is asked for. */
    private int[][] earlier = {};

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
     * The flat memory of the rules that let headers pass in stages of a policy before the one that
     * decides: for each header the verdict of the n-th of them, or {@link #MISS} where it has
     * fewer.
     *
     * @param stage n, from 0
     */
    public int[] earlier(int stage) {
        while (earlier.length <= stage) {
            earlier = Arrays.copyOf(earlier, earlier.length + 1);
            earlier[earlier.length - 1] = new int[rules.length];
        }
        return earlier[stage];
    }

    /** Position of the rule of a header, or {@link #MISS}. */
    public int rule(int header) {
        return rules[header];
    }
}
