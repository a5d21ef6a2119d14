package dev.sluice.policy;

import org.jspecify.annotations.Nullable;

/** Cuts a line into words and knows the column of each. Not thread-safe. */
public final class LineScanner {
    private final String line;
    private int at;
    private int start;

    /** A scanner at the begin of a line. */
    public LineScanner(String line) {
        this.line = line;
    }

    /** The line without what follows a {@code #}. */
    public static String withoutComment(String line) {
        int hash = line.indexOf('#');
        return hash < 0 ? line : line.substring(0, hash);
    }

    /** Skips characters of a set. */
    public void skip(String characters) {
        while (at < line.length() && characters.indexOf(line.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Returns whether nothing is left. */
    public boolean atEnd() {
        return at >= line.length();
    }

    /** The characters up to the next one of a set, or to the end. */
    public String until(String characters) {
        start = at;
        while (at < line.length() && characters.indexOf(line.charAt(at)) < 0) {
            at++;
        }
        return line.substring(start, at);
    }

    /** Takes a character if it comes next. */
    public boolean take(char c) {
        if (at < line.length() && line.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    /** The next character, or 0 at the end. */
    public char next() {
        return atEnd() ? 0 : line.charAt(at);
    }

    /** The characters between the next quote and the one that closes it, or the end. */
    public String quoted() {
        start = at;
        int from = at + 1;
        int close = line.indexOf('"', from);
        at = close < 0 ? line.length() : close + 1;
        return line.substring(from, close < 0 ? line.length() : close);
    }

    /**
     * The characters up to the next one of a set that stands outside parentheses, brackets, braces
     * and quotes.
     *
     * @return null where one of these is not closed
     */
    public @Nullable String nested(String characters) {
        start = at;
        int depth = 0;
        boolean inQuotes = false;
        while (at < line.length()
                && (depth > 0 || inQuotes || characters.indexOf(line.charAt(at)) < 0)) {
            char c = line.charAt(at);
            inQuotes ^= c == '"';
            if (!inQuotes && "([{".indexOf(c) >= 0) {
                depth++;
            } else if (!inQuotes && depth > 0 && ")]}".indexOf(c) >= 0) {
                depth--;
            }
            at++;
        }
        return depth > 0 || inQuotes ? null : line.substring(start, at);
    }

    /** Everything left. */
    public String rest() {
        start = at;
        at = line.length();
        return line.substring(start);
    }

    /** 1-based column of the last word. */
    public int column() {
        return start + 1;
    }

    /** 1-based column of the next character. */
    public int nextColumn() {
        return at + 1;
    }
}
