package dev.sluice.engine.forest;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One build of a forest with one quota of copies. Not thread-safe. */
final class ForestBuilder {
    private static final int MAX_TREES = 24;
    private static final int MAX_DEPTH = 64;

    /** Steps of window choice after which cutting ends: about a second of one core. */
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
    private boolean lastTree;
    private int spilledCount;

    ForestBuilder(RuleSet rules, ForestEntries entries, ForestSettings settings, long budgetBytes) {
        this.rules = rules;
        this.entries = entries;
        this.settings = settings;
        this.out = new WordWriter(Algorithm.FOREST.label(), budgetBytes);
        this.window = new WindowChoice(entries);
        this.boundShift = Descriptor.boundShift(rules.size());
        this.spilled = new boolean[entries.count()];
        // A copy takes a leaf word and, with its share of tables, rarely more than eight.
        long room = budgetBytes / 4 - (long) rules.size() * RuleTable.stride(rules, 0);
        long wanted = (long) settings.copiesARule() * rules.size() + settings.copiesAtLeast();
        this.copiesATree = Math.min(Math.max(0, room / 16), wanted);
    }

    Image build() {
        int table = RuleTable.write(out, rules, 0);
        int roots = out.reserve(2L * MAX_TREES);
        out.set(ForestLayout.TABLE_AT, table);
        out.set(ForestLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(ForestLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        out.set(ForestLayout.ROOTS_AT, roots);
        out.set(ForestLayout.BOUND_SHIFT_AT, boundShift);
        Deque<int[]> waiting =
                new ArrayDeque<>(settings.grouped() ? entries.groups() : List.of(entries.all()));
        int trees = 0;
        while (!waiting.isEmpty()) {
            int[] list = waiting.remove();
            lastTree = trees + waiting.size() >= MAX_TREES - 1;
            spilledCount = 0;
            Arrays.fill(spilled, false);
            float[] shares = new float[list.length];
            Arrays.fill(shares, settings.quota());
            long root =
                    node(list, shares, new int[rules.layout().size()], 0, new Copies(copiesATree));
            Descriptor.write(out, roots + 2 * trees, root);
            trees++;
            if (spilledCount > 0) {
                waiting.add(spilledOf(list));
            }
        }
        out.set(ForestLayout.TREES_AT, trees);
        return Image.seal(out.toArray(), Algorithm.FOREST.code(), rules.layout(), rules.size());
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

    /** Copies that a subtree may still make; what it leaves goes to its neighbours. */
    private static final class Copies {
        long left;

        Copies(long left) {
            this.left = left;
        }
    }

    /** Builds the subtree of a list and returns its descriptor. */
    private long node(int[] list, float[] shares, int[] known, int depth, Copies copies) {
        int n = cutBehindCover(list, list.length, known);
        if (n <= settings.leaf() || depth == MAX_DEPTH || copies.left <= 0 || work > MOST_WORK) {
            return leaf(list, n);
        }
        work += window.choose(list, n, known, settings.leaf(), settings.copyCost());
        int p = window.position;
        int shift = window.shift;
        int width = window.width;
        while (width > 0 && copiesOf(list, n, p, shift, width) > copies.left) {
            width--;
        }
        if (width == 0) {
            return leaf(list, n);
        }
        int children = 1 << width;
        int mask = children - 1;
        int[] kept = new int[n];
        float[] keptShares = new float[n];
        int m = 0;
        for (int i = 0; i < n; i++) {
            int e = list[i];
            float share =
                    shares[i] / (1 << Integer.bitCount(~(entries.masks[p][e] >>> shift) & mask));
            if (share < 1 && !lastTree) {
                spill(e);
            } else {
                kept[m] = e;
                keptShares[m++] = share;
            }
        }
        if (m == 0) {
            return leaf(list, 0);
        }
        int table;
        try {
            table = out.reserve(2L * children);
        } catch (MemoryBudgetException e) {
            copies.left = 0; // no room for tables: the lists that there are become leaves
            return leaf(kept, m);
        }
        int[] starts = new int[children + 1];
        for (int i = 0; i < m; i++) {
            forEachChild(kept[i], p, shift, mask, c -> starts[c + 1]++);
        }
        for (int c = 0; c < children; c++) {
            starts[c + 1] += starts[c];
        }
        copies.left -= starts[children] - m;
        int[] lists = new int[starts[children]];
        float[] listShares = new float[starts[children]];
        int[] at = Arrays.copyOf(starts, children);
        for (int i = 0; i < m; i++) {
            int index = i;
            forEachChild(
                    kept[i],
                    p,
                    shift,
                    mask,
                    c -> {
                        lists[at[c]] = kept[index];
                        listShares[at[c]++] = keptShares[index];
                    });
        }
        int[] below = known.clone();
        below[p] |= mask << shift;
        Map<ChildList, Long> built = new HashMap<>();
        double weights = 0;
        for (int c = 0; c < children; c++) {
            weights += weight(starts[c + 1] - starts[c]);
        }
        int best = Integer.MAX_VALUE;
        for (int c = 0; c < children; c++) {
            ChildList child = new ChildList(lists, starts[c], starts[c + 1]);
            double weight = weight(child.to - child.from);
            Long descriptor = built.get(child);
            if (descriptor == null) {
                Copies share = new Copies((long) (copies.left * Math.min(1, weight / weights)));
                copies.left -= share.left;
                int[] childList = Arrays.copyOfRange(lists, child.from, child.to);
                float[] childShares = Arrays.copyOfRange(listShares, child.from, child.to);
                descriptor = node(childList, childShares, below, depth + 1, share);
                copies.left += share.left;
                built.put(child, descriptor);
            } else {
                copies.left += child.to - child.from;
            }
            weights = Math.max(weight, weights - weight);
            Descriptor.write(out, table + 2 * c, descriptor);
            best = Math.min(best, Descriptor.bound(descriptor));
        }
        return Descriptor.node(table, best, shift, p, width);
    }

    /** Copies beyond one an entry that a window would make. */
    private long copiesOf(int[] list, int n, int p, int shift, int width) {
        long copies = -n;
        for (int i = 0; i < n; i++) {
            int wild = ~(entries.masks[p][list[i]] >>> shift) & (1 << width) - 1;
            copies += 1L << Integer.bitCount(wild);
        }
        return copies;
    }

    /** A list's claim on copies: long lists need many more cuts. */
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

    private void forEachChild(int e, int p, int shift, int mask, Child each) {
        int wild = ~(entries.masks[p][e] >>> shift) & mask;
        int value = entries.values[p][e] >>> shift & mask & ~wild;
        for (int sub = wild; ; sub = sub - 1 & wild) {
            each.accept(value | sub);
            if (sub == 0) {
                return;
            }
        }
    }

    /** Length of the list up to and with the first entry that covers the node's region. */
    private int cutBehindCover(int[] list, int size, int[] known) {
        for (int i = 0; i < size; i++) {
            if (entries.covers(list[i], known)) {
                return i + 1;
            }
        }
        return size;
    }

    /** A leaf: count, then the positions of the rules, best first, each once. */
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
        int at = out.reserve(count + 1L);
        out.set(at, count);
        for (int i = 0; i < count; i++) {
            out.set(at + 1 + i, positions[i]);
        }
        return Descriptor.leaf(at, positions[0] >>> boundShift);
    }

    /** A child's part of the lists, compared by content. */
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
