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

    /** Copies made in all cuts, those given up too, at which cutting ends: limits the time. */
    private static final long MOST_CUT_WORK = 30_000_000L;

    /** Copies made in one cut, before equal children are made one: limits the memory. */
    private static final long MOST_RAW_COPIES = 4_000_000L;

    /** Steps of choosing windows after which only one window a word is tried: limits the time. */
    private static final long MOST_WORK = 250_000_000L;

    private final RuleSet rules;
    private final ForestEntries entries;
    private final ForestSettings settings;
    private final WordWriter out;
    private final WindowChoice window;
    private final int boundShift;
    private final boolean[] spilled;

    private final long copiesATree;
    private long work;
    private long cutWork;
    private boolean lastTree;
    private int spilledCount;

    ForestBuilder(RuleSet rules, ForestEntries entries, ForestSettings settings, long budgetBytes) {
        this.rules = rules;
        this.entries = entries;
        this.settings = settings;
        this.out = new WordWriter(ForestAlgorithm.LABEL, budgetBytes);
        this.window = new WindowChoice(entries);
        this.boundShift = Descriptor.boundShift(rules.size());
        this.spilled = new boolean[entries.count()];
        // A copy takes a word of a leaf and its share of tables, rarely more than eight words in
        // all;
        // half of the room is kept back.
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
            lastTree = next[t] < 0 && lists.size() >= MAX_TREES;
            spilledCount = 0;
            Arrays.fill(spilled, false);
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
            if (spilledCount == 0) {
                continue;
            }
            int[] spill = spilledOf(list);
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

    private int[] spilledOf(int[] list) {
        int[] next = new int[spilledCount];
        int n = 0;
        for (int e : list) {
            if (spilled[e]) {
                next[n++] = e;
            }
        }
        return next;
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
                    || cutWork > MOST_CUT_WORK) {
                return ForestBuilder.this.node(list, shares, known, depth, copies);
            }
            int p = Descriptor.position(was);
            int shift = Descriptor.shift(was);
            Cut cut = cut(list, shares, n, p, shift, width, copies.left);
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
                                    cut.lists[c],
                                    cut.shares[c],
                                    below,
                                    depth + 1,
                                    share));
        }

        private int[][] divide(int[] reached, int p, int shift, int width) {
            int mask = (1 << width) - 1;
            int[] counts = new int[mask + 1];
            for (int e : reached) {
                forEachChild(of(e), e ^ e >> 31, p, shift, mask, c -> counts[c]++);
            }
            int[][] divided = new int[mask + 1][];
            for (int c = 0; c <= mask; c++) {
                divided[c] = counts[c] == 0 ? NONE : new int[counts[c]];
            }
            Arrays.fill(counts, 0);
            for (int e : reached) {
                forEachChild(of(e), e ^ e >> 31, p, shift, mask, c -> divided[c][counts[c]++] = e);
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
        if (n <= settings.leaf()
                || depth == MAX_DEPTH
                || copies.left <= 0
                || cutWork > MOST_CUT_WORK) {
            return leaf(list, n);
        }
        work +=
                window.choose(
                        list, n, known, settings.leaf(), settings.copyCost(), work > MOST_WORK);
        int p = window.position;
        int shift = window.shift;
        for (int width = window.width; width > 0; width--) {
            Cut cut = cut(list, shares, n, p, shift, width, copies.left);
            if (cut != null) {
                return children(
                        cut,
                        known,
                        copies,
                        (c, below, share) ->
                                node(cut.lists[c], cut.shares[c], below, depth + 1, share));
            }
        }
        return leaf(list, n);
    }

    /**
     * A node's children before they are built.
     *
     * @param lists for each child its entries; equal ones are the same array
     * @param shares for each child the copies that its entries may still make
     * @param copies copies beyond one an entry
     */
    private record Cut(
            int position, int shift, int width, int[][] lists, float[][] shares, long copies) {}

    /** Distributes a list over the children of a window; null if that makes too many copies. */
    private @Nullable Cut cut(
            int[] list, float[] shares, int n, int p, int shift, int width, long mostCopies) {
        int children = 1 << width;
        int mask = children - 1;
        int[] starts = new int[children + 1];
        long raw = 0;
        for (int i = 0; i < n; i++) {
            raw += 1L << Integer.bitCount(~(entries.masks[p][list[i]] >>> shift) & mask);
        }
        if (raw > MOST_RAW_COPIES) {
            return null;
        }
        cutWork += n + raw;
        for (int i = 0; i < n; i++) {
            forEachChild(entries, list[i], p, shift, mask, c -> starts[c + 1]++);
        }
        for (int c = 0; c < children; c++) {
            starts[c + 1] += starts[c];
        }
        int[] members = new int[starts[children]]; // indexes in the node's list
        int[] at = Arrays.copyOf(starts, children);
        for (int i = 0; i < n; i++) {
            int index = i;
            forEachChild(entries, list[i], p, shift, mask, c -> members[at[c]++] = index);
        }
        // Children with equal lists are built once: they count as one copy.
        Map<ChildList, Integer> distinct = new HashMap<>();
        int[] firstOf = new int[children];
        int[] copiesOf = new int[n];
        for (int c = 0; c < children; c++) {
            Integer first =
                    distinct.putIfAbsent(new ChildList(members, starts[c], starts[c + 1]), c);
            firstOf[c] = first == null ? c : first;
            for (int i = starts[c]; first == null && i < starts[c + 1]; i++) {
                copiesOf[members[i]]++;
            }
        }
        boolean[] leaves = new boolean[n];
        long made = 0;
        for (int i = 0; i < n; i++) {
            leaves[i] = shares[i] < copiesOf[i] && !lastTree;
            made += leaves[i] ? 0 : copiesOf[i] - 1;
        }
        if (made > mostCopies) {
            return null;
        }
        int[][] lists = new int[children][];
        float[][] listShares = new float[children][];
        for (int c = 0; c < children; c++) {
            if (firstOf[c] != c) {
                lists[c] = lists[firstOf[c]];
                listShares[c] = listShares[firstOf[c]];
                continue;
            }
            int[] entriesOf = new int[starts[c + 1] - starts[c]];
            float[] sharesOf = new float[entriesOf.length];
            int m = 0;
            for (int i = starts[c]; i < starts[c + 1]; i++) {
                int index = members[i];
                if (!leaves[index]) {
                    entriesOf[m] = list[index];
                    sharesOf[m++] = shares[index] / copiesOf[index];
                }
            }
            lists[c] = Arrays.copyOf(entriesOf, m);
            listShares[c] = Arrays.copyOf(sharesOf, m);
        }
        for (int i = 0; i < n; i++) {
            if (leaves[i]) {
                spill(list[i]);
            }
        }
        return new Cut(p, shift, width, lists, listShares, made);
    }

    /** Builds one child of a cut. */
    private interface ChildBuilder {
        long build(int child, int[] known, Copies copies);
    }

    private long children(Cut cut, int[] known, Copies copies, ChildBuilder each) {
        int children = cut.lists.length;
        int table;
        try {
            table = out.reserve((long) DescriptorLayout.WORDS * children);
        } catch (MemoryBudgetException e) {
            copies.left = 0; // no room for a table, so the node and all later ones become leaves
            int[] all = union(cut.lists);
            return leaf(all, all.length);
        }
        copies.left -= cut.copies;
        int[] below = known.clone();
        below[cut.position] |= children - 1 << cut.shift;
        Map<ChildList, Long> built = new HashMap<>();
        double weights = 0;
        for (int c = 0; c < children; c++) {
            weights += weight(cut.lists[c].length);
        }
        int best = Integer.MAX_VALUE;
        for (int c = 0; c < children; c++) {
            int[] list = cut.lists[c];
            ChildList child = new ChildList(list, 0, list.length);
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
        return Descriptor.node(table, best, cut.shift, cut.position, cut.width);
    }

    private static int[] union(int[][] lists) {
        return Arrays.stream(lists).flatMapToInt(Arrays::stream).sorted().distinct().toArray();
    }

    /** A list's part of the copies that are left: long lists need many more cuts. */
    private static double weight(int list) {
        return (double) list * list + 1e-9;
    }

    private void spill(int e) {
        if (!spilled[e]) {
            spilled[e] = true;
            spilledCount++;
        }
    }

    private interface Child {
        void accept(int child);
    }

    private static void forEachChild(
            ForestEntries all, int e, int p, int shift, int mask, Child each) {
        int wild = ~(all.masks[p][e] >>> shift) & mask;
        int value = all.values[p][e] >>> shift & mask & ~wild;
        for (int sub = wild; ; sub = sub - 1 & wild) {
            each.accept(value | sub);
            if (sub == 0) {
                return;
            }
        }
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

    /** A child's list, as a part of an array; compared by content. */
    private record ChildList(int[] lists, int from, int to) {
        @Override
        public boolean equals(Object other) {
            return other instanceof ChildList that
                    && Arrays.equals(lists, from, to, that.lists, that.from, that.to);
        }

        @Override
        public int hashCode() {
            int h = 1;
            for (int i = from; i < to; i++) {
                h = h * 31 + lists[i];
            }
            return h;
        }
    }
}
