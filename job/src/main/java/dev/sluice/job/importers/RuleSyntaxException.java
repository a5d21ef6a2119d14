package dev.sluice.job.importers;

/** One defect in a line of a rule file. */
final class RuleSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Longer words are cut in messages. */
    private static final int SHOWN = 200;

    private final int column;

    /**
     * A defect.
     *
     * @param column 1-based column of the offending words
     * @param words the offending words
     * @param problem what is wrong with them and what to write instead
     */
    RuleSyntaxException(int column, String words, String problem) {
        super("'" + cut(words) + "': " + cut(problem));
        this.column = column;
    }

    private static String cut(String text) {
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
    }

    int column() {
        return column;
    }
}
