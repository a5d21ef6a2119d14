package dev.sluice.engine.rules;

import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules of one version in their total order: position 0 is the best. Immutable, thread-safe.
 *
 * @param name name of the rule set, usually its file
 * @param version rule-set version
 * @param defaultAction action of a packet that no rule matches
 * @param rules in total order: priority, then age
 * @param layout the header words that the rules look at
 */
public record RuleSet(
        String name, long version, String defaultAction, List<Rule> rules, HeaderLayout layout) {
    /** Action where no rule matches, if nothing else is said: a table miss drops. */
    public static final String DROP = "drop";

    /**
     * A rule set.
     *
     * @param byAge the rules in the order in which they were added
     */
    public static RuleSet of(String name, long version, String defaultAction, List<Rule> byAge) {
        List<Rule> ordered = new ArrayList<>(byAge);
        // Stable: rules of one priority stay in order of age.
        ordered.sort(Comparator.comparingInt(Rule::priority).reversed());
        int used = 0;
        for (Rule rule : ordered) {
            used |= rule.match().usedWords();
        }
        return new RuleSet(
                name, version, defaultAction, List.copyOf(ordered), HeaderLayout.ofWordBits(used));
    }

    /** Number of rules. */
    public int size() {
        return rules.size();
    }

    /** Whether any rule has a port range that is no prefix. */
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
