package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.ValueSet;
import org.jspecify.annotations.Nullable;

/** Numbers behind {@code eq}, {@code neq}, {@code lt}, {@code gt} and {@code range}. */
final class PortWords {
    private static final int MOST_PORT = 0xffff;

    private PortWords() {}

    /** Reader of one number. */
    private interface PortReader {
        int read() throws RuleSyntaxException;
    }

    /**
     * Ports behind an operator; null: no operator comes next.
     *
     * @param protocol number of the protocol whose names count; negative: any
     */
    static @Nullable ValueSet ports(LineWords words, int protocol, CiscoDialect dialect)
            throws RuleSyntaxException {
        boolean negated = words.peek().equals("neq");
        if (negated || words.peek().equals("eq")) {
            words.skip(1);
            ValueSet all = ValueSet.of(CiscoNames.port(words, protocol, dialect));
            while (dialect != CiscoDialect.ASA
                    && CiscoNames.isPort(words, protocol, dialect)
                    && !words.peek().equals("auth")) { // a header of IPv6
                all = all.or(ValueSet.of(CiscoNames.port(words, protocol, dialect)));
            }
            return negated ? all.complement(16) : all;
        }
        return range(words, MOST_PORT, () -> CiscoNames.port(words, protocol, dialect));
    }

    /** Numbers behind an operator, or one number. */
    static ValueSet numbers(LineWords words, int most) throws RuleSyntaxException {
        boolean negated = words.take("neq");
        if (negated || words.take("eq") || words.isNumber()) {
            ValueSet one = ValueSet.of(words.number(most));
            return negated ? one.complement(Integer.bitCount(most)) : one;
        }
        ValueSet range = range(words, most, () -> words.number(most));
        if (range == null) {
            words.next("eq, neq, lt, gt or range");
            throw words.refused("is no comparison; write eq, neq, lt, gt or range and numbers");
        }
        return range;
    }

    private static @Nullable ValueSet range(LineWords words, int most, PortReader number)
            throws RuleSyntaxException {
        if (words.take("lt")) {
            return ValueSet.of(0, number.read() - 1);
        }
        if (words.take("gt")) {
            return ValueSet.of(number.read() + 1, most);
        }
        if (!words.take("range")) {
            return null;
        }
        int first = number.read();
        int last = number.read();
        return ValueSet.of(Math.min(first, last), Math.max(first, last));
    }
}
