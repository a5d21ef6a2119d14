package dev.sluice.job.importers;

/** Cuts a line into words and knows the column of each. Not thread-safe. */
final class LineScanner {
    private final String line;
    private int at;
    private int start;

    LineScanner(String line) {
        this.line = line;
    }

    /** Skips characters of a set. */
    void skip(String characters) {
        while (at < line.length() && characters.indexOf(line.charAt(at)) >= 0) {
            at++;
        }
    }

    boolean atEnd() {
        return at >= line.length();
    }

    /** The characters up to the next one of a set, or to the end. */
    String until(String characters) {
        start = at;
        while (at < line.length() && characters.indexOf(line.charAt(at)) < 0) {
            at++;
        }
        return line.substring(start, at);
    }

    /** Takes a character if it comes next. */
    boolean take(char c) {
        if (at < line.length() && line.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    /** Everything left. */
    String rest() {
        start = at;
        at = line.length();
        return line.substring(start);
    }

    /** 1-based column of the last word. */
    int column() {
        return start + 1;
    }

    /** 1-based column of the next character. */
    int nextColumn() {
        return at + 1;
    }
}
