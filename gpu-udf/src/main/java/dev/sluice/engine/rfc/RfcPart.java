package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
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

    /** Bytes of so many classes' rules while the tables are built. */
    static long classBytes(long classes, int words) {
        return classes * (8L * words + ENTRY_BYTES);
    }

    /** Bytes of a table while the tables are built. */
    static long tableBytes(long entries) {
        return (long) Integer.BYTES * entries;
    }

    /** The rules of the classes are garbage from now on; the table stays. */
    void forget(BuildMeter meter) {
        meter.release(rules.length == 0 ? 0 : classBytes(rules.length, rules[0].length));
    }

    /** Gives each distinct set of rules a class id. Not thread-safe. */
    static final class Classes {
        /**
         * Class id + 1 by a hash of its rules; where two have one hash, by the next free number.
         */
        private final LongIntMap ids = new LongIntMap();

        private final List<long[]> rules = new ArrayList<>();
        private final BuildMeter meter;
        private long[] probe;

        /** No classes yet; those that come count as held. */
        Classes(int words, BuildMeter meter) {
            this.probe = new long[words];
            this.meter = meter;
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
            meter.hold(classBytes(1, probe.length));
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

        /** Gives up what the classes hold. */
        void forget() {
            meter.release(classBytes(rules.size(), probe.length));
        }

        RfcPart part(int[] table) {
            return new RfcPart(table, rules.toArray(long[][]::new));
        }
    }
}
