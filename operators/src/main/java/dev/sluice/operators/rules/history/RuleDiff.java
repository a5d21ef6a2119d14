package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Difference of a rule set from what a file says: as few rules as may be.
 *
 * <p>A rule of the file is one that is there if their matches are the same; one of the same action
 * and priority is preferred, of several such ones the one beside the same neighbour. It keeps its
 * id, whatever else of it has changed. Of the rules of each priority, a longest increasing
 * subsequence keeps its places (patience sorting: Fredman, "On computing the length of longest
 * increasing subsequences", Discrete Mathematics 11, 1975); the others move between them. Lines
 * that move alone travel as shifts. The rules of a policy of chains are told apart by their ids
 * alone: these hang on what a rule says. O(rules log rules).
 */
public final class RuleDiff {
    private static final int NONE = -1;

    private final List<Rule> before;
    private final List<Rule> file;

    /** Positions of the rules before, in the order of their lines; those without one are last. */
    private final int[] byLine;

    /** The index in {@link #byLine} of each position. */
    private final int[] lineRank;

    /** For each rule of the file the position of the one before that it is. */
    private final int[] was;

    /** For each position the index in the file of the rule that it has become. */
    private final int[] became;

    /** For each rule of the file the place that it gets. */
    private final Place[] places;

    private RuleDiff(RuleSet before, List<Rule> file) {
        this.before = before.rules();
        this.file = file;
        int n = this.before.size();
        byLine = linesFirst(this.before);
        lineRank = new int[n];
        for (int i = 0; i < n; i++) {
            lineRank[byLine[i]] = i;
        }
        was = new int[file.size()];
        became = new int[n];
        Arrays.fill(was, NONE);
        Arrays.fill(became, NONE);
        places = new Place[file.size()];
    }

    private static int[] linesFirst(List<Rule> rules) {
        long[] keys = new long[rules.size()];
        for (int i = 0; i < keys.length; i++) {
            int line = rules.get(i).line();
            keys[i] = (long) (line <= 0 ? Integer.MAX_VALUE : line) << 32 | i;
        }
        Arrays.sort(keys);
        int[] positions = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            positions[i] = (int) keys[i];
        }
        return positions;
    }

    /**
     * The delta from a rule set to what a file says.
     *
     * @param before the rules as they stand; all have places, as those of {@link RuleSet#of} do
     * @param fileRules the rules of the file in its order, with their lines; their places do not
     *     count, their ids only where nothing else has them
     * @return the delta; empty if the file says what is there
     */
    public static RuleDelta between(RuleSet before, List<Rule> fileRules) {
        RuleDiff diff = new RuleDiff(before, List.copyOf(fileRules));
        if (fileRules.stream().anyMatch(rule -> rule.step() != null)) {
            diff.findSame(Rule::id);
        } else {
            diff.findSame(rule -> new Identity(rule.priority(), rule.match(), rule.action()));
            diff.findSame(rule -> new Identity(0, rule.match(), rule.action()));
            diff.findSame(rule -> new Identity(rule.priority(), rule.match(), ""));
            diff.findSame(rule -> new Identity(0, rule.match(), ""));
        }
        diff.place();
        return diff.delta();
    }

    /** By what rules are told to be the same. */
    private record Identity(int priority, Match match, String action) {}

    /** Identity that rules must share to be the same. */
    private interface Sameness {
        Object of(Rule rule);
    }

    /** Rules of one identity that are not found yet: how many, and where. */
    private static final class Group {
        private final List<Integer> there = new ArrayList<>(1);
        private final List<Integer> wanted = new ArrayList<>(1);
    }

    /** Finds rules of the file among those that are there. */
    private void findSame(Sameness sameness) {
        Map<Object, Group> groups = new HashMap<>();
        for (int f = 0; f < was.length; f++) {
            if (was[f] == NONE) {
                groups.computeIfAbsent(sameness.of(file.get(f)), i -> new Group()).wanted.add(f);
            }
        }
        if (groups.isEmpty()) {
            return;
        }
        for (int position : byLine) {
            if (became[position] == NONE) {
                Group group = groups.get(sameness.of(before.get(position)));
                if (group != null) {
                    group.there.add(position);
                }
            }
        }
        List<Group> unequal = new ArrayList<>();
        for (Group group : groups.values()) {
            if (group.there.size() == group.wanted.size()) {
                same(group);
            } else if (!group.there.isEmpty()) {
                unequal.add(group);
            }
        }
        if (unequal.isEmpty()) {
            return;
        }
        for (int f = 0; f < was.length; f++) {
            besideNeighbour(sameness, f, f == 0 ? 0 : rankAfter(was[f - 1], 1));
        }
        for (int f = was.length - 1; f >= 0; f--) {
            int rank = f == was.length - 1 ? byLine.length - 1 : rankAfter(was[f + 1], -1);
            besideNeighbour(sameness, f, rank);
        }
        for (Group group : unequal) {
            group.there.removeIf(position -> became[position] != NONE);
            group.wanted.removeIf(f -> was[f] != NONE);
            same(group);
        }
    }

    private int rankAfter(int position, int step) {
        return position == NONE ? NONE : lineRank[position] + step;
    }

    private void besideNeighbour(Sameness sameness, int f, int rank) {
        if (was[f] != NONE || rank < 0 || rank >= byLine.length) {
            return;
        }
        int position = byLine[rank];
        if (became[position] == NONE
                && sameness.of(before.get(position)).equals(sameness.of(file.get(f)))) {
            was[f] = position;
            became[position] = f;
        }
    }

    /** The first of one kind is the first of the other, and so on. */
    private void same(Group group) {
        int pairs = Math.min(group.there.size(), group.wanted.size());
        for (int i = 0; i < pairs; i++) {
            was[group.wanted.get(i)] = group.there.get(i);
            became[group.there.get(i)] = group.wanted.get(i);
        }
    }

    /** Gives each rule of the file its place among those of its priority. */
    private void place() {
        Map<Integer, List<Integer>> classes = new LinkedHashMap<>();
        for (int f = 0; f < was.length; f++) {
            classes.computeIfAbsent(file.get(f).priority(), p -> new ArrayList<>()).add(f);
        }
        Map<Integer, Integer> firstOf = new HashMap<>();
        for (int position = 0; position < before.size(); position++) {
            firstOf.putIfAbsent(before.get(position).priority(), position);
        }
        for (Map.Entry<Integer, List<Integer>> one : classes.entrySet()) {
            place(one.getKey(), one.getValue(), firstOf.getOrDefault(one.getKey(), before.size()));
        }
    }

    private void place(int priority, List<Integer> rules, int first) {
        int[] positions = new int[rules.size()];
        for (int i = 0; i < positions.length; i++) {
            int position = was[rules.get(i)];
            boolean stays = position != NONE && before.get(position).priority() == priority;
            positions[i] = stays ? position : NONE;
        }
        boolean[] keeps = longestIncreasing(positions);
        Place last = null;
        int next = first; // position behind the last one that keeps its place
        int from = 0;
        for (int i = 0; i <= positions.length; i++) {
            if (i < positions.length && !keeps[i]) {
                continue;
            }
            // No place that any rule had lies in between: rules may go and come in any order.
            Place end =
                    next < before.size() && before.get(next).priority() == priority
                            ? before.get(next).place()
                            : null;
            List<Place> between = between(last, end, i - from);
            for (int k = from; k < i; k++) {
                places[rules.get(k)] = between.get(k - from);
            }
            if (i < positions.length) {
                last = before.get(positions[i]).place();
                places[rules.get(i)] = last;
                next = positions[i] + 1;
            }
            from = i + 1;
        }
    }

    private static List<Place> between(@Nullable Place after, @Nullable Place before, int n) {
        return n == 0 ? List.of() : Place.spread(after, before, n);
    }

    /** Which numbers belong to a longest increasing subsequence; {@link #NONE} is no number. */
    private static boolean[] longestIncreasing(int[] numbers) {
        int[] endOfLength = new int[numbers.length]; // index of the smallest end of each length
        int[] previous = new int[numbers.length];
        int length = 0;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] == NONE) {
                continue;
            }
            int low = 0;
            int high = length;
            if (length > 0 && numbers[endOfLength[length - 1]] < numbers[i]) {
                low = length; // what is in order already takes one step
            }
            while (low < high) {
                int middle = low + high >>> 1;
                if (numbers[endOfLength[middle]] < numbers[i]) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            previous[i] = low == 0 ? NONE : endOfLength[low - 1];
            endOfLength[low] = i;
            length = Math.max(length, low + 1);
        }
        boolean[] belongs = new boolean[numbers.length];
        for (int i = length == 0 ? NONE : endOfLength[length - 1]; i != NONE; i = previous[i]) {
            belongs[i] = true;
        }
        return belongs;
    }

    private RuleDelta delta() {
        Set<Long> ids = new HashSet<>();
        before.forEach(rule -> ids.add(rule.id()));
        List<Rule> after = new ArrayList<>(was.length);
        for (int f = 0; f < was.length; f++) {
            Rule rule = file.get(f);
            long id = was[f] == NONE ? free(rule.id(), ids) : before.get(was[f]).id();
            after.add(rule.withId(id).at(places[f]));
        }
        return VersionDiff.between(before, after).delta();
    }

    private static long free(long wanted, Set<Long> ids) {
        long id = wanted;
        while (!ids.add(id)) {
            id = RuleIds.after(id);
        }
        return id;
    }
}
