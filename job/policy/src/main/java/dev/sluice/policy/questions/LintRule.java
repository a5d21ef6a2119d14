package dev.sluice.policy.questions;

import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Findings of lint about a line of the user's.
 *
 * @param line where the rule stands
 * @param end whether it is the one that decides about packets that no other rule decides about
 * @param reach whether some packet reaches it
 * @param witness a packet that it wins, in words; empty: none is known
 * @param doubtful whether something that no header tells may keep packets from it
 * @param covering the lines that leave it no packet; none can be left out where {@code minimal}
 * @param need whether its removal changes an outcome
 * @param behind of a redundant rule the lines that decide alike without it
 * @param conflict a line before it of another outcome, where each of the two has packets that the
 *     other has not; null: none
 * @param emptyChain the empty chain that it jumps to; empty: none
 * @param traps further kinds of findings that its words alone tell
 * @param denies whether it denies packets
 * @param use what packets of a window hit it; null: nobody counted them
 * @param wider the fields of which it takes more than these packets had, in words; empty: none
 */
public record LintRule(
        Line line,
        boolean end,
        Reach reach,
        String witness,
        boolean doubtful,
        List<Line> covering,
        boolean minimal,
        Need need,
        List<Line> behind,
        @Nullable Line conflict,
        String emptyChain,
        Set<Kind> traps,
        boolean denies,
        @Nullable RuleUse use,
        String wider) {
    /**
     * Line of a rule file.
     *
     * @param number 1-based; 0: the default action of a list, which has no line
     */
    public record Line(String file, int number, String chain, String action, String text)
            implements Comparable<Line> {
        /** The word for the default action of a list. */
        public static final String DEFAULT = "default";

        /** The line of a rule. */
        public static Line of(PolicyRule rule) {
            Origin of = rule.origin();
            return new Line(of.file(), of.line(), of.chain(), rule.action(), of.text());
        }

        @Override
        public int compareTo(Line other) {
            int by = file.compareTo(other.file);
            by = by != 0 ? by : Integer.compare(order(), other.order());
            by = by != 0 ? by : chain.compareTo(other.chain);
            by = by != 0 ? by : text.compareTo(other.text);
            return by != 0 ? by : action.compareTo(other.action);
        }

        private int order() {
            return number == 0 ? Integer.MAX_VALUE : number;
        }

        /** The line's number; null: the default action of a list, which has no line. */
        public @Nullable Integer known() {
            return number == 0 ? null : Integer.valueOf(number);
        }

        /** The line's number, or {@code default}. */
        public String label() {
            return number == 0 ? DEFAULT : Integer.toString(number);
        }
    }

    /** Kinds of findings, the graver ones first. */
    public enum Kind {
        DEAD("dead"),
        UNDECIDED("undecided"),
        REDUNDANT("redundant"),
        CONFLICT("conflict"),
        EMPTY_JUMP("empty-jump"),
        UNUSED_CHAIN("unused-chain"),
        UNUSED_OBJECT("unused-object"),
        SHADOWED_DEFAULT("shadowed-default"),
        ANY_ANY("any-any"),
        WILDCARD_MASK("wildcard-mask"),
        IPV6_OPEN("ipv6-open"),
        NEVER_HIT("never-hit"),
        WIDER("wider"),
        DENY_HIT("deny-hit");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The word that users read. */
        public String label() {
            return label;
        }

        /** Returns whether hits tell of it. */
        public boolean isOfHits() {
            return this == NEVER_HIT || this == WIDER || this == DENY_HIT;
        }

        /** The kind of a label; null: none. */
        public static @Nullable Kind labelled(String label) {
            for (Kind kind : values()) {
                if (kind.label.equals(label)) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** The kinds of its findings; none: it is live, and nothing is to be said about it. */
    public SortedSet<Kind> kinds() {
        SortedSet<Kind> kinds = new TreeSet<>(traps);
        if (reach == Reach.DEAD) {
            kinds.add(end ? Kind.SHADOWED_DEFAULT : Kind.DEAD);
            kinds.remove(Kind.ANY_ANY); // it decides about no packet
        }
        if (reach == Reach.UNDECIDED || need == Need.UNDECIDED) {
            kinds.add(Kind.UNDECIDED);
        }
        if (need == Need.REDUNDANT) {
            kinds.add(Kind.REDUNDANT);
        }
        if (conflict != null) {
            kinds.add(Kind.CONFLICT);
        }
        if (!emptyChain.isEmpty()) {
            kinds.add(Kind.EMPTY_JUMP);
        }
        if (use != null && use.packets() == 0 && reach == Reach.LIVE && !end) {
            kinds.add(Kind.NEVER_HIT);
        }
        if (use != null && use.packets() > 0 && denies) {
            kinds.add(Kind.DENY_HIT);
        }
        if (!wider.isEmpty() && !denies) {
            kinds.add(Kind.WIDER);
        }
        return kinds;
    }
}
