package dev.sluice.policy;

import org.jspecify.annotations.Nullable;

/** One defect in a line of a rule file. */
public final class RuleSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Longer words are cut in messages. */
    private static final int SHOWN = 200;

    private final int column;
    private final @Nullable String kind;
    private int line;

    /**
     * A defect.
     *
     * @param column 1-based column of the offending words
     * @param words the offending words
     * @param problem what is wrong with them and what to write instead
     */
    public RuleSyntaxException(int column, String words, String problem) {
        this(column, words, problem, null);
    }

    /**
     * A defect that lines of a file share, of which one is shown and the others are counted.
     *
     * @param kind the same for all of them; null: each line has its own
     */
    public RuleSyntaxException(int column, String words, String problem, @Nullable String kind) {
        super("'" + cut(words) + "': " + cut(problem));
        this.column = column;
        this.kind = kind;
    }

    private static String cut(String text) {
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
    }

    /** States the line of the words, where it is not the one that is read. */
    public RuleSyntaxException onLine(int number) {
        line = number;
        return this;
    }

    /** The line of the words; 0: the one that is read. */
    int line() {
        return line;
    }

    /** The column of the words. */
    public int column() {
        return column;
    }

    /** The kind of a defect that lines of a file share. */
    public @Nullable String kind() {
        return kind;
    }
}
