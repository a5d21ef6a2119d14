package dev.sluice.engine.rfc;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.memory.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The result of one reduction: a table of class ids, and for each class the rules that its values
 * allow, as bits in total order.
 *
 * @param table class id by index
 * @param rules rules of each class, 64 a word
 */
record RfcPart(int[] table, long[][] rules) {
    /** Memory of a class beside its rules, while the tables are built. */
    private static final int ENTRY_BYTES = 64;

    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    int classes() {
        return rules.length;
    }

    /** Gives each distinct set of rules a class id. Not thread-safe. */
    static final class Classes {
        /**
         * Class id + 1 by a hash of its rules; where two have one hash, by the next free number.
         */
        private final LongIntMap ids = new LongIntMap();

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
            long key = hash(probe);
            for (int id = ids.get(key); id != 0; id = ids.get(++key)) {
                if (Arrays.equals(rules.get(id - 1), probe)) {
                    return id - 1;
                }
            }
            int id = rules.size();
            long bytes = (id + 1L) * (8L * probe.length + ENTRY_BYTES);
            if (bytes > mostBytes) {
                throw new MemoryBudgetException(
                        algorithm, Math.max(bytes, budgetBytes + 1), budgetBytes);
            }
            ids.put(key, id + 1);
            rules.add(probe);
            probe = new long[probe.length];
            return id;
        }

        /** Four independent chains of multiplications, which the processor overlaps. */
        private static long hash(long[] bits) {
            long a = 1;
            long b = 2;
            long c = 3;
            long d = 4;
            int w = 0;
            for (; w + 4 <= bits.length; w += 4) {
                a = (a ^ bits[w]) * MULTIPLIER;
                b = (b ^ bits[w + 1]) * MULTIPLIER;
                c = (c ^ bits[w + 2]) * MULTIPLIER;
                d = (d ^ bits[w + 3]) * MULTIPLIER;
                a ^= a >>> 32;
                b ^= b >>> 32;
                c ^= c >>> 32;
                d ^= d >>> 32;
            }
            for (; w < bits.length; w++) {
                a = (a ^ bits[w]) * MULTIPLIER;
                a ^= a >>> 32;
            }
            long h = ((a * MULTIPLIER ^ b) * MULTIPLIER ^ c) * MULTIPLIER ^ d;
            h *= MULTIPLIER;
            return h ^ h >>> 32;
        }

        int count() {
            return rules.size();
        }

        RfcPart part(int[] table) {
            return new RfcPart(table, rules.toArray(long[][]::new));
        }
    }
}
