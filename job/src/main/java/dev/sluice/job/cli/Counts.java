package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.math.BigDecimal;

/** How many of something, as users write it. */
public final class Counts {
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

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
        BigDecimal count =
                new BigDecimal(text.replaceAll("[kKmMgG]$", "")).scaleByPowerOfTen(places);
        boolean whole = count.stripTrailingZeros().scale() <= 0;
        if (!whole || count.signum() == 0 || count.compareTo(MOST) > 0) {
            throw wrong(option, text);
        }
        return count.longValueExact();
    }

    private static UsageException wrong(String option, String text) {
        return new UsageException(
                option
                        + " "
                        + text
                        + " is no number from 1 on; write one as in 250000, 250k, 2.5M or 1G");
    }
}
