package dev.sluice.engine.tuple;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Groups the rules by mask and fills a hash table for each class. */
public final class TupleCompiler {
    static final int TABLE_AT = Image.OWN_AT;
    static final int STRIDE_AT = Image.OWN_AT + 1;
    static final int RANGES_AT = Image.OWN_AT + 2;
    static final int CLASSES_AT = Image.OWN_AT + 3;
    static final int CLASS_COUNT_AT = Image.OWN_AT + 4;

    // A class record: best position, slot table, slots - 1, then W mask words.
    static final int BEST = 0;
    static final int SLOTS = 1;
    static final int SLOT_MASK = 2;
    static final int MASKS = 3;

    private TupleCompiler() {}

    /** The rules of one mask, best first. */
    private record TupleClass(int[] masks, List<Integer> positions) {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, long budgetBytes) {
        HeaderLayout layout = rules.layout();
        int w = layout.size();
        WordWriter out = new WordWriter(Algorithm.TUPLE.label(), budgetBytes);
        int table = RuleTable.write(out, rules, 1);
        int stride = RuleTable.stride(rules, 1);
        List<TupleClass> classes = group(rules);
        int records = out.reserve((long) classes.size() * (MASKS + w));
        out.set(TABLE_AT, table);
        out.set(STRIDE_AT, stride);
        out.set(RANGES_AT, rules.hasRanges() ? 1 : 0);
        out.set(CLASSES_AT, records);
        out.set(CLASS_COUNT_AT, classes.size());
        for (int c = 0; c < classes.size(); c++) {
            TupleClass tupleClass = classes.get(c);
            int record = records + c * (MASKS + w);
            out.set(record + BEST, tupleClass.positions.get(0));
            for (int p = 0; p < w; p++) {
                out.set(record + MASKS + p, tupleClass.masks[p]);
            }
            fill(out, record, rules, tupleClass, table, stride);
        }
        return Image.seal(out.toArray(), Algorithm.TUPLE.code(), layout, rules.size());
    }

    /** Classes in the order of their best rule, since the rules come in total order. */
    private static List<TupleClass> group(RuleSet rules) {
        HeaderLayout layout = rules.layout();
        Map<List<Integer>, TupleClass> byMask = new LinkedHashMap<>();
        for (int position = 0; position < rules.size(); position++) {
            Match match = rules.rules().get(position).match();
            List<Integer> key = new ArrayList<>(layout.size());
            for (int p = 0; p < layout.size(); p++) {
                key.add(match.mask(layout.word(p)));
            }
            byMask.computeIfAbsent(
                            key,
                            k ->
                                    new TupleClass(
                                            k.stream().mapToInt(Integer::intValue).toArray(),
                                            new ArrayList<>()))
                    .positions
                    .add(position);
        }
        return new ArrayList<>(byMask.values());
    }

    private static void fill(
            WordWriter out,
            int record,
            RuleSet rules,
            TupleClass tupleClass,
            int table,
            int stride) {
        int w = rules.layout().size();
        int size = Integer.highestOneBit(Math.max(2, 2 * tupleClass.positions.size() - 1)) * 2;
        int slots = out.reserve(2L * size);
        out.set(record + SLOTS, slots);
        out.set(record + SLOT_MASK, size - 1);
        // Worst rule first, each in front of those of its key: chains end up best first.
        for (int i = tupleClass.positions.size() - 1; i >= 0; i--) {
            int position = tupleClass.positions.get(i);
            int rule = table + position * stride;
            int hash = 0;
            for (int p = 0; p < w; p++) {
                hash = hash(hash, out.get(rule + 2 * p));
            }
            int slot = spread(hash) & size - 1;
            while (out.get(slots + 2 * slot + 1) != 0) {
                int other = table + (out.get(slots + 2 * slot + 1) - 1) * stride;
                if (out.get(slots + 2 * slot) == hash && sameKey(out, rule, other, w)) {
                    break;
                }
                slot = slot + 1 & size - 1;
            }
            out.set(rule + stride - 1, out.get(slots + 2 * slot + 1));
            out.set(slots + 2 * slot, hash);
            out.set(slots + 2 * slot + 1, position + 1);
        }
    }

    private static boolean sameKey(WordWriter out, int rule, int other, int w) {
        for (int p = 0; p < w; p++) {
            if (out.get(rule + 2 * p) != out.get(other + 2 * p)) {
                return false;
            }
        }
        return true;
    }

    /** Adds a word of the masked key to a hash. */
    static int hash(int hash, int word) {
        int h = (hash ^ word) * 0x9e3779b1;
        return h ^ h >>> 15;
    }

    /** Brings the hash's upper bits into the slot number. */
    static int spread(int hash) {
        int h = hash * 0x85ebca6b;
        return h ^ h >>> 16;
    }
}
