package dev.sluice.engine.forest;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What trees are built from: entries of a value and a mask each. A rule is one entry; one with port
 * ranges is as many as the ranges have prefixes, in total order. If these were too many, an entry
 * leaves one or both ranges out: it then stands for more headers than the rule matches, which is
 * right, because leaves compare the whole rule.
 */
final class ForestEntries {
    /** Entries that a rule may be cut into. */
    private static final int MOST_PIECES = 64;

    /** A group of less than one in so many entries gets no tree of its own. */
    private static final int SMALL_GROUP = 20;

    /** Value and mask of entry e at layout position p: {@code [p][e]}. */
    final int[][] values;

    final int[][] masks;

    /** Position of the entry's rule. */
    final int[] positions;

    /** First entry of each rule, and behind the last one the number of entries. */
    final int[] first;

    /** Whether the rule matches every header that the entry stands for. */
    final boolean[] exact;

    /** Layout positions of words that belong to addresses. */
    private final boolean[] longWord;

    private ForestEntries(HeaderLayout layout, int rules, int count) {
        int words = layout.size();
        longWord = new boolean[words];
        for (int p = 0; p < words; p++) {
            int w = layout.word(p);
            longWord[p] =
                    w == HeaderWord.IPV4_SRC
                            || w == HeaderWord.IPV4_DST
                            || w == HeaderWord.IPV6_SRC + 1
                            || w == HeaderWord.IPV6_DST + 1
                            || w == HeaderWord.MAC_HIGH
                            || w == HeaderWord.MAC_LOW;
        }
        values = new int[words][count];
        masks = new int[words][count];
        positions = new int[count];
        first = new int[rules + 1];
        exact = new boolean[count];
    }

    int count() {
        return positions.length;
    }

    static ForestEntries of(RuleSet rules) {
        return of(rules.rules(), rules.layout());
    }

    /** Entries of rules over a layout that has all words that they look at. */
    static ForestEntries of(List<Rule> rules, HeaderLayout layout) {
        int ports = layout.position(HeaderWord.PORTS);
        List<List<int[]>> pieces = new ArrayList<>(rules.size());
        int count = 0;
        for (Rule rule : rules) {
            List<int[]> parts = pieces(rule.match());
            pieces.add(parts);
            count += parts.size();
        }
        ForestEntries entries = new ForestEntries(layout, rules.size(), count);
        int e = 0;
        for (int r = 0; r < rules.size(); r++) {
            Match match = rules.get(r).match();
            entries.first[r] = e;
            for (int[] piece : pieces.get(r)) {
                for (int p = 0; p < layout.size(); p++) {
                    entries.values[p][e] = match.value(layout.word(p));
                    entries.masks[p][e] = match.mask(layout.word(p));
                }
                if (ports >= 0) {
                    entries.values[ports][e] |= piece[0];
                    entries.masks[ports][e] |= piece[1];
                }
                entries.positions[e] = r;
                entries.exact[e] = piece[2] == 1;
                e++;
            }
        }
        entries.first[rules.size()] = count;
        return entries;
    }

    /** {value, mask, exact} of the ports word for each piece. */
    private static List<int[]> pieces(Match match) {
        List<int[]> src = Match.portPrefixes(match.srcPorts());
        List<int[]> dst = Match.portPrefixes(match.dstPorts());
        int exact = 1;
        if (src.size() * dst.size() > MOST_PIECES) {
            // The range with fewer prefixes is left out: it is usually wide, and excludes little.
            if (src.size() < dst.size()) {
                src = List.of(new int[2]);
            } else {
                dst = List.of(new int[2]);
            }
            exact = 0;
        }
        List<int[]> pieces = new ArrayList<>(src.size() * dst.size());
        for (int[] s : src) {
            for (int[] d : dst) {
                pieces.add(
                        new int[] {
                            Field.SRC_PORT.place(s[0]) | Field.DST_PORT.place(d[0]),
                            Field.SRC_PORT.place(s[1]) | Field.DST_PORT.place(d[1]),
                            exact
                        });
            }
        }
        return pieces;
    }

    /**
     * Whether the entry's rule matches every header of a node.
     *
     * @param knownMasks bits that are the same in all headers of the node, and in the entry
     */
    boolean covers(int e, int[] knownMasks) {
        if (!exact[e]) {
            return false;
        }
        for (int p = 0; p < masks.length; p++) {
            // The entry has the node's values of the known bits: only its mask is to be compared.
            if ((masks[p][e] & ~knownMasks[p]) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Entries in groups.
     *
     * @param lists the entries of each group, ascending
     * @param groupOfKey the group of each {@link #key} that has one of its own
     */
    record Groups(List<int[]> lists, Map<Integer, Integer> groupOfKey) {
        /** The group of the entries of a {@link #key}: the last one if it has none of its own. */
        int of(int key) {
            return groupOfKey.getOrDefault(key, lists.size() - 1);
        }
    }

    /** Which words of addresses an entry names at least half of, a bit each. */
    int key(int e) {
        int key = 0;
        for (int p = 0; p < longWord.length; p++) {
            if (longWord[p] && Integer.bitCount(masks[p][e]) >= 16) {
                key |= 1 << p;
            }
        }
        return key;
    }

    /**
     * The entries in groups by which addresses they name, so that nodes which divide by an address
     * need not copy entries that do not name it. Small groups form one group, the last.
     */
    Groups groups() {
        Map<Integer, List<Integer>> byKey = new TreeMap<>(Comparator.reverseOrder());
        for (int e = 0; e < count(); e++) {
            byKey.computeIfAbsent(key(e), k -> new ArrayList<>()).add(e);
        }
        List<int[]> groups = new ArrayList<>();
        Map<Integer, Integer> groupOfKey = new HashMap<>();
        List<Integer> rest = new ArrayList<>();
        byKey.forEach(
                (key, group) -> {
                    if (group.size() * SMALL_GROUP < count()) {
                        rest.addAll(group);
                    } else {
                        groupOfKey.put(key, groups.size());
                        groups.add(group.stream().mapToInt(Integer::intValue).toArray());
                    }
                });
        if (!rest.isEmpty()) {
            groups.add(rest.stream().mapToInt(Integer::intValue).sorted().toArray());
        }
        return new Groups(groups, groupOfKey);
    }

    /** All entries, in one group. */
    Groups all() {
        int[] all = new int[count()];
        Arrays.setAll(all, e -> e);
        return new Groups(List.of(all), Map.of());
    }
}
