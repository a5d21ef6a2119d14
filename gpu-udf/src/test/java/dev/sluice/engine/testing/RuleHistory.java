package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which rules are there after each delta, told the simple way: a list in order of age. Not
 * thread-safe.
 */
public final class RuleHistory {
    private final List<Rule> byAge;
    private long version = 1;

    /** A history that begins with rules in the order in which they were added. */
    public RuleHistory(Collection<Rule> byAge) {
        this.byAge = new ArrayList<>(byAge);
    }

    /** The rules in order of age; the list changes with the next delta. */
    public List<Rule> byAge() {
        return byAge;
    }

    /** Number of rules. */
    public int size() {
        return byAge.size();
    }

    /** The rules of now as a rule set of their own version. */
    public RuleSet ruleSet() {
        return RuleSet.inListOrder("history", version, RuleSet.DROP, byAge);
    }

    /** First the removals, then the insertions. */
    public void apply(RuleDelta delta) {
        version++;
        if (!delta.removes().isEmpty()) {
            Set<Long> gone = new HashSet<>(delta.removes());
            byAge.removeIf(rule -> gone.contains(rule.id()));
        }
        byAge.addAll(delta.inserts());
    }
}
