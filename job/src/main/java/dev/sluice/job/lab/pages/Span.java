package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;

/**
 * The smallest and the largest of some values.
 *
 * @param least not above {@code most}
 */
record Span(BigDecimal least, BigDecimal most) {
    /** The span of a field; of at least one record. */
    static Span of(List<JsonNode> records, String field) {
        return of(records.stream().map(r -> r.path(field).decimalValue()).toList());
    }

    static Span of(List<BigDecimal> values) {
        return new Span(
                values.stream().reduce(BigDecimal::min).orElseThrow(),
                values.stream().reduce(BigDecimal::max).orElseThrow());
    }

    /** Both ends with so many significant digits. */
    String text(int digits) {
        String from = rounded(least, digits);
        String to = rounded(most, digits);
        return from.equals(to) ? from : from + " to " + to;
    }

    static String rounded(BigDecimal value, int digits) {
        return value.round(new MathContext(digits, RoundingMode.HALF_UP)).toPlainString();
    }
}
