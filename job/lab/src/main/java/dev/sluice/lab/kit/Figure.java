package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Text of a measured value. Whole numbers stay as they are; of others at most {@value #SIGNIFICANT}
 * significant digits are kept, since clocks tell no more.
 */
final class Figure {
    private static final int SIGNIFICANT = 5;

    private Figure() {}

    /** Returns the text of a value; empty where there is none. */
    static String of(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        return value.isNumber() ? of(value.decimalValue()) : value.asText();
    }

    private static String of(BigDecimal value) {
        int whole = value.precision() - value.scale();
        int places = Math.max(0, SIGNIFICANT - whole);
        BigDecimal kept =
                value.scale() > places ? value.setScale(places, RoundingMode.HALF_UP) : value;
        return kept.toPlainString();
    }

    /** Returns a value with so many significant digits. */
    static String rounded(BigDecimal value, int digits) {
        return value.round(new MathContext(digits, RoundingMode.HALF_UP)).toPlainString();
    }
}
