package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Match;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which verdicts of a base are to be looked at again since its rules changed. A header whose
 * verdict is a rule of the base matches that rule, so an inserted rule can only be its verdict if
 * the two have headers in common, and comes before it; and where the rule was removed, the best of
 * the base's rules that are left is one behind it that has headers in common with it. While few
 * rules changed, most headers match rules that have nothing to do with those.
 *
 * <p>What is noted is never taken back, and noted before the tick that needs it is published;
 * look-ups of older ticks may see it, which costs them a look. One thread writes, any number read.
 */
final class TouchedVerdicts {
    private final Accelerators limits;

    /** By verdict + 1: whether it is touched. */
    private final byte[] marks;

    /**
     * By removed rule: the rules behind it that have headers in common with it, or null. Empty
     * where the base's rules are too many.
     */
    private final int[] @Nullable [] followers;

    /** By rule of the base, for {@link RuleBoxes#compare}. */
    private int[] apart = {};

    /** Comparisons so far. */
    private int comparisons;

    /** Followers in all lists. */
    private long listed;

    /** True if all verdicts are touched. */
    private boolean all;

    /** True if the delta at hand is too large to be compared. */
    private boolean large;

    TouchedVerdicts(int baseSize, Accelerators limits) {
        this.limits = limits;
        marks = new byte[baseSize + 1];
        boolean listed = limits.followers() > 0 && baseSize <= Accelerators.COMPARED_RULES;
        followers = new int[listed ? baseSize : 0][];
    }

    /** By verdict of the base + 1, so that the miss is 0: 1 where it is touched. Do not change. */
    byte[] marks() {
        return marks;
    }

    /**
     * The rules of the base that may be the best left where a rule was removed, ascending; null
     * where they are not known, or many.
     */
    int @Nullable [] followers(int removed) {
        return removed < followers.length ? followers[removed] : null;
    }

    /** Returns whether all verdicts are touched, since it is not known which are. */
    boolean all() {
        return all;
    }

    /** A delta begins that makes so many changes. */
    void begin(int changes) {
        large = changes > limits.compared();
    }

    /**
     * A rule of the base was removed.
     *
     * @param boxes the base's rules; null where they are not known
     */
    void removed(int position, Match match, @Nullable RuleBoxes boxes) {
        marks[position + 1] = 1;
        if (followers.length == 0 || !isCompared(match, position + 1, boxes)) {
            return;
        }
        int[] found = new int[limits.followers()];
        int n = 0;
        for (int i = position + 1; i < marks.length - 1; i++) {
            if (apart[i] == 0) {
                if (n == found.length) {
                    return;
                }
                found[n++] = i;
            }
        }
        followers[position] = Arrays.copyOf(found, n);
        listed += n;
    }

    /**
     * A rule was inserted.
     *
     * @param precede rules of the base before it
     * @param boxes the base's rules; null where they are not known
     */
    void inserted(Match match, int precede, @Nullable RuleBoxes boxes) {
        if (all) {
            return;
        }
        if (!isCompared(match, precede, boxes)) {
            Arrays.fill(marks, (byte) 1);
            all = true;
            return;
        }
        marks[0] = 1;
        for (int i = precede; i < marks.length - 1; i++) {
            if (apart[i] == 0) {
                marks[i + 1] = 1;
            }
        }
    }

    /** Compares a rule with the base's from a position on, unless that is too much. */
    private boolean isCompared(Match match, int from, @Nullable RuleBoxes boxes) {
        if (boxes == null || large || comparisons >= limits.comparisons()) {
            return false;
        }
        comparisons += boxes.size() - from;
        if (apart.length < boxes.size()) {
            apart = new int[boxes.size()];
        }
        boxes.compare(match, from, apart);
        return true;
    }

    /** Bytes of marks and lists. */
    long bytes() {
        return marks.length + 4 * (followers.length + apart.length + listed);
    }
}
