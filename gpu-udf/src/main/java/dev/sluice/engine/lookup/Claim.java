package dev.sluice.engine.lookup;

import java.util.function.Function;

/**
 * Claim of an algorithm that it suits a rule set. {@code auto} goes through the claims of all
 * algorithms in the order of their kinds, within a kind in the order of the registry.
 *
 * @param why says why it was taken, of the compiled rules
 * @param takenBytes largest image that is taken without a measurement
 * @param measuredBytes largest image that is measured beside others
 */
public record Claim(
        Kind kind, Function<Classifier, String> why, long takenBytes, long measuredBytes) {
    /** Kinds of claims, the first that is tried first. */
    public enum Kind {
        /** Takes rules because they are few. */
        FEW_RULES,
        /** Takes rules because they change often. */
        FREQUENT_CHANGES,
        /** Divides rules among other algorithms. */
        DIVISION,
        /** Takes rules whose image is small; where it is larger, it is measured. */
        SMALL_IMAGE,
        /** Is measured beside others, and the fastest taken. */
        CANDIDATE,
        /** Takes rules that no other algorithm serves within the budget. */
        LAST_RESORT
    }

    /** A claim to be the fastest. */
    public static final Claim CANDIDATE = of(Kind.CANDIDATE, "");

    /** A claim of a kind for a reason that is the same for all rules. */
    public static Claim of(Kind kind, String why) {
        return of(kind, compiled -> why);
    }

    /** A claim of a kind, whatever the image's size. */
    public static Claim of(Kind kind, Function<Classifier, String> why) {
        return new Claim(kind, why, Long.MAX_VALUE, Long.MAX_VALUE);
    }
}
