package dev.sluice.engine.crossproduct;

/**
 * Where one form of a structure gives way to another; all forms give the same answers.
 *
 * @param levelBytes an address of few prefixes is found by tables of fixed strides of so many bytes
 *     at most, else by a binary search
 * @param directAtLeast cells of a plain table that any group may have
 * @param directUpTo beyond these, cells lie in a plain table unless it is so many times larger
 * @param listedUpTo cells of the list that a cell lies in, on average, up to which there are lists
 * @param patternBytes bytes of the patterns' rows, beyond which lists are tested rule by rule
 */
public record CrossproductLimits(
        long levelBytes, long directAtLeast, long directUpTo, int listedUpTo, long patternBytes) {
    /** As measured best on ClassBench sets of 10,000 and 100,000 rules. */
    public static final CrossproductLimits STANDARD =
            new CrossproductLimits(1000L << 10, 1 << 14, 4, 2, 16L << 20);
}
