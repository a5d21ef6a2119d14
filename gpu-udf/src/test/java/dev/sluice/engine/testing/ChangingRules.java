package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Rules with matches from a source of their own that come and go. Not thread-safe. */
public final class ChangingRules {
    private final Random random;
    private final Supplier<Match> matches;
    private final List<Long> ids = new ArrayList<>();
    private long nextId = 1;

    /** Rules with matches from a source. */
    public ChangingRules(Random random, Supplier<Match> matches) {
        this.random = random;
        this.matches = matches;
    }

    /** New rules. */
    public List<Rule> rules(int count) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Match match = matches.get();
            ids.add(nextId);
            rules.add(new Rule(nextId, random.nextInt(50), match, "a", (int) nextId++));
        }
        return rules;
    }

    /** Some of those that are there go, new ones come. */
    public RuleDelta delta(int removes, int inserts) {
        List<Long> removed = new ArrayList<>();
        for (int i = 0; i < removes && !ids.isEmpty(); i++) {
            removed.add(ids.remove(random.nextInt(ids.size())));
        }
        return new RuleDelta(removed, rules(inserts));
    }
}
