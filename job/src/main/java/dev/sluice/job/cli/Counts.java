package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.math.BigDecimal;

/** How many of something, as users write it. */
public final class Counts {
    private Counts() {}

    /**
     * A number from 1, perhaps with k, M or G behind it: thousands, millions, billions.
     *
     * @throws UsageException naming option, text and remedy
     */
    public static long parse(String option, String text) {
        if (!text.matches("\\d{1,18}(\\.\\d{1,9})?[kKmMgG]?")) {
            throw wrong(option, text);
        }
        int places =
                switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
                    case 'k' -> 3;
                    case 'm' -> 6;
                    case 'g' -> 9;
                    default -> 0;
                };
        try {
            long count =
                    new BigDecimal(text.replaceAll("[kKmMgG]$", ""))
                            .scaleByPowerOfTen(places)
                            .longValueExact();
            if (count > 0) {
                return count;
            }
        } catch (ArithmeticException e) {
            throw new UsageException(wrong(option, text).getMessage(), e);
        }
        throw wrong(option, text);
    }

    private static UsageException wrong(String option, String text) {
        return new UsageException(
                option
                        + " "
                        + text
                        + " is no number from 1 on; write one as in 250000, 250k, 2.5M or 1G");
    }
}
