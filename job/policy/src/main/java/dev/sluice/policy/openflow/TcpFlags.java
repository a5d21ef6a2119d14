package dev.sluice.policy.openflow;

import dev.sluice.policy.RuleSyntaxException;
import java.util.List;

/**
 * TCP flags as flow lines write them (ovs-fields(7)): {@code +syn-ack}, where the others may be set
 * or not; {@code syn|ack}, where no other one may be set; or a number, with or without a mask.
 */
final class TcpFlags {
    private static final int ALL = 0xfff;

    /** In the order of their bits, the lowest first. */
    private static final List<String> NAMES =
            List.of(
                    "fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns", "[200]", "[400]",
                    "[800]");

    private TcpFlags() {}

    /**
     * Reads flags.
     *
     * @param text not empty
     * @param column where the text stands in its line
     */
    static FlowNumbers.Masked parse(String text, int column) throws RuleSyntaxException {
        char first = text.charAt(0);
        if (isSign(first)) {
            return signed(text, column);
        }
        return Character.isLetter(first) || first == '['
                ? joined(text, column)
                : FlowNumbers.masked(text, column, ALL);
    }

    private static boolean isSign(char c) {
        return c == '+' || c == '-';
    }

    private static FlowNumbers.Masked signed(String text, int column) throws RuleSyntaxException {
        int value = 0;
        int mask = 0;
        int at = 0;
        while (at < text.length()) {
            int end = at + 1;
            while (end < text.length() && !isSign(text.charAt(end))) {
                end++;
            }
            int flag = bit(text.substring(at + 1, end), text.substring(at, end), column + at);
            if ((mask & flag) != 0) {
                throw new RuleSyntaxException(
                        column + at,
                        text.substring(at, end),
                        "is said before; name each flag once");
            }
            mask |= flag;
            value |= text.charAt(at) == '+' ? flag : 0;
            at = end;
        }
        return new FlowNumbers.Masked(value, mask);
    }

    private static FlowNumbers.Masked joined(String text, int column) throws RuleSyntaxException {
        int value = 0;
        int at = column;
        for (String name : text.split("\\|", -1)) {
            value |= bit(name, name, at);
            at += name.length() + 1;
        }
        return new FlowNumbers.Masked(value, ALL);
    }

    private static int bit(String name, String words, int column) throws RuleSyntaxException {
        int number = NAMES.indexOf(name);
        if (number < 0) {
            throw new RuleSyntaxException(
                    column, words, "is no TCP flag; there are " + String.join(", ", NAMES));
        }
        return 1 << number;
    }
}
