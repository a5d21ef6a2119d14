package dev.sluice.job.cli;

import dev.sluice.job.UsageException;

/** Sizes in bytes as users write them. */
public final class Sizes {
    private Sizes() {}

    /**
     * A size: a number of bytes, perhaps with k, m or g behind it.
     *
     * @throws UsageException naming option, text and remedy
     */
    public static long bytes(String option, String text) {
        if (!text.matches("0*[1-9]\\d{0,17}[kmgKMG]?")) {
            throw new UsageException(
                    option + " " + text + " is no size; write a number of bytes, or 512m or 2g");
        }
        String digits = text.replaceAll("[kmgKMG]$", "");
        int shift =
                switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
                    case 'k' -> 10;
                    case 'm' -> 20;
                    case 'g' -> 30;
                    default -> 0;
                };
        try {
            return Math.multiplyExact(Long.parseLong(digits), 1L << shift);
        } catch (ArithmeticException e) {
            throw new UsageException(
                    option + " " + text + " is beyond 8 EiB; write a smaller size", e);
        }
    }
}
