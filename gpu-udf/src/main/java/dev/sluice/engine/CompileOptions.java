package dev.sluice.engine;

/**
 * How rules are compiled.
 *
 * @param algorithm what to compile for
 * @param budgetBytes largest image
 * @param profile what the image is arranged for
 * @param expandRanges tuple search: cut ranges into prefixes, instead of verifying them
 * @param exactFirst exact-first: an exact entry beats every wildcard rule (OpenFlow 0.8.9), instead
 *     of competing by rank
 * @param inner exact-first: the algorithm of the wildcard rules
 * @param hashTreeThreshold hash-tree: rules of a bucket beyond which it becomes a node
 * @param rfcForm RFC and Bitmap-RFC: which tables
 */
public record CompileOptions(
        Algorithm algorithm,
        long budgetBytes,
        TargetProfile profile,
        boolean expandRanges,
        boolean exactFirst,
        Algorithm inner,
        int hashTreeThreshold,
        RfcForm rfcForm) {
    /** Image budget where nothing else is said: 1 GiB. */
    public static final long DEFAULT_BUDGET_BYTES = 1L << 30;

    /** Tables of RFC and Bitmap-RFC. */
    public enum RfcForm {
        /** Six chunks without the protocol, class counts rounded to powers of two. */
        PAPER,
        /** Every field; for Bitmap-RFC, pieces of 32 entries with eight elements. */
        EXACT,
        /** Every field; pieces and elements by the histogram of the tables. */
        TUNED
    }

    /** Options with nothing but the algorithm said. */
    public static CompileOptions of(Algorithm algorithm) {
        return new CompileOptions(
                algorithm,
                DEFAULT_BUDGET_BYTES,
                TargetProfile.CPU,
                false,
                false,
                Algorithm.AUTO,
                16,
                RfcForm.TUNED);
    }

    public CompileOptions withAlgorithm(Algorithm other) {
        return new CompileOptions(
                other,
                budgetBytes,
                profile,
                expandRanges,
                exactFirst,
                inner,
                hashTreeThreshold,
                rfcForm);
    }

    public CompileOptions withBudget(long bytes) {
        return new CompileOptions(
                algorithm,
                bytes,
                profile,
                expandRanges,
                exactFirst,
                inner,
                hashTreeThreshold,
                rfcForm);
    }

    public CompileOptions withProfile(TargetProfile other) {
        return new CompileOptions(
                algorithm,
                budgetBytes,
                other,
                expandRanges,
                exactFirst,
                inner,
                hashTreeThreshold,
                rfcForm);
    }

    public CompileOptions withExpandedRanges(boolean expand) {
        return new CompileOptions(
                algorithm,
                budgetBytes,
                profile,
                expand,
                exactFirst,
                inner,
                hashTreeThreshold,
                rfcForm);
    }

    public CompileOptions withExactFirst(boolean exact, Algorithm innerAlgorithm) {
        return new CompileOptions(
                algorithm,
                budgetBytes,
                profile,
                expandRanges,
                exact,
                innerAlgorithm,
                hashTreeThreshold,
                rfcForm);
    }

    public CompileOptions withHashTreeThreshold(int threshold) {
        return new CompileOptions(
                algorithm,
                budgetBytes,
                profile,
                expandRanges,
                exactFirst,
                inner,
                threshold,
                rfcForm);
    }

    public CompileOptions withRfcForm(RfcForm form) {
        return new CompileOptions(
                algorithm,
                budgetBytes,
                profile,
                expandRanges,
                exactFirst,
                inner,
                hashTreeThreshold,
                form);
    }
}
