package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Match;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which verdicts of a base are to be looked at again since its rules changed. A header whose
 * verdict is a rule of the base matches that rule, so an inserted rule can only be its verdict if
 * the two have headers in common, and comes before it. While few rules changed, most headers match
 * rules that have nothing to do with those.
 *
 * <p>Marks are only ever set, before the tick that needs them is published; look-ups of older ticks
 * may see them, which costs them a look. One thread writes, any number read.
 */
final class TouchedVerdicts {
    /** Inserted rules of which each is compared with the base's; more are taken to touch all. */
    static final int MOST_INSERTS = 1024;

    /** Most rules of a base that are compared with each inserted one. */
    static final int MOST_RULES = 1 << 16;

    /** By verdict + 1: whether it is touched. */
    private final byte[] marks;

    /** By rule of the base, for {@link RuleBoxes#mark}. */
    private int[] apart = {};

    private int inserts;

    TouchedVerdicts(int baseSize) {
        marks = new byte[baseSize + 1];
    }

    /** By verdict of the base + 1, so that the miss is 0: 1 where it is touched. Do not change. */
    byte[] marks() {
        return marks;
    }

    /** A rule of the base was removed. */
    void removed(int position) {
        marks[position + 1] = 1;
    }

    /**
     * A rule was inserted.
     *
     * @param precede rules of the base before it
     * @param boxes the base's rules; null where they are not known
     */
    void inserted(Match match, int precede, @Nullable RuleBoxes boxes) {
        if (inserts > MOST_INSERTS) {
            return;
        }
        inserts = boxes == null ? MOST_INSERTS + 1 : inserts + 1;
        if (boxes == null || inserts > MOST_INSERTS) {
            Arrays.fill(marks, (byte) 1);
            return;
        }
        if (apart.length < marks.length - 1) {
            apart = new int[marks.length - 1];
        }
        marks[0] = 1;
        boxes.mark(match, precede, apart, marks);
    }
}
