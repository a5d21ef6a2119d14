package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The text of a value of a raw file. Whole numbers stay as they are; of others at most {@value
 * #SIGNIFICANT} significant digits are kept, since clocks tell no more.
 */
final class Digits {
    static final int SIGNIFICANT = 5;

    private Digits() {}

    /** A value's text; empty where the file has none. */
    static String of(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        return value.isNumber() ? of(value.decimalValue()) : value.asText();
    }

    static String of(BigDecimal value) {
        int whole = value.precision() - value.scale();
        int places = Math.max(0, SIGNIFICANT - whole);
        BigDecimal kept =
                value.scale() > places ? value.setScale(places, RoundingMode.HALF_UP) : value;
        return kept.toPlainString();
    }
}
