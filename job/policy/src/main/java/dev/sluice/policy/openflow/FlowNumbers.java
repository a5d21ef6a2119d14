package dev.sluice.policy.openflow;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import java.util.regex.Pattern;

/** Numbers as flow lines write them: C's, where a leading zero means octal. */
final class FlowNumbers {
    private static final Pattern OCTAL = Pattern.compile("0[0-9]+");

    /** Longer octal numbers are beyond all that fits anywhere. */
    private static final int MOST_OCTAL_DIGITS = 20;

    private FlowNumbers() {}

    /**
     * A number and which of its bits count.
     *
     * @param value 0 in the bits that do not count
     * @param mask 1 in those that do
     */
    record Masked(int value, int mask) {}

    /** An unsigned number: decimal, 0x-hexadecimal, or octal where it begins with 0. */
    static long number(String text, int column, long max) throws RuleSyntaxException {
        if (!OCTAL.matcher(text).matches()) {
            return Literals.number(text, column, max);
        }
        if (text.indexOf('8') >= 0 || text.indexOf('9') >= 0) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is octal, as it begins with 0, and has a digit beyond 7; write it without the leading zero");
        }
        String digits = text.replaceFirst("^0+(?=.)", "");
        long value =
                digits.length() > MOST_OCTAL_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits, 8);
        if (value > max) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is octal, as it begins with 0, and beyond "
                            + max
                            + ", the most that fits there");
        }
        return value;
    }

    /** A number of 64 bits. */
    static long bits64(String text, int column) throws RuleSyntaxException {
        boolean hex = text.startsWith("0x") || text.startsWith("0X");
        boolean octal = !hex && OCTAL.matcher(text).matches();
        try {
            return Long.parseUnsignedLong(
                    hex ? text.substring(2) : text, hex ? 16 : octal ? 8 : 10);
        } catch (NumberFormatException e) {
            throw new RuleSyntaxException(
                    column, text, "is no number of 64 bits; write one, as in 0x2a");
        }
    }

    /** {@code value}, {@code value/mask}, or {@code *} for any. */
    static Masked masked(String text, int column, long all) throws RuleSyntaxException {
        if (text.equals("*")) {
            return new Masked(0, 0);
        }
        int slash = text.indexOf('/');
        if (slash < 0) {
            return new Masked((int) number(text, column, all), (int) all);
        }
        int value = (int) number(text.substring(0, slash), column, all);
        int mask = (int) number(text.substring(slash + 1), column + slash + 1, all);
        return new Masked(value & mask, mask);
    }

    /**
     * A tunnel's id. Open vSwitch has 64 bits; the tunnels that there are have 32 at most, so the
     * others are 0.
     */
    static Masked tunnelId(String text, int column) throws RuleSyntaxException {
        if (text.equals("*")) {
            return new Masked(0, 0);
        }
        int slash = text.indexOf('/');
        long value = bits64(slash < 0 ? text : text.substring(0, slash), column);
        long mask = slash < 0 ? -1 : bits64(text.substring(slash + 1), column + slash + 1);
        if ((value & mask) >>> 32 != 0) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "names more than 32 bits, which no VNI, key or TEID has, so that no packet could match");
        }
        return new Masked((int) (value & mask), (int) mask);
    }

    /** An IPv4 address, {@code address/prefix length}, {@code address/mask}, or {@code *}. */
    static Masked ipv4(String text, int column) throws RuleSyntaxException {
        if (text.equals("*")) {
            return new Masked(0, 0);
        }
        int slash = text.indexOf('/');
        int value = Literals.ipv4(slash < 0 ? text : text.substring(0, slash), column);
        int mask = -1;
        if (slash >= 0) {
            String m = text.substring(slash + 1);
            int at = column + slash + 1;
            mask =
                    m.indexOf('.') >= 0
                            ? Literals.ipv4(m, at)
                            : Literals.mask32(Literals.prefixLength(m, at, 32));
        }
        return new Masked(value & mask, mask);
    }

    /**
     * A field that a switch matches whole or not at all: {@code value}, {@code *}, or with a mask
     * that is 0 or all ones in the bytes of the field.
     *
     * @return the value, or -1 for any
     */
    static int whole(String text, int column, int max) throws RuleSyntaxException {
        if (text.equals("*")) {
            return -1;
        }
        int slash = text.indexOf('/');
        int value = (int) number(slash < 0 ? text : text.substring(0, slash), column, max);
        if (slash < 0) {
            return value;
        }
        int all = max > 0xff ? 0xffff : 0xff;
        long mask = number(text.substring(slash + 1), column + slash + 1, all);
        if (mask != 0 && mask != all) {
            throw new RuleSyntaxException(
                    column + slash,
                    text.substring(slash),
                    "is a part of the field, which is matched whole or not at all; write one value");
        }
        return mask == 0 ? -1 : value;
    }
}
