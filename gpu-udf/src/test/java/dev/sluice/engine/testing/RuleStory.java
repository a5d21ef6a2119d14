package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A test case: rules, updates of them, and headers that are asked of the rules as they are at first
 * and after every update. Immutable, but for the lists' arrays, which nobody writes.
 */
public final class RuleStory {
    /** What {@link #expected} holds where no rule matches; no rule of a story has this id. */
    public static final long NO_RULE = Long.MIN_VALUE;

    private final String name;
    private final long seed;
    private final List<Rule> rules;
    private final List<RuleDelta> updates;
    private final List<int[]> headers;
    private final Map<Integer, Long> stated;
    private long[][] expected;

    /**
     * A story.
     *
     * @param name names its file if it fails
     * @param seed what it was drawn from, 0 if it was written by hand
     * @param rules in order of age
     * @param headers each of {@link dev.sluice.schemas.header.HeaderWord#COUNT} words
     * @param stated by position of a header: the id of the rule that it must match after all
     *     updates, or {@link #NO_RULE}, as the story's author says
     */
    public RuleStory(
            String name,
            long seed,
            List<Rule> rules,
            List<RuleDelta> updates,
            List<int[]> headers,
            Map<Integer, Long> stated) {
        this.name = name;
        this.seed = seed;
        this.rules = List.copyOf(rules);
        this.headers = List.copyOf(headers);
        this.stated = Map.copyOf(stated);
        this.updates = possible(this.rules, updates);
    }

    /** A story of which nothing is stated by hand. */
    public static RuleStory of(
            String name,
            long seed,
            List<Rule> rules,
            List<RuleDelta> updates,
            List<int[]> headers) {
        return new RuleStory(name, seed, rules, updates, headers, Map.of());
    }

    /** A story without updates: a rule set, and headers drawn for it. */
    public static RuleStory of(
            String name, long seed, RuleSet rules, RandomRules random, int headers) {
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            asked.add(random.header(rules));
        }
        return of(name, seed, rules.rules(), List.of(), asked);
    }

    /** A story without updates: a rule set, and the headers of a batch. */
    public static RuleStory of(String name, long seed, RuleSet rules, HeaderBatch batch) {
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            int[] header = new int[HeaderWord.COUNT];
            for (int p = 0; p < batch.layout().size(); p++) {
                header[batch.layout().word(p)] = batch.word(p, i);
            }
            asked.add(header);
        }
        return of(name, seed, rules.rules(), List.of(), asked);
    }

    /**
     * The story of versions of rules, whose places say which comes first; priorities and places are
     * turned into priorities. A rule that was moved or changed goes and comes again.
     */
    public static RuleStory ofVersions(
            String name, long seed, List<RuleSet> versions, List<int[]> headers) {
        TreeMap<Rule, Integer> ranks = new TreeMap<>(Rule.TOTAL_ORDER);
        versions.forEach(version -> version.rules().forEach(rule -> ranks.put(rule, 0)));
        int rank = ranks.size();
        for (Map.Entry<Rule, Integer> one : ranks.entrySet()) {
            one.setValue(rank--);
        }
        Map<Long, Rule> there = new LinkedHashMap<>();
        List<RuleDelta> updates = new ArrayList<>();
        for (RuleSet version : versions) {
            Map<Long, Rule> now = new LinkedHashMap<>();
            for (Rule rule : version.rules()) {
                now.put(
                        rule.id(),
                        new Rule(rule.id(), ranks.get(rule), rule.match(), rule.action(), 0));
            }
            updates.add(
                    new RuleDelta(
                            List.copyOf(without(there, now).keySet()),
                            List.copyOf(without(now, there).values())));
            there = now;
        }
        return of(
                name, seed, updates.get(0).inserts(), updates.subList(1, updates.size()), headers);
    }

    /** Rules that others have not, or have otherwise. */
    private static Map<Long, Rule> without(Map<Long, Rule> rules, Map<Long, Rule> others) {
        Map<Long, Rule> rest = new LinkedHashMap<>(rules);
        rest.entrySet().removeAll(others.entrySet());
        return rest;
    }

    /**
     * A random story.
     *
     * @param rules number of rules at first
     * @param updates number of deltas, most of one change, some of up to 40
     * @param headers number of headers, drawn for all rules that are ever there
     */
    public static RuleStory random(
            long seed, RandomRules.Shape shape, int rules, int updates, int headers) {
        ChangingRules changing = new ChangingRules(seed, shape, rules);
        for (int u = 0; u < updates; u++) {
            changing.change();
        }
        return changing.story(
                shape.label() + "-" + rules + (updates == 0 ? "" : "-" + updates + "-updates"),
                headers);
    }

    /** The deltas without removals of rules that are not there and insertions of those that are. */
    private static List<RuleDelta> possible(List<Rule> rules, List<RuleDelta> updates) {
        Set<Long> there = new HashSet<>();
        rules.forEach(rule -> there.add(rule.id()));
        List<RuleDelta> possible = new ArrayList<>();
        for (RuleDelta delta : updates) {
            List<Long> removes = delta.removes().stream().filter(there::remove).toList();
            List<Rule> inserts = delta.inserts().stream().filter(r -> there.add(r.id())).toList();
            possible.add(new RuleDelta(removes, inserts));
        }
        return List.copyOf(possible);
    }

    /** This story, after which all rules go, and then one of them comes back. */
    public RuleStory cleared() {
        RuleHistory history = new RuleHistory(rules);
        updates.forEach(history::apply);
        List<Rule> last = List.copyOf(history.byAge());
        List<RuleDelta> all = new ArrayList<>(updates);
        all.add(new RuleDelta(last.stream().map(Rule::id).toList(), List.of()));
        all.add(new RuleDelta(List.of(), last.subList(0, Math.min(1, last.size()))));
        return new RuleStory(name + "-cleared", seed, rules, all, headers, Map.of());
    }

    /** This story under another name. */
    public RuleStory named(String other) {
        return new RuleStory(other, seed, rules, updates, headers, stated);
    }

    /** This story with other rules, updates and headers; nothing of them is stated. */
    RuleStory with(List<Rule> newRules, List<RuleDelta> newUpdates, List<int[]> newHeaders) {
        return of(name, seed, newRules, newUpdates, newHeaders);
    }

    public String name() {
        return name;
    }

    public long seed() {
        return seed;
    }

    /** Rules at first, in order of age. */
    public List<Rule> rules() {
        return rules;
    }

    public List<RuleDelta> updates() {
        return updates;
    }

    public List<int[]> headers() {
        return headers;
    }

    /** What the author of the story says, by position of a header; empty for random stories. */
    public Map<Integer, Long> stated() {
        return stated;
    }

    /** The rules at first. */
    public RuleSet ruleSet() {
        return RuleSet.inListOrder(name, 1, RuleSet.DROP, rules);
    }

    /** Header words that any rule of the story looks at, those of later rules too. */
    public HeaderLayout layout() {
        long used = ruleSet().layout().wordBits();
        for (RuleDelta delta : updates) {
            for (Rule rule : delta.inserts()) {
                used |= rule.match().usedWords();
            }
        }
        return HeaderLayout.ofWordBits(used);
    }

    /**
     * The oracle's answers: after so many updates, for each header, the id of its rule or {@link
     * #NO_RULE}. Worked out once.
     */
    public synchronized long[][] expected() {
        if (expected == null) {
            expected = expected(Subject.BEST_RULE);
        }
        return expected;
    }

    /** As {@link #expected()}, where another answer is right. */
    long[][] expected(Subject.Answer right) {
        RuleHistory history = new RuleHistory(rules);
        long[][] all = new long[updates.size() + 1][];
        for (int step = 0; step < all.length; step++) {
            if (step > 0) {
                history.apply(updates.get(step - 1));
            }
            all[step] = answers(history.ruleSet(), right);
        }
        return all;
    }

    private long[] answers(RuleSet version, Subject.Answer right) {
        int[] positions = new int[headers.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = right.position(version, headers.get(i));
        }
        return Subject.ids(version, positions);
    }

    /**
     * Compares what the story's author says with the oracle.
     *
     * @throws AssertionError naming the first header where they differ
     */
    public void assertStated() {
        long[] last = expected()[updates.size()];
        for (Map.Entry<Integer, Long> one : new HashMap<>(stated).entrySet()) {
            if (last[one.getKey()] != one.getValue()) {
                throw new AssertionError(
                        "%s: header %d matches %s, the story says %s"
                                .formatted(
                                        name,
                                        one.getKey(),
                                        ruleName(last[one.getKey()]),
                                        ruleName(one.getValue())));
            }
        }
    }

    /** How messages and files name a rule. */
    static String ruleName(long id) {
        return id == NO_RULE ? "none" : "rule " + id;
    }

    /** Its size in words. */
    @Override
    public String toString() {
        return "%s (seed %d): %d rules, %d updates, %d headers"
                .formatted(name, seed, rules.size(), updates.size(), headers.size());
    }
}
