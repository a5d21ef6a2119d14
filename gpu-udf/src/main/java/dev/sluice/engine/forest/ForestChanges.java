package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.forest.ForestBuilder.Parts;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.MatchColumns;
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
final class ForestChanges {
    private static final int GONE = -1;

    private final Forest before;
    private final int[] words;
    private final int boundShift;

    /** New position of each old rule, {@link #GONE} if it has none. */
    private final int[] moved;

    /** Entries of the rules that went. */
    final ForestEntries gone;

    /** Positions of the rules that came, ascending. */
    private final int[] came;

    private final ForestEntries now;

    /**
     * Nodes and leaves copied so far, by old offset and next rest: index in {@link #copied} + 1.
     */
    private final LongIntMap copies = new LongIntMap();

    private long[] copied = new long[64];
    private int copiedCount;
    private long copiedWords;

    private ForestChanges(
            Forest before, int[] moved, List<Rule> goneRules, int[] came, ForestEntries now) {
        this.before = before;
        this.words = before.image().words();
        this.moved = moved;
        this.came = came;
        this.now = now;
        this.gone = new ForestEntries(MatchColumns.of(goneRules, before.rules().layout()));
        this.boundShift = Descriptor.boundShift(now.count());
    }

    /**
     * Compares two rule sets over one layout. A rule with the same id and match in both stays,
     * unless its order among those that stay has changed; then it counts as gone and come.
     */
    static ForestChanges of(Forest before, RuleSet rules, ForestEntries now) {
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
        return new ForestChanges(before, moved, goneRules, Arrays.copyOf(came, count), now);
    }

    /** Rules that came and went. */
    long count() {
        return came.length + (long) gone.count();
    }

    /** Rules that came and went since a forest was last built without a predecessor. */
    long sinceWhole() {
        return before.changed() + count();
    }

    /** The root before. */
    long root() {
        return Descriptor.at(words, ForestLayout.ROOT_AT);
    }

    /** A child of a node before. */
    long child(long node, int child) {
        return Descriptor.at(words, Descriptor.offset(node) + DescriptorLayout.WORDS * child);
    }

    /** The root of a node's rest before. */
    long rest(long node) {
        return Descriptor.at(words, Descriptor.offset(node) - RestLayout.ROOT_BEFORE);
    }

    /**
     * The items that came, and ~item of {@link #gone} for those that went.
     *
     * @param quota copies that each may become
     */
    Items reached(float quota) {
        int[] items = new int[came.length + gone.count()];
        for (int i = 0; i < came.length; i++) {
            items[i] = now.item(came[i]);
        }
        for (int e = 0; e < gone.count(); e++) {
            items[came.length + e] = ~gone.item(e);
        }
        float[] shares = new float[items.length];
        Arrays.fill(shares, quota);
        return new Items(items, shares);
    }

    /** Number of words of tables and leaves copied so far. */
    long copiedWords() {
        return copiedWords;
    }

    /**
     * Writes a copy of a subtree that has no changed entry, with the rules' new positions.
     *
     * @param next the rest that a search takes behind it
     */
    long copy(long was, int next, ForestBuilder builder) {
        if (was == Descriptor.EMPTY) {
            return was;
        }
        long key = (long) Descriptor.offset(was) << 32 | next;
        int known = copies.get(key);
        if (known > 0) {
            return copied[known - 1];
        }
        long copy = Descriptor.isLeaf(was) ? leaf(was, builder.out()) : node(was, next, builder);
        if (copiedCount == copied.length) {
            copied = Arrays.copyOf(copied, 2 * copiedCount);
        }
        copied[copiedCount++] = copy;
        copies.put(key, copiedCount);
        return copy;
    }

    private long leaf(long was, WordWriter out) {
        int from = Descriptor.offset(was);
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

    private long node(long was, int next, ForestBuilder builder) {
        Window window = Descriptor.window(was);
        copiedWords += (long) DescriptorLayout.WORDS * window.children();
        Parts parts =
                new Parts() {
                    @Override
                    public long child(int c, int nextRest) {
                        return copy(ForestChanges.this.child(was, c), nextRest, builder);
                    }

                    @Override
                    public long rest() {
                        return copy(ForestChanges.this.rest(was), next, builder);
                    }
                };
        return builder.table(window, null, Descriptor.hasRest(was), next, parts);
    }
}
