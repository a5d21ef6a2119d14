package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules.Shape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Rules of a shape that come and go: draws the rules and updates of every random {@link RuleStory}.
 * The same seed and the same calls give the same story. Not thread-safe.
 */
public final class ChangingRules {
    /** Headers of a story that are drawn while it goes on. */
    private static final int MOST_ASKED = 1000;

    private final long seed;
    private final Shape shape;
    private final RandomRules random;
    private final List<Rule> first;
    private final RuleHistory history;
    private final List<Rule> ever;
    private final List<RuleDelta> updates = new ArrayList<>();
    private final Deque<int[]> asked = new ArrayDeque<>();
    private RuleSet everSet;
    private long nextId = 1;

    /**
     * Draws the rules that are there at first.
     *
     * @param rules their number
     */
    public ChangingRules(long seed, Shape shape, int rules) {
        this.seed = seed;
        this.shape = shape;
        this.random = new RandomRules(seed);
        this.first = random.ruleSet(shape, rules).rules();
        this.history = new RuleHistory(first);
        this.ever = new ArrayList<>(first);
    }

    /** A number from 0 up to a bound, which it does not reach. */
    public int below(int bound) {
        return random.below(bound);
    }

    /** An update: mostly one change, at times up to 40. */
    public ChangingRules change() {
        return change(shape);
    }

    /** As {@link #change()}, with rules of another shape. */
    public ChangingRules change(Shape other) {
        return take(random.delta(other, history.byAge(), nextId));
    }

    /** An update of at most so many changes. */
    public ChangingRules changes(int count) {
        return take(random.changes(shape, history.byAge(), nextId, count));
    }

    /** An update: so many rules go, if there are as many, and so many come. */
    public ChangingRules replace(int removes, int inserts) {
        return take(random.replacing(shape, history.byAge(), nextId, removes, inserts));
    }

    private ChangingRules take(RuleDelta delta) {
        nextId += delta.inserts().size();
        history.apply(delta);
        ever.addAll(delta.inserts());
        everSet = null;
        updates.add(delta);
        return this;
    }

    /** The rules as they are after the updates drawn so far. */
    public RuleSet ruleSet() {
        return history.ruleSet();
    }

    /** The last update. */
    public RuleDelta last() {
        return updates.get(updates.size() - 1);
    }

    /**
     * The story so far.
     *
     * @param headers number of headers, drawn for all rules that were ever there
     */
    public RuleStory story(String name, int headers) {
        List<int[]> all = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            all.add(random.header(everSet()));
        }
        return RuleStory.of(name, seed, first, updates, all);
    }

    /** A header, drawn for the rules that were there so far; the last ones stand in the story. */
    public int[] header() {
        int[] header = random.header(everSet());
        asked.add(header);
        if (asked.size() > MOST_ASKED) {
            asked.remove();
        }
        return header;
    }

    /** The story so far, with the last headers that were drawn one by one. */
    public RuleStory story(String name) {
        return RuleStory.of(name, seed, first, updates, List.copyOf(asked));
    }

    private RuleSet everSet() {
        if (everSet == null) {
            everSet = RuleSet.inListOrder("ever", 1, RuleSet.DROP, ever);
        }
        return everSet;
    }
}
