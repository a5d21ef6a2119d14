package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which rules of a compiled base are left and which came since, as an overlay tells them: a rule of
 * the base by its position, and one that came by a slot, and by how many rules of the base stand
 * before it. Not thread-safe.
 */
public final class RulesSinceBase {
    private final List<Rule> base;

    /** By id: position in the base, or the base's size and a slot. */
    private final Map<Long, Integer> verdicts = new HashMap<>();

    /** By slot. */
    private final List<Long> ids = new ArrayList<>();

    /**
     * A rule that came.
     *
     * @param precede number of rules of the base that stand before it
     * @param sub order among those that came to the same place, not negative
     */
    public record Came(int slot, int precede, long sub) {}

    /** All rules of a base. */
    public RulesSinceBase(RuleSet base) {
        this.base = base.rules();
        for (int position = 0; position < this.base.size(); position++) {
            verdicts.put(this.base.get(position).id(), position);
        }
    }

    /** A rule comes: it is younger than all that are there. */
    public Came insert(Rule rule) {
        int slot = ids.size();
        ids.add(rule.id());
        verdicts.put(rule.id(), base.size() + slot);
        int precede = 0;
        while (precede < base.size() && base.get(precede).priority() >= rule.priority()) {
            precede++;
        }
        return new Came(slot, precede, (long) Integer.MAX_VALUE - rule.priority() << 31 | slot);
    }

    /** A rule goes: its position in the base, or the base's size and its slot. */
    public int remove(long id) {
        return verdicts.remove(id);
    }

    /** How a look-up names a rule: its position in the base, or the base's size and its slot. */
    public int verdict(long id) {
        return verdicts.get(id);
    }

    /** The id of the rule that a look-up names, or {@link RuleStory#NO_RULE}. */
    public long id(int verdict) {
        return verdict < 0
                ? RuleStory.NO_RULE
                : verdict < base.size() ? base.get(verdict).id() : ids.get(verdict - base.size());
    }

    /** As {@link #id}, of many. */
    public long[] ids(int[] named) {
        long[] all = new long[named.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = id(named[i]);
        }
        return all;
    }
}
