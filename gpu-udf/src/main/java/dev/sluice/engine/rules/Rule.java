package dev.sluice.engine.rules;

import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One rule. Immutable.
 *
 * @param id stable 64-bit id, kept across versions; says nothing of priority, position or line
 * @param priority higher wins; of equal priorities, the rule of the smaller place
 * @param match what it asks of a header
 * @param action action, in the words of the rule's file; of a stage that judges the assumption that
 *     its policy was read under, as options of the publisher
 * @param line 1-based physical line in its file that it begins on, comments counted; 0: none
 * @param place where it stands among the rules of its priority; {@link Place#NONE}: where its list
 *     puts it
 * @param text the rule as its file has it, its line ends included, or empty if unknown
 * @param step part of a policy of chains that it stands for; null: it stands for itself
 */
public record Rule(
        long id,
        int priority,
        Match match,
        String action,
        int line,
        Place place,
        String text,
        @Nullable Step step) {
    /** The total order of rules that have places: the better rule first. */
    public static final Comparator<Rule> TOTAL_ORDER =
            (a, b) ->
                    a.priority != b.priority
                            ? Integer.compare(b.priority, a.priority)
                            : a.place.compareTo(b.place);

    /** A rule that stands where its list puts it, and of whose text nothing is known. */
    public Rule(long id, int priority, Match match, String action, int line) {
        this(id, priority, match, action, line, Place.NONE, "");
    }

    /** A rule that stands for itself. */
    public Rule(
            long id, int priority, Match match, String action, int line, Place place, String text) {
        this(id, priority, match, action, line, place, text, null);
    }

    /** Returns whether users see it: it stands for itself, or for a policy's answer. */
    public boolean isSeen() {
        return step == null || step.kind() == Step.Kind.ANSWER || isDepends();
    }

    /** Returns whether it is the answer to packets that depend on a rule. */
    public boolean isDepends() {
        return step != null && step.kind() == Step.Kind.DEPENDS;
    }

    /** Fate of the packets that it answers, by a policy; NONE: it answers none. */
    public VerdictOutcome outcome() {
        if (step == null || !isSeen()) {
            return VerdictOutcome.NONE;
        }
        return isDepends()
                ? VerdictOutcome.DEPENDS
                : step.permits() ? VerdictOutcome.PERMIT : VerdictOutcome.DENY;
    }

    /** The last line of the rule in its file; 0: none. */
    public int lastLine() {
        return line == 0 ? 0 : line + (int) text.chars().filter(c -> c == '\n').count();
    }

    /** The lines of the rule for a person, as in 12 or 12-14; empty if it has none. */
    public String lines() {
        return line == 0 ? "" : lastLine() == line ? "" + line : line + "-" + lastLine();
    }

    /** The rule in another place. */
    public Rule at(Place other) {
        return new Rule(id, priority, match, action, line, other, text, step);
    }

    /** The rule on another line. */
    public Rule onLine(int other) {
        return other == line
                ? this
                : new Rule(id, priority, match, action, other, place, text, step);
    }

    /** The rule under another id. */
    public Rule withId(long other) {
        return other == id
                ? this
                : new Rule(other, priority, match, action, line, place, text, step);
    }

    /** The rule with another match. */
    public Rule withMatch(Match other) {
        return new Rule(id, priority, other, action, line, place, text, step);
    }

    /** Returns whether it stands before another rule in the total order. Both need a place. */
    public boolean precedes(Rule other) {
        return TOTAL_ORDER.compare(this, other) < 0;
    }
}
