package dev.sluice.engine.versions;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled rule set that later versions build on: what of them never changes. Its rules are named
 * by their positions.
 *
 * <p>Thread-safe. {@link #buildAll} is called by one thread, beside look-ups.
 */
public final class Base {
    private static final int GUIDE_BITS = 6;

    private final RuleSet rules;
    private final Classifier classifier;
    private final long[] ids;

    /** Keys of the rules' order, see {@link OrderIndex#key}. */
    private final long[] keys;

    /** Every 64th of them, so that a search begins in the cache. */
    private final long[] guides;

    /** As {@link HeaderHalves#choose} returns them. */
    private final int[] halves;

    private volatile @Nullable MergedTupleStructure all;
    private volatile @Nullable RuleBoxes boxes;

    /**
     * A base.
     *
     * @param rules at least one header word more than they look at makes no difference
     * @param classifier finds their positions; sealed
     */
    public Base(RuleSet rules, Classifier classifier) {
        this.rules = rules;
        this.classifier = classifier;
        int n = rules.size();
        this.ids = new long[n];
        this.keys = new long[n];
        for (int i = 0; i < n; i++) {
            Rule rule = rules.rules().get(i);
            ids[i] = rule.id();
            keys[i] = OrderIndex.key(rule);
        }
        this.halves = HeaderHalves.choose(rules.rules(), classifier.layout());
        this.guides = new long[n >>> GUIDE_BITS];
        for (int g = 0; g < guides.length; g++) {
            guides[g] = keys[g << GUIDE_BITS];
        }
    }

    /** The rules in their total order. */
    public RuleSet rules() {
        return rules;
    }

    /** Looks the rules up: as they are, none of them removed. */
    public Classifier classifier() {
        return classifier;
    }

    /** The header words of batches. */
    public HeaderLayout layout() {
        return classifier.layout();
    }

    /** Number of rules. */
    public int size() {
        return ids.length;
    }

    /** Halves of header words that tell the rules apart best; none where none does. */
    int[] halves() {
        return halves;
    }

    /** Id of a rule by its position. */
    public long id(int position) {
        return ids[position];
    }

    /**
     * Compiles the rules for second looks, which skip removed rules: a compiled base may lack a
     * rule that another one covers, merged tuples have all. Does nothing the second time.
     *
     * @param budgetBytes most bytes that they may take
     * @throws dev.sluice.engine.image.MemoryBudgetException if they would take more
     */
    public void buildAll(long budgetBytes) {
        if (all != null) {
            return;
        }
        MergedTupleStructure structure =
                new MergedTupleStructure(
                        layout(), new Arena(new BuildMeter("removals", budgetBytes)));
        structure.tables().reserve(Math.max(1, size()));
        for (int i = 0; i < size(); i++) {
            structure.insert(i, i, rules.rules().get(i).match());
        }
        if (size() <= Accelerators.COMPARED_RULES) {
            boxes = new RuleBoxes(rules, layout());
        }
        all = structure;
    }

    /**
     * Returns the matches of the rules, column by column; null until {@link #buildAll} ended, and
     * where they are too many.
     */
    @Nullable RuleBoxes boxes() {
        return boxes;
    }

    /**
     * All rules as merged tuples, slots and ranks their positions; null until they are built. Do
     * not change.
     */
    public @Nullable MergedTupleStructure all() {
        return all;
    }

    /** Number of rules that are before a rule in the total order. */
    int precede(Rule rule) {
        long key = OrderIndex.key(rule);
        int from = 0;
        int to = guides.length;
        while (from < to) {
            int middle = from + to >>> 1;
            if (isBefore(guides[middle], middle << GUIDE_BITS, key, rule)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        int low = from == 0 ? 0 : (from - 1 << GUIDE_BITS) + 1;
        int high = from == guides.length ? keys.length : from << GUIDE_BITS;
        while (low < high) {
            int middle = low + high >>> 1;
            if (isBefore(keys[middle], middle, key, rule)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isBefore(long there, int position, long key, Rule rule) {
        return there < key || there == key && rules.rules().get(position).precedes(rule);
    }

    /** Returns whether the rule at a position has the priority and the place of another one. */
    boolean isAt(int position, Rule rule) {
        if (position >= keys.length || keys[position] != OrderIndex.key(rule)) {
            return false;
        }
        return !rule.precedes(rules.rules().get(position));
    }

    /** The rules as an array with room for more behind them. */
    Object[] toArray(int room) {
        List<Rule> list = rules.rules();
        return Arrays.copyOf(list.toArray(), list.size() + room);
    }

    /** Bytes of image, second looks and keys. */
    public long bytes() {
        MergedTupleStructure built = all;
        RuleBoxes known = boxes;
        return classifier.bytes()
                + (built == null ? 0 : built.arena().bytes())
                + (known == null ? 0 : known.bytes())
                + 16L * ids.length;
    }
}
