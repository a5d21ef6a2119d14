package dev.sluice.policy.iptables;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Word of a line, without its quotes.
 *
 * @param column 1-based
 */
record Word(String text, int column) {
    private static final Pattern OCTAL = Pattern.compile("0[0-7]+");
    private static final Pattern LEADING_ZERO = Pattern.compile("0[0-9]+");

    /**
     * The words of a line: blanks part them, but not between double quotes, where a backslash
     * stands before a quote or a backslash. A closing quote ends a word, too.
     */
    static List<Word> of(String line) throws RuleSyntaxException {
        List<Word> words = new ArrayList<>();
        int at = 0;
        while (true) {
            while (at < line.length() && isBlank(line.charAt(at))) {
                at++;
            }
            if (at >= line.length()) {
                return words;
            }
            int start = at;
            StringBuilder text = new StringBuilder();
            boolean quoted = false;
            boolean closed = false;
            while (at < line.length() && !closed && (quoted || !isBlank(line.charAt(at)))) {
                char c = line.charAt(at++);
                if (c == '"') {
                    closed = quoted;
                    quoted = !quoted;
                } else if (c == '\\' && quoted && at < line.length()) {
                    text.append(line.charAt(at++));
                } else {
                    text.append(c);
                }
            }
            if (quoted) {
                throw new RuleSyntaxException(
                        start + 1, line.substring(start), "has no closing quote; add one");
            }
            words.add(new Word(text.toString(), start + 1));
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r';
    }

    /** Its characters before a place. */
    Word upTo(int end) {
        return new Word(text.substring(0, end), column);
    }

    /** Its characters from a place on. */
    Word from(int start) {
        return new Word(text.substring(start), column + start);
    }

    boolean is(String other) {
        return text.equals(other);
    }

    /** A number as C reads it: decimal, hexadecimal behind 0x, octal behind 0. */
    long number(long most) throws RuleSyntaxException {
        if (!text.startsWith("0")) {
            return Literals.number(text, column, most);
        }
        boolean octal = OCTAL.matcher(text).matches();
        if (!octal && LEADING_ZERO.matcher(text).matches()) {
            throw refused("is no octal number, as which a leading 0 makes it count; remove the 0");
        }
        String plain = octal ? new BigInteger(text, 8).toString() : text;
        return Literals.number(plain, column, most);
    }

    RuleSyntaxException refused(String problem) {
        return new RuleSyntaxException(column, text, problem);
    }

    /** A refusal of which many lines are alike. */
    RuleSyntaxException refused(String problem, String kind) {
        return new RuleSyntaxException(column, text, problem, kind);
    }
}
