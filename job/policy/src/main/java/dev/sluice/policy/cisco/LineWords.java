package dev.sluice.policy.cisco;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The words of a line from left to right, in lower case where they are keywords. */
final class LineWords {
    /** Line that the words stand on, from 1. */
    final int line;

    private final String text;
    private final List<String> words = new ArrayList<>();
    private final List<Integer> columns = new ArrayList<>();
    private int at;

    LineWords(int line, String text) {
        this.line = line;
        this.text = text;
        int from = 0;
        while (from < text.length()) {
            while (from < text.length() && Character.isWhitespace(text.charAt(from))) {
                from++;
            }
            int to = from;
            while (to < text.length() && !Character.isWhitespace(text.charAt(to))) {
                to++;
            }
            if (to > from) {
                words.add(text.substring(from, to));
                columns.add(from + 1);
            }
            from = to;
        }
    }

    /** The line without blanks around it. */
    String text() {
        return text.strip();
    }

    boolean isIndented() {
        return !text.isEmpty() && Character.isWhitespace(text.charAt(0));
    }

    boolean atEnd() {
        return at >= words.size();
    }

    int left() {
        return words.size() - at;
    }

    /** The next word in lower case, or an empty one at the end. */
    String peek() {
        return peek(0);
    }

    /** A later word in lower case, or an empty one behind the end. */
    String peek(int behind) {
        int which = at + behind;
        return which < words.size() ? words.get(which).toLowerCase(Locale.ROOT) : "";
    }

    /** Takes a keyword, or the begin of one of so many letters at least, if it comes next. */
    boolean take(String keyword, int letters) {
        String next = peek();
        boolean fits = next.length() >= letters && keyword.startsWith(next);
        at += fits ? 1 : 0;
        return fits;
    }

    /** Takes a keyword if it comes next. */
    boolean take(String keyword) {
        return take(keyword, keyword.length());
    }

    /** Takes the keywords if they all come next. */
    boolean takeAll(String... keywords) {
        for (int i = 0; i < keywords.length; i++) {
            if (!peek(i).equals(keywords[i])) {
                return false;
            }
        }
        at += keywords.length;
        return true;
    }

    /** The next word as it stands there. */
    String next(String missing) throws RuleSyntaxException {
        if (atEnd()) {
            throw new RuleSyntaxException(
                    text.stripTrailing().length() + 1,
                    text(),
                    "ends where " + missing + " should follow; complete the line");
        }
        return words.get(at++);
    }

    /** The next word as a name, as it stands there. */
    String name() throws RuleSyntaxException {
        return next("a name");
    }

    /** The next word as a number. */
    int number(int most) throws RuleSyntaxException {
        String word = next("a number");
        return (int) Literals.number(word, column(), most);
    }

    /** Returns whether the next word is a decimal number. */
    boolean isNumber() {
        String next = peek();
        return !next.isEmpty()
                && next.length() < 11
                && next.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    void back() {
        at--;
    }

    /** Number of words that were taken. */
    int taken() {
        return at;
    }

    /** A word by its number from 0, as it stands there. */
    String word(int which) {
        return words.get(which);
    }

    /** A later word as it stands there, or an empty one behind the end. */
    String name(int behind) {
        return at + behind < words.size() ? words.get(at + behind) : "";
    }

    /** The words from the first one on. */
    LineWords again() {
        return new LineWords(line, text);
    }

    /** The words from the next one on, each in its column. */
    LineWords behind() {
        LineWords rest = again();
        rest.at = at;
        return rest;
    }

    void skip(int some) {
        at = Math.min(words.size(), at + some);
    }

    /** Everything left, as it stands there. */
    String rest() {
        if (atEnd()) {
            return "";
        }
        String rest = text.substring(columns.get(at) - 1).stripTrailing();
        at = words.size();
        return rest;
    }

    /** Column of the last word that was taken, from 1. */
    int column() {
        return at == 0 ? 1 : columns.get(at - 1);
    }

    /** A refusal of the last word that was taken. */
    RuleSyntaxException refused(String problem) {
        return refused(problem, null);
    }

    /** A refusal of which many lines are alike. */
    RuleSyntaxException refused(String problem, @Nullable String kind) {
        String word = at == 0 ? text() : words.get(at - 1);
        return new RuleSyntaxException(column(), word, problem, kind);
    }
}
