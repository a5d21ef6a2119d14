package dev.sluice.engine.rfc;

import dev.sluice.engine.image.MemoryBudgetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of one reduction: for each index of its table a class id, and for each class the set
 * of rules that are still possible, as bits in total order.
 *
 * @param table class id by index
 * @param rules rules of each class, 64 a word
 */
record RfcPart(int[] table, long[][] rules) {
    /** Memory of a class beside its rules, while the tables are built. */
    private static final int ENTRY_BYTES = 120;

    int classes() {
        return rules.length;
    }

    /** Rules of a class as a map key. */
    private record RuleBits(long[] bits) {
        @Override
        public boolean equals(Object other) {
            return other instanceof RuleBits that && Arrays.equals(that.bits, bits);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bits);
        }
    }

    /** Numbers distinct rule sets. Not thread-safe. */
    static final class Classes {
        private final Map<RuleBits, Integer> ids = new HashMap<>();
        private final List<long[]> rules = new ArrayList<>();
        private final long mostBytes;
        private final String algorithm;
        private final long budgetBytes;
        private long[] probe;

        /** Classes whose rule sets take at most the budget, and a quarter of the Java heap. */
        Classes(int words, String algorithm, long budgetBytes) {
            this.probe = new long[words];
            this.algorithm = algorithm;
            this.budgetBytes = budgetBytes;
            this.mostBytes = Math.min(budgetBytes, Runtime.getRuntime().maxMemory() / 4);
        }

        /** Room for the next rule set; valid until {@link #id}. */
        long[] probe() {
            return probe;
        }

        /** Class of the rule set in {@link #probe}. */
        int id() {
            RuleBits key = new RuleBits(probe);
            Integer id = ids.get(key);
            if (id == null) {
                id = rules.size();
                long bytes = (id + 1L) * (8L * probe.length + ENTRY_BYTES);
                if (bytes > mostBytes) {
                    throw new MemoryBudgetException(
                            algorithm, Math.max(bytes, budgetBytes + 1), budgetBytes);
                }
                ids.put(key, id);
                rules.add(probe);
                probe = new long[probe.length];
            }
            return id;
        }

        int count() {
            return rules.size();
        }

        RfcPart part(int[] table) {
            return new RfcPart(table, rules.toArray(long[][]::new));
        }
    }
}
