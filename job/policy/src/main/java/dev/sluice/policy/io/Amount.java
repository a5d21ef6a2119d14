package dev.sluice.policy.io;

/** Amounts in words: {@code 1 rule}, {@code 2,000 rules}. */
public final class Amount {
    private Amount() {}

    /**
     * Returns a count with its noun.
     *
     * @param noun in the singular; an {@code s} makes its plural
     */
    public static String of(long count, String noun) {
        return "%,d %s%s".formatted(count, noun, count == 1 ? "" : "s");
    }
}
