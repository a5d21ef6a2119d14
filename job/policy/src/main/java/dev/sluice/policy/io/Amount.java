package dev.sluice.policy.io;

/** How many there are of something, in words: {@code 1 rule}, {@code 2,000 rules}. */
public final class Amount {
    private Amount() {}

    /**
     * The words.
     *
     * @param noun for one of them; an {@code s} makes it those for several
     */
    public static String of(long count, String noun) {
        return "%,d %s%s".formatted(count, noun, count == 1 ? "" : "s");
    }
}
