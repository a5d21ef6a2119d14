package dev.sluice.engine.versions;

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
    private final RuleSet rules;
    private final Classifier classifier;
    private final long[] ids;

    /** Keys of the rules' order, see {@link OrderIndex#key}. */
    private final long[] keys;

    private volatile @Nullable MergedTupleStructure all;

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
                new MergedTupleStructure(layout(), new Arena("removals", budgetBytes));
        structure.tables().reserve(Math.max(1, size()));
        for (int i = 0; i < size(); i++) {
            structure.insert(i, i, rules.rules().get(i).match());
        }
        all = structure;
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
        int low = 0;
        int high = keys.length;
        while (low < high) {
            int middle = low + high >>> 1;
            if (keys[middle] < key
                    || keys[middle] == key && rules.rules().get(middle).precedes(rule)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether the rule at a position has the priority and the place of another one. */
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
        return classifier.bytes() + (built == null ? 0 : built.bytes()) + 16L * ids.length;
    }
}
