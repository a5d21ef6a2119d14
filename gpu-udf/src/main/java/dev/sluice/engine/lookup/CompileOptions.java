package dev.sluice.engine.lookup;

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
 * @param updatesPerSecond auto: rule changes to expect; many make it choose what changes in place
 */
public record CompileOptions(
        Algorithm algorithm,
        long budgetBytes,
        TargetProfile profile,
        boolean expandRanges,
        boolean exactFirst,
        Algorithm inner,
        int hashTreeThreshold,
        RfcForm rfcForm,
        double updatesPerSecond) {
    /** Image budget where nothing else is said: 1 GiB. */
    public static final long DEFAULT_BUDGET_BYTES = 1L << 30;

    private static final int DEFAULT_THRESHOLD = 16;

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
        return new Builder(algorithm).build();
    }

    /** These options with another algorithm. */
    public CompileOptions withAlgorithm(Algorithm other) {
        Builder to = builder();
        to.algorithm = other;
        return to.build();
    }

    /** These options with another budget. */
    public CompileOptions withBudget(long bytes) {
        Builder to = builder();
        to.budgetBytes = bytes;
        return to.build();
    }

    /** These options for another profile. */
    public CompileOptions withProfile(TargetProfile other) {
        Builder to = builder();
        to.profile = other;
        return to.build();
    }

    /** These options with ranges cut into prefixes or not. */
    public CompileOptions withExpandedRanges(boolean expand) {
        Builder to = builder();
        to.expandRanges = expand;
        return to.build();
    }

    /** These options with semantics and wildcard algorithm of exact-first. */
    public CompileOptions withExactFirst(boolean exactWins, Algorithm wildcards) {
        Builder to = builder();
        to.exactFirst = exactWins;
        to.inner = wildcards;
        return to.build();
    }

    /** These options with another threshold of hash-tree buckets. */
    public CompileOptions withHashTreeThreshold(int threshold) {
        Builder to = builder();
        to.hashTreeThreshold = threshold;
        return to.build();
    }

    /** These options with other tables of RFC. */
    public CompileOptions withRfcForm(RfcForm form) {
        Builder to = builder();
        to.rfcForm = form;
        return to.build();
    }

    /** These options with another rate of rule changes. */
    public CompileOptions withUpdateRate(double perSecond) {
        Builder to = builder();
        to.updatesPerSecond = perSecond;
        return to.build();
    }

    private Builder builder() {
        Builder to = new Builder(algorithm);
        to.budgetBytes = budgetBytes;
        to.profile = profile;
        to.expandRanges = expandRanges;
        to.exactFirst = exactFirst;
        to.inner = inner;
        to.hashTreeThreshold = hashTreeThreshold;
        to.rfcForm = rfcForm;
        to.updatesPerSecond = updatesPerSecond;
        return to;
    }

    private static final class Builder {
        Algorithm algorithm;
        long budgetBytes = DEFAULT_BUDGET_BYTES;
        TargetProfile profile = TargetProfile.CPU;
        boolean expandRanges;
        boolean exactFirst;
        Algorithm inner = Algorithm.AUTO;
        int hashTreeThreshold = DEFAULT_THRESHOLD;
        RfcForm rfcForm = RfcForm.TUNED;
        double updatesPerSecond;

        Builder(Algorithm algorithm) {
            this.algorithm = algorithm;
        }

        CompileOptions build() {
            return new CompileOptions(
                    algorithm,
                    budgetBytes,
                    profile,
                    expandRanges,
                    exactFirst,
                    inner,
                    hashTreeThreshold,
                    rfcForm,
                    updatesPerSecond);
        }
    }
}
