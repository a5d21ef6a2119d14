package dev.sluice.engine.family;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A rule set in parts by the IP version that rules name. Immutable, thread-safe.
 *
 * @param parts those that have rules; no two of the same value
 */
public record FamilySplit(List<Part> parts) {
    private static final int VALUES = FamiliesLayout.VALUES;

    /** A set is cut only if all its parts have at most so many times its rules. */
    private static final int MOST_COPIES = 2;

    /**
     * The rules that headers of some IP versions may match.
     *
     * @param values bit v set: headers of IP version v belong here
     * @param rules the rules, which no longer name the IP version
     * @param positions of the rules in the whole set
     */
    record Part(int values, RuleSet rules, int[] positions) {}

    /** Cuts a rule set. */
    static FamilySplit of(RuleSet rules) {
        List<int[]> lists = new ArrayList<>();
        List<Integer> values = new ArrayList<>();
        for (int v = 0; v < VALUES; v++) {
            int[] positions = positions(rules, v);
            int same = 0;
            while (same < lists.size() && !Arrays.equals(lists.get(same), positions)) {
                same++;
            }
            if (same < lists.size()) {
                values.set(same, values.get(same) | 1 << v);
            } else if (positions.length > 0) {
                lists.add(positions);
                values.add(1 << v);
            }
        }
        List<Part> parts = new ArrayList<>();
        for (int p = 0; p < lists.size(); p++) {
            List<Rule> some = new ArrayList<>(lists.get(p).length);
            for (int position : lists.get(p)) {
                Rule rule = rules.rules().get(position);
                some.add(rule.withMatch(rule.match().without(Field.IP_VERSION)));
            }
            RuleSet part = RuleSet.of(rules.name(), rules.version(), rules.defaultAction(), some);
            parts.add(new Part(values.get(p), part, lists.get(p)));
        }
        return new FamilySplit(List.copyOf(parts));
    }

    private static int[] positions(RuleSet rules, int value) {
        int[] positions = new int[rules.size()];
        int n = 0;
        for (int r = 0; r < positions.length; r++) {
            if (allows(rules.rules().get(r).match(), value)) {
                positions[n++] = r;
            }
        }
        return Arrays.copyOf(positions, n);
    }

    private static boolean allows(Match match, int version) {
        int word = Field.IP_VERSION.place(version);
        int named = match.mask(HeaderWord.IP) & Field.IP_VERSION.maskInWord();
        return ((match.value(HeaderWord.IP) ^ word) & named) == 0;
    }

    /**
     * Returns whether rules had better be cut: every part looks at fewer header words than all
     * rules together, and few rules stand in several parts.
     */
    static boolean narrows(RuleSet rules) {
        long[] words = new long[VALUES];
        int[] sizes = new int[VALUES];
        for (Rule rule : rules.rules()) {
            for (int v = 0; v < VALUES; v++) {
                if (allows(rule.match(), v)) {
                    words[v] |= rule.match().usedWords();
                    sizes[v]++;
                }
            }
        }
        for (int v = 0; v < VALUES; v++) {
            if (words[v] == rules.layout().wordBits()) {
                return false;
            }
        }
        long copies = 0L + sizes[Field.VERSION_4] + sizes[Field.VERSION_6];
        copies += Math.max(sizes[Field.VERSION_NONE], sizes[VALUES - 1]);
        return copies <= (long) MOST_COPIES * rules.size();
    }
}
