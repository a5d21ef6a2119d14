package dev.sluice.job.importers;

/** One defect in a line of a rule file. */
final class RuleSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int column;

    /**
     * A defect.
     *
     * @param column 1-based column of the offending words
     * @param words the offending words
     * @param problem what is wrong with them and what to write instead
     */
    RuleSyntaxException(int column, String words, String problem) {
        super("'" + words + "': " + problem);
        this.column = column;
    }

    int column() {
        return column;
    }
}
