package dev.sluice.schemas.codec;

import java.util.Arrays;

/**
 * Answers of a policy that a block of verdicts names: the answer to packets that do not come to the
 * policy has index 0, those of the block's rules follow. An answer is an outcome and the line of
 * its rule.
 *
 * <p>Used again from block to block, it allocates nothing. Not thread-safe.
 */
public final class PolicyAnswers {
    private String assumed = "";
    private VerdictOutcome[] outcomes = new VerdictOutcome[16];
    private int[] lines = new int[16];
    private int size;

    /**
     * Forgets the answers, and begins those of another block.
     *
     * @param assumption under which the policy answers; empty: none
     */
    public PolicyAnswers begin(String assumption) {
        size = 0;
        return under(assumption);
    }

    /** States the assumption under which the policy gives the answers. */
    PolicyAnswers under(String assumption) {
        assumed = assumption;
        return this;
    }

    /**
     * Adds the next answer.
     *
     * @param line 1-based line of its rule in its file; 0: none
     */
    public PolicyAnswers add(VerdictOutcome outcome, int line) {
        if (size == lines.length) {
            outcomes = Arrays.copyOf(outcomes, 2 * size);
            lines = Arrays.copyOf(lines, 2 * size);
        }
        outcomes[size] = outcome;
        lines[size++] = line;
        return this;
    }

    /** Adds an answer that others have at an index. */
    PolicyAnswers addFrom(PolicyAnswers others, int index) {
        return add(others.outcome(index), others.line(index));
    }

    /** The assumption under which the policy answers, as options of its publisher; empty: none. */
    public String assumed() {
        return assumed;
    }

    /** Number of answers. */
    public int size() {
        return size;
    }

    /** The outcome of an answer. */
    public VerdictOutcome outcome(int index) {
        return outcomes[index];
    }

    /** The line of an answer's rule; 0: none. */
    public int line(int index) {
        return lines[index];
    }
}
