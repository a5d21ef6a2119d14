package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import org.jspecify.annotations.Nullable;

/**
 * Tables that the classes of two or more parts index: an entry stands for the rules that all of
 * them allow. Their bytes and the words that are ANDed count against a build's budget. Not
 * thread-safe.
 */
final class ClassProduct {
    /** Rows of a last table that are looked at before it is begun. */
    private static final int SAMPLED_ROWS = 16;

    private final BuildMeter meter;
    private final int words;

    /**
     * Tables over a rule set.
     *
     * @param rules number of rules
     */
    ClassProduct(BuildMeter meter, int rules) {
        this.meter = meter;
        this.words = (rules + 63) / 64;
    }

    /**
     * Combines two parts.
     *
     * @param mostClasses classes beyond which the result is of no use
     * @return null if there are more; nothing is held of it then
     * @throws dev.sluice.engine.image.MemoryBudgetException if the budget does not suffice
     */
    @Nullable RfcPart of(RfcPart a, RfcPart b, long mostClasses) {
        long size = (long) a.classes() * b.classes();
        long tableBytes = RfcPart.tableBytes(size);
        meter.hold(tableBytes);
        RfcPart.Classes classes = new RfcPart.Classes(words, meter);
        int[] table = new int[(int) size];
        long[][] rights = b.rules();
        ClassDifference[] since = ClassDifference.ofEach(rights);
        meter.work((long) words * rights.length);
        int index = 0;
        for (long[] left : a.rules()) {
            int id = 0;
            long combined = 0;
            for (int r = 0; r < rights.length; r++) {
                if (r == 0 || since[r].matters(left)) {
                    long[] bits = classes.probe();
                    long[] right = rights[r];
                    for (int w = 0; w < bits.length; w++) {
                        bits[w] = left[w] & right[w];
                    }
                    id = classes.id();
                    combined++;
                    if (classes.count() > mostClasses) {
                        meter.work(combined * words + r);
                        meter.release(tableBytes);
                        classes.forget();
                        return null;
                    }
                }
                table[index++] = id;
            }
            meter.work(combined * words + rights.length);
        }
        return classes.part(table);
    }

    /**
     * Combines any number of parts.
     *
     * @param strides what each part's class is multiplied with
     * @param size entries of the table
     */
    RfcPart of(int[] strides, int size, RfcPart... inputs) {
        meter.hold(RfcPart.tableBytes(size));
        RfcPart.Classes classes = new RfcPart.Classes(words, meter);
        int[] table = new int[size];
        int[] at = new int[inputs.length];
        do {
            meter.work((long) words * inputs.length);
            long[] bits = classes.probe();
            for (int i = 0; i < inputs.length; i++) {
                long[] bitsOfInput = inputs[i].rules()[at[i]];
                for (int w = 0; w < bits.length; w++) {
                    bits[w] = i == 0 ? bitsOfInput[w] : bits[w] & bitsOfInput[w];
                }
            }
            table[index(at, strides)] = classes.id();
        } while (advance(at, inputs));
        return classes.part(table);
    }

    /**
     * The last table, of one part or two: its entries are 1 + the first rule that all classes
     * allow, 0 for none.
     *
     * @param strides what each part's class is multiplied with
     * @param size entries of the table
     */
    int[] verdicts(int[] strides, int size, RfcPart... inputs) {
        meter.hold(RfcPart.tableBytes(size));
        requireVerdicts(inputs);
        int[] table = new int[size];
        int[] at = new int[inputs.length];
        do {
            table[index(at, strides)] = first(inputs, at) + 1;
        } while (advance(at, inputs));
        return table;
    }

    /** Refuses where half the work that some rows, spread over all, tell of would be too much. */
    private void requireVerdicts(RfcPart... inputs) {
        int rows = inputs[0].classes();
        int sampled = Math.min(SAMPLED_ROWS, rows);
        long before = meter.words();
        int[] at = new int[inputs.length];
        for (int i = 0; i < sampled; i++) {
            at[0] = (int) ((long) i * rows / sampled);
            do {
                first(inputs, at);
            } while (advance(at, 1, inputs));
        }
        meter.requireWork((long) ((double) (meter.words() - before) / sampled * rows / 2));
    }

    private int first(RfcPart[] inputs, int[] at) {
        long[] left = inputs[0].rules()[at[0]];
        long[] right = inputs[inputs.length - 1].rules()[at[inputs.length - 1]];
        int w = 0;
        while (w < left.length && (left[w] & right[w]) == 0) {
            w++;
        }
        meter.work(w + 1L);
        return w == left.length ? -1 : 64 * w + Long.numberOfTrailingZeros(left[w] & right[w]);
    }

    private static int index(int[] at, int[] strides) {
        int index = 0;
        for (int i = 0; i < at.length; i++) {
            index += at[i] * strides[i];
        }
        return index;
    }

    private static boolean advance(int[] at, RfcPart[] inputs) {
        return advance(at, 0, inputs);
    }

    /** Goes on to the next combination of the classes of all parts but the first ones. */
    private static boolean advance(int[] at, int fixed, RfcPart[] inputs) {
        for (int i = at.length - 1; i >= fixed; i--) {
            if (++at[i] < inputs[i].classes()) {
                return true;
            }
            at[i] = 0;
        }
        return false;
    }
}
