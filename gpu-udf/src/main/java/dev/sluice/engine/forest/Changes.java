package dev.sluice.engine.forest;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The difference between the rules of a forest and a later rule set: which entries went, which
 * came, and the new numbers of the others. Copies the forest's subtrees that have no changed entry.
 * Not thread-safe.
 */
final class Changes {
    private static final int GONE = -1;

    private final Forest before;
    private final int[] words;
    private final int boundShift;

    /** New position of each old rule, {@link #GONE} if it has none. */
    private final int[] moved;

    /** For each old rule that stays: its first entry now less its first entry before. */
    private final int[] shifts;

    /** Entries of the rules that went; lists name entry e of them by ~e. */
    final ForestEntries gone;

    /** Positions of the rules that came, ascending. */
    private final int[] came;

    private final ForestEntries now;

    /** Nodes and leaves copied so far, by old offset: index in {@link #copied} + 1. */
    private final LongIntMap copies = new LongIntMap();

    private long[] copied = new long[64];
    private int copiedCount;
    private long copiedWords;

    private Changes(
            Forest before, int[] moved, List<Rule> goneRules, int[] came, ForestEntries now) {
        this.before = before;
        this.words = before.image().words();
        this.moved = moved;
        this.came = came;
        this.now = now;
        this.gone = ForestEntries.of(goneRules, before.rules().layout());
        this.boundShift = Descriptor.boundShift(now.first.length - 1);
        this.shifts = new int[moved.length];
        for (int r = 0; r < moved.length; r++) {
            shifts[r] = moved[r] == GONE ? 0 : now.first[moved[r]] - before.entries()[r];
        }
    }

    /**
     * Compares two rule sets over one layout. A rule with the same id and match in both stays,
     * unless its order among those that stay has changed; then it counts as gone and come.
     */
    static Changes of(Forest before, RuleSet rules, ForestEntries now) {
        List<Rule> old = before.rules().rules();
        LongIntMap positions = new LongIntMap();
        for (int r = 0; r < old.size(); r++) {
            positions.put(old.get(r).id(), r + 1);
        }
        int[] moved = new int[old.size()];
        Arrays.fill(moved, GONE);
        int[] came = new int[rules.size()];
        int count = 0;
        int last = -1;
        for (int r = 0; r < rules.size(); r++) {
            Rule rule = rules.rules().get(r);
            int was = positions.get(rule.id()) - 1;
            if (was > last && old.get(was).match().equals(rule.match())) {
                moved[was] = r;
                last = was;
            } else {
                came[count++] = r;
            }
        }
        List<Rule> goneRules = new ArrayList<>();
        for (int r = 0; r < moved.length; r++) {
            if (moved[r] == GONE) {
                goneRules.add(old.get(r));
            }
        }
        return new Changes(before, moved, goneRules, Arrays.copyOf(came, count), now);
    }

    /** Rules that came and went. */
    long count() {
        return came.length + gone.first.length - 1L;
    }

    /** Rules that came and went since a forest was last built without a predecessor. */
    long sinceWhole() {
        return before.changed() + count();
    }

    /** The groups of the forest before, which the next one keeps. */
    ForestEntries.Groups groups() {
        return before.groups();
    }

    /** The tree that took the entries that left a tree before, -1: none. */
    int next(int tree) {
        return before.next()[tree];
    }

    /** Trees of the forest before. */
    int trees() {
        return before.lists().length;
    }

    /** Root of a tree before. */
    long root(int tree) {
        return Descriptor.at(words, words[ForestLayout.ROOTS_AT] + DescriptorLayout.WORDS * tree);
    }

    /** A child of a node before. */
    long child(long node, int child) {
        return Descriptor.at(words, Descriptor.offset(node) + DescriptorLayout.WORDS * child);
    }

    /** The entries that a tree was given before and that stay, by their new numbers, ascending. */
    int[] stayed(int tree) {
        int[] list = before.lists()[tree];
        int[] stayed = new int[list.length];
        int n = 0;
        int rule = 0;
        for (int e : list) {
            rule = ruleOf(e, rule);
            if (moved[rule] != GONE) {
                stayed[n++] = e + shifts[rule];
            }
        }
        return Arrays.copyOf(stayed, n);
    }

    /** The entries that a tree was given before and that went, as ~entry of {@link #gone}. */
    int[] gone(int tree) {
        int[] list = before.lists()[tree];
        int[] went = new int[Math.min(list.length, gone.count())];
        int n = 0;
        int rule = 0;
        int goneRule = -1;
        int counted = -1;
        for (int e : list) {
            int owner = ruleOf(e, rule);
            for (; counted < owner; counted++) {
                goneRule += moved[counted + 1] == GONE ? 1 : 0;
            }
            rule = owner;
            if (moved[rule] == GONE) {
                went[n++] = ~(gone.first[goneRule] + e - before.entries()[rule]);
            }
        }
        return Arrays.copyOf(went, n);
    }

    /** The rule of an old entry, which is this rule or a later one. */
    private int ruleOf(int entry, int from) {
        int rule = from;
        while (before.entries()[rule + 1] <= entry) {
            rule++;
        }
        return rule;
    }

    /** New entries that a group's tree gets, ascending. */
    int[][] added(int trees) {
        int[][] added = new int[trees][];
        int[] counts = new int[trees];
        for (int pass = 0; pass < 2; pass++) {
            Arrays.fill(counts, 0);
            for (int r : came) {
                for (int e = now.first[r]; e < now.first[r + 1]; e++) {
                    int tree = before.groups().of(now.key(e));
                    if (pass == 1) {
                        added[tree][counts[tree]] = e;
                    }
                    counts[tree]++;
                }
            }
            for (int t = 0; pass == 0 && t < trees; t++) {
                added[t] = new int[counts[t]];
            }
        }
        return added;
    }

    /** Words of tables and leaves copied so far. */
    long copiedWords() {
        return copiedWords;
    }

    /** Writes a copy of a subtree that has no changed entry, with the rules' new positions. */
    long copy(long was, WordWriter out) {
        if (was == Descriptor.EMPTY) {
            return was;
        }
        int from = Descriptor.offset(was);
        int known = copies.get(from);
        if (known > 0) {
            return copied[known - 1];
        }
        long copy = Descriptor.width(was) == 0 ? leaf(from, out) : node(was, out);
        if (copiedCount == copied.length) {
            copied = Arrays.copyOf(copied, 2 * copiedCount);
        }
        copied[copiedCount++] = copy;
        copies.put(from, copiedCount);
        return copy;
    }

    private long leaf(int from, WordWriter out) {
        int count = 1;
        while (words[from + count - 1] >= 0) {
            count++;
        }
        int at = out.reserve(count);
        copiedWords += count;
        for (int i = 0; i < count; i++) {
            int position = moved[words[from + i] & ForestLayout.LEAF_POSITION];
            if (position == GONE) {
                throw new IllegalStateException(
                        "a rule that went is in a subtree without changed entries");
            }
            out.set(at + i, position | words[from + i] & ForestLayout.LEAF_LAST);
        }
        return Descriptor.leaf(at, (out.get(at) & ForestLayout.LEAF_POSITION) >>> boundShift);
    }

    private long node(long was, WordWriter out) {
        int children = 1 << Descriptor.width(was);
        long size = (long) DescriptorLayout.WORDS * children;
        int table = out.reserve(size);
        copiedWords += size;
        int best = DescriptorLayout.NO_RULE;
        for (int c = 0; c < children; c++) {
            long child = copy(child(was, c), out);
            Descriptor.write(out, table + DescriptorLayout.WORDS * c, child);
            best = Math.min(best, Descriptor.bound(child));
        }
        return Descriptor.node(
                table,
                best,
                Descriptor.shift(was),
                Descriptor.position(was),
                Descriptor.width(was));
    }
}
