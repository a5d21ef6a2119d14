package dev.sluice.engine.rules;

import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The rules of one version in their total order: position 0 is the best. Immutable, thread-safe.
 *
 * @param name name of the rule set, usually its file
 * @param version rule-set version
 * @param defaultAction action of a packet that no rule matches
 * @param rules in total order: priority, then place
 * @param layout the header words that the rules look at
 */
public record RuleSet(
        String name, long version, String defaultAction, List<Rule> rules, HeaderLayout layout) {
    /** Action where no rule matches, if nothing else is said: a table miss drops. */
    public static final String DROP = "drop";

    private static final Comparator<Rule> BY_PRIORITY =
            Comparator.comparingInt(Rule::priority).reversed();

    /**
     * A rule set. Where no rule has a place, the rules get places in the order of the list.
     *
     * @param rules the rules; in the order in which they win, if they have no places
     * @throws IllegalArgumentException if some rules have a place and some have none, or two have
     *     the same priority and place
     */
    public static RuleSet of(String name, long version, String defaultAction, List<Rule> rules) {
        long placed = rules.stream().filter(rule -> !rule.place().isNone()).count();
        if (placed == 0) {
            return inListOrder(name, version, defaultAction, rules);
        }
        if (placed < rules.size()) {
            throw new IllegalArgumentException(
                    "%d of %d rules have a place; give all of them one or none"
                            .formatted(placed, rules.size()));
        }
        List<Rule> ordered = new ArrayList<>(rules);
        ordered.sort(Rule.TOTAL_ORDER);
        for (int i = 1; i < ordered.size(); i++) {
            Rule before = ordered.get(i - 1);
            Rule rule = ordered.get(i);
            if (Rule.TOTAL_ORDER.compare(before, rule) == 0) {
                throw new IllegalArgumentException(
                        "rules %d and %d have priority %d and place %s both; neither comes first"
                                .formatted(before.id(), rule.id(), rule.priority(), rule.place()));
            }
        }
        return inOrder(name, version, defaultAction, ordered);
    }

    /**
     * A rule set of rules whose places are given anew: of equal priorities the earlier one wins.
     */
    public static RuleSet inListOrder(
            String name, long version, String defaultAction, List<Rule> rules) {
        List<Rule> ordered = new ArrayList<>(rules);
        // Stable: rules of one priority stay in the order of the list.
        ordered.sort(BY_PRIORITY);
        int from = 0;
        for (int i = 1; i <= ordered.size(); i++) {
            if (i == ordered.size() || ordered.get(i).priority() != ordered.get(from).priority()) {
                List<Place> places = Place.spread(i - from);
                for (int p = 0; p < places.size(); p++) {
                    ordered.set(from + p, ordered.get(from + p).at(places.get(p)));
                }
                from = i;
            }
        }
        return inOrder(name, version, defaultAction, ordered);
    }

    private static RuleSet inOrder(
            String name, long version, String defaultAction, List<Rule> ordered) {
        return new RuleSet(name, version, defaultAction, List.copyOf(ordered), layout(ordered));
    }

    /**
     * The header words that rules look at.
     *
     * @throws IllegalArgumentException if they are more than {@link HeaderLayout#MOST_WORDS}
     */
    public static HeaderLayout layout(List<Rule> rules) {
        long used = 0;
        for (Rule rule : rules) {
            used |= rule.match().usedWords();
        }
        return HeaderLayout.ofRules(used);
    }

    /** Returns whether the rules are a policy of chains, or one of them is part of one. */
    public boolean isPolicy() {
        return rules.stream().anyMatch(rule -> rule.step() != null);
    }

    /**
     * The assumption that a policy was read under, as options of its publisher; empty: none, or no
     * policy.
     */
    public String assumed() {
        return rules.stream()
                .filter(rule -> rule.step() != null && rule.step().kind() == Step.Kind.JUDGES)
                .findFirst()
                .map(Rule::action)
                .orElse("");
    }

    /**
     * Fate of a packet by a policy, whose answers these rules are.
     *
     * @param position of its answer; below 0: it does not come to the policy
     */
    public VerdictOutcome outcome(int position) {
        return position < 0 ? VerdictOutcome.NOT_JUDGED : rules.get(position).outcome();
    }

    /** The rules that verdicts name: all, or the answers of a policy. */
    public RuleSet seen() {
        return isPolicy() ? only(Rule::isSeen) : this;
    }

    /** The rules that decide: all, or the user's rules of a policy that do. */
    public RuleSet deciding() {
        return isPolicy() ? only(rule -> rule.isSeen() && !rule.isDepends()) : this;
    }

    private RuleSet only(Predicate<Rule> which) {
        List<Rule> some = rules.stream().filter(which).toList();
        return new RuleSet(name, version, defaultAction, some, layout);
    }

    /** Number of rules. */
    public int size() {
        return rules.size();
    }

    /** Returns whether any rule has a port range that is no prefix. */
    public boolean hasRanges() {
        for (Rule rule : rules) {
            if (rule.match().hasRange()) {
                return true;
            }
        }
        return false;
    }

    /** Number of distinct masks: the tuples of tuple space search, ranges left out. */
    public int countMasks() {
        Set<List<Integer>> masks = new HashSet<>();
        for (Rule rule : rules) {
            List<Integer> mask = new ArrayList<>();
            for (int p = 0; p < layout.size(); p++) {
                mask.add(rule.match().mask(layout.word(p)));
            }
            masks.add(mask);
        }
        return masks.size();
    }
}
