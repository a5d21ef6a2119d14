package dev.sluice.policy.nft;

import dev.sluice.policy.RuleSyntaxException;

/** Refusal of words of a ruleset, with their place. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int line;
    private final int column;
    private final String words;
    private final String problem;

    RefusedException(String file, int line, int column, String words, String problem) {
        super(problem);
        this.file = file;
        this.line = line;
        this.column = column;
        this.words = words;
        this.problem = problem;
    }

    String file() {
        return file;
    }

    int line() {
        return line;
    }

    /** The refusal, in the form that rule files have. */
    RuleSyntaxException inLine() {
        return new RuleSyntaxException(column, words, problem);
    }
}
