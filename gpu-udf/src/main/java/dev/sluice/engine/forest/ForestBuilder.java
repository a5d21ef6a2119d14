package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds one forest, of one quota of copies. Not thread-safe. */
final class ForestBuilder {
    private static final int MAX_TREES = 24;
    private static final int MAX_DEPTH = 64;
    private static final int[] NONE = {};

    /** Steps of choosing windows after which only one window a word is tried: limits the time. */
    private static final long MOST_WORK = 250_000_000L;

    private final RuleSet rules;
    private final ForestEntries entries;
    private final ForestSettings settings;
    private final WordWriter out;
    private final WindowChoice window;
    private final Cutting cutting;
    private final int boundShift;
    private final long copiesATree;
    private long work;

    ForestBuilder(RuleSet rules, ForestEntries entries, ForestSettings settings, long budgetBytes) {
        this.rules = rules;
        this.entries = entries;
        this.settings = settings;
        this.out = new WordWriter(ForestAlgorithm.LABEL, budgetBytes);
        this.window = new WindowChoice(entries);
        this.boundShift = Descriptor.boundShift(rules.size());
        this.cutting = new Cutting(entries);
        // A copy takes a word of a leaf and its share of tables, rarely more than eight words in
        // all; half of the room is kept back.
        long room = budgetBytes / 4 - (long) rules.size() * RuleTable.stride(rules, 0);
        long wanted = (long) settings.copiesARule() * rules.size() + settings.copiesAtLeast();
        this.copiesATree = Math.min(Math.max(0, room / 16), wanted);
    }

    /** Builds all trees. */
    Forest build() {
        ForestEntries.Groups groups = settings.grouped() ? entries.groups() : entries.all();
        return build(groups, new ArrayList<>(groups.lists()), null, 0);
    }

    /**
     * Builds the forest of a changed rule set from the one before: subtrees without a changed rule
     * are copied, nodes above the others keep their windows, and where much has changed subtrees
     * are built anew.
     */
    Forest rebuild(Changes changes) {
        List<int[]> lists = new ArrayList<>();
        for (int t = 0; t < changes.trees(); t++) {
            lists.add(changes.stayed(t));
        }
        return build(changes.groups(), lists, changes, changes.sinceWhole());
    }

    private Forest build(
            ForestEntries.Groups groups,
            List<int[]> lists,
            @Nullable Changes changes,
            long changed) {
        int table = RuleTable.write(out, rules, 0);
        int roots = out.reserve((long) DescriptorLayout.WORDS * MAX_TREES);
        out.set(ForestLayout.TABLE_AT, table);
        out.set(ForestLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(ForestLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        out.set(ForestLayout.ROOTS_AT, roots);
        out.set(ForestLayout.BOUND_SHIFT_AT, boundShift);
        int[] next = new int[MAX_TREES];
        Arrays.fill(next, -1);
        int old = changes == null ? 0 : changes.trees();
        int[][] added = changes == null ? new int[0][] : changes.added(old);
        for (int t = 0; t < lists.size(); t++) {
            if (changes != null && t < old) {
                next[t] = changes.next(t);
                lists.set(t, merge(lists.get(t), added[t]));
            }
            int[] list = lists.get(t);
            boolean lastTree = next[t] < 0 && lists.size() >= MAX_TREES;
            cutting.startTree(!lastTree);
            float[] shares = new float[list.length];
            Arrays.fill(shares, settings.quota());
            int[] known = new int[rules.layout().size()];
            Copies copies = new Copies(copiesATree);
            long root =
                    changes == null || t >= old
                            ? node(list, shares, known, 0, copies)
                            : new Regrowth(changes)
                                    .node(
                                            changes.root(t),
                                            merge(changes.gone(t), added[t]),
                                            list,
                                            shares,
                                            known,
                                            0,
                                            copies);
            Descriptor.write(out, roots + DescriptorLayout.WORDS * t, root);
            int[] spill = cutting.spilledOf(list);
            if (spill.length == 0) {
                continue;
            }
            if (next[t] < 0) {
                next[t] = lists.size();
                lists.add(spill);
            } else {
                added[next[t]] = merge(added[next[t]], without(spill, lists.get(next[t])));
            }
        }
        out.set(ForestLayout.TREES_AT, lists.size());
        Image image = Image.seal(out.toArray(), ForestAlgorithm.CODE, rules.layout(), rules.size());
        return new Forest(
                image,
                rules,
                settings,
                entries.first,
                groups,
                lists.toArray(int[][]::new),
                Arrays.copyOf(next, lists.size()),
                changed);
    }

    /** Two ascending lists without common elements, in one. */
    private static int[] merge(int[] a, int[] b) {
        int[] merged = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, merged, a.length, b.length);
        Arrays.sort(merged);
        return merged;
    }

    /** The elements of an ascending list that another one lacks. */
    private static int[] without(int[] list, int[] other) {
        return Arrays.stream(list).filter(e -> Arrays.binarySearch(other, e) < 0).toArray();
    }

    /** Builds one tree again after changes. */
    private final class Regrowth {
        /** A subtree is built anew if more than one in so many of its entries changed. */
        private static final int MUCH = 8;

        private final Changes changes;

        Regrowth(Changes changes) {
            this.changes = changes;
        }

        /**
         * Builds the subtree of a list again.
         *
         * @param was the subtree before
         * @param reached changed entries that belong to the subtree: new ones, and ~entry of those
         *     that went
         */
        long node(
                long was,
                int[] reached,
                int[] list,
                float[] shares,
                int[] known,
                int depth,
                Copies copies) {
            if (reached.length == 0) {
                return changes.copy(was, out); // the budget of copies is for new nodes only
            }
            int width = Descriptor.width(was);
            int n = cutBehindCover(list, list.length, known);
            if (width == 0
                    || (long) reached.length * MUCH > n
                    || copies.left <= 0
                    || cutting.exhausted()) {
                return ForestBuilder.this.node(list, shares, known, depth, copies);
            }
            int p = Descriptor.position(was);
            int shift = Descriptor.shift(was);
            Cutting.Cut cut = cutting.cut(list, shares, n, p, shift, width, copies.left);
            if (cut == null) {
                return ForestBuilder.this.node(list, shares, known, depth, copies);
            }
            int[][] reachedOf = divide(reached, p, shift, width);
            return children(
                    cut,
                    known,
                    copies,
                    (c, below, share) ->
                            node(
                                    changes.child(was, c),
                                    reachedOf[c],
                                    cut.lists()[c],
                                    cut.shares()[c],
                                    below,
                                    depth + 1,
                                    share));
        }

        private int[][] divide(int[] reached, int p, int shift, int width) {
            int mask = (1 << width) - 1;
            int[] counts = new int[mask + 1];
            for (int e : reached) {
                Cutting.forEachChild(of(e), e ^ e >> 31, p, shift, mask, c -> counts[c]++);
            }
            int[][] divided = new int[mask + 1][];
            for (int c = 0; c <= mask; c++) {
                divided[c] = counts[c] == 0 ? NONE : new int[counts[c]];
            }
            Arrays.fill(counts, 0);
            for (int e : reached) {
                Cutting.forEachChild(
                        of(e), e ^ e >> 31, p, shift, mask, c -> divided[c][counts[c]++] = e);
            }
            return divided;
        }

        private ForestEntries of(int e) {
            return e < 0 ? changes.gone : entries;
        }
    }

    /** Copies that a subtree may still make; those that it does not need its siblings may make. */
    private static final class Copies {
        long left;

        Copies(long left) {
            this.left = left;
        }
    }

    /** Builds the subtree of a list and returns its descriptor. */
    private long node(int[] list, float[] shares, int[] known, int depth, Copies copies) {
        int n = cutBehindCover(list, list.length, known);
        if (n <= settings.leaf() || depth == MAX_DEPTH || copies.left <= 0 || cutting.exhausted()) {
            return leaf(list, n);
        }
        work +=
                window.choose(
                        list, n, known, settings.leaf(), settings.copyCost(), work > MOST_WORK);
        int p = window.position;
        int shift = window.shift;
        for (int width = window.width; width > 0; width--) {
            Cutting.Cut cut = cutting.cut(list, shares, n, p, shift, width, copies.left);
            if (cut != null) {
                return children(
                        cut,
                        known,
                        copies,
                        (c, below, share) ->
                                node(cut.lists()[c], cut.shares()[c], below, depth + 1, share));
            }
        }
        return leaf(list, n);
    }

    /** Builds one child of a cut. */
    private interface ChildBuilder {
        long build(int child, int[] known, Copies copies);
    }

    private long children(Cutting.Cut cut, int[] known, Copies copies, ChildBuilder each) {
        int children = cut.lists().length;
        int table;
        try {
            table = out.reserve((long) DescriptorLayout.WORDS * children);
        } catch (MemoryBudgetException e) {
            copies.left = 0; // no room for a table, so the node and all later ones become leaves
            int[] all = union(cut.lists());
            return leaf(all, all.length);
        }
        copies.left -= cut.copies();
        int[] below = known.clone();
        below[cut.position()] |= children - 1 << cut.shift();
        Map<Cutting.ChildList, Long> built = new HashMap<>();
        double weights = 0;
        for (int c = 0; c < children; c++) {
            weights += weight(cut.lists()[c].length);
        }
        int best = Integer.MAX_VALUE;
        for (int c = 0; c < children; c++) {
            int[] list = cut.lists()[c];
            Cutting.ChildList child = new Cutting.ChildList(list, 0, list.length);
            double weight = weight(list.length);
            Long descriptor = built.get(child);
            if (descriptor == null) {
                Copies share = new Copies((long) (copies.left * Math.min(1, weight / weights)));
                copies.left -= share.left;
                descriptor = each.build(c, below, share);
                copies.left += share.left;
                built.put(child, descriptor);
            }
            weights = Math.max(weight, weights - weight);
            Descriptor.write(out, table + DescriptorLayout.WORDS * c, descriptor);
            best = Math.min(best, Descriptor.bound(descriptor));
        }
        return Descriptor.node(table, best, cut.shift(), cut.position(), cut.width());
    }

    private static int[] union(int[][] lists) {
        return Arrays.stream(lists).flatMapToInt(Arrays::stream).sorted().distinct().toArray();
    }

    /** A list's part of the copies that are left: long lists need many more cuts. */
    private static double weight(int list) {
        return (double) list * list + 1e-9;
    }

    /** Length of the list up to the first entry that matches every header of the node, with it. */
    private int cutBehindCover(int[] list, int size, int[] known) {
        for (int i = 0; i < size; i++) {
            if (entries.covers(list[i], known)) {
                return i + 1;
            }
        }
        return size;
    }

    /** A leaf: the positions of its rules, best first, each once; the last has its sign bit set. */
    private long leaf(int[] list, int n) {
        int[] positions = new int[n];
        int count = 0;
        for (int i = 0; i < n; i++) {
            int position = entries.positions[list[i]];
            if (count == 0 || positions[count - 1] != position) {
                positions[count++] = position;
            }
        }
        if (count == 0) {
            return Descriptor.EMPTY;
        }
        int at = out.reserve(count);
        for (int i = 0; i < count; i++) {
            out.set(at + i, i == count - 1 ? positions[i] | ForestLayout.LEAF_LAST : positions[i]);
        }
        return Descriptor.leaf(at, positions[0] >>> boundShift);
    }
}
