package dev.sluice.engine.forest;

import java.util.Arrays;

/**
 * Picks the window of adjacent bits that a node cuts: the one that leaves the shortest lists, half
 * for headers spread evenly over the children and half for headers made from the rules, against the
 * copies it costs. Long lists are judged by an even sample. Not thread-safe.
 */
final class WindowChoice {
    private static final int SAMPLE = 128;
    private static final int QUICK_SAMPLE = 64;
    private static final int BIN_BITS = 7;
    private static final int SHORTLIST = 10;

    /** Entries with more wild bits in a window count as spread evenly. */
    private static final int MOST_WILD = 4;

    private static final int MAX_WIDTH = 10;

    private final ForestEntries entries;
    private final int[] sample = new int[SAMPLE];
    private final int[] bins = new int[1 << BIN_BITS];
    private final int[] counts = new int[1 << MAX_WIDTH];
    private final double[] quick = new double[SHORTLIST];
    private final int[] windows = new int[SHORTLIST];

    /** Position, shift and width of the choice; width 0: no window divides the list. */
    int position;

    int shift;
    int width;

    private long steps;

    WindowChoice(ForestEntries entries) {
        this.entries = entries;
    }

    /**
     * Sets the choice; returns the steps that it took.
     *
     * @param cheap look at one window a word only: the topmost bits that are left
     */
    long choose(int[] list, int n, int[] knownMasks, int leaf, double copyCost, boolean cheap) {
        steps = 0;
        int s = Math.min(n, SAMPLE);
        for (int i = 0; i < s; i++) {
            sample[i] = list[(int) ((long) i * n / s)];
        }
        int wide = Math.max(1, Math.min(MAX_WIDTH, 34 - Integer.numberOfLeadingZeros(n / leaf)));
        shortlist(Math.min(s, QUICK_SAMPLE), knownMasks, wide, cheap);
        width = 0;
        double best = Double.MAX_VALUE;
        for (int c = 0; c < SHORTLIST && quick[c] < Double.MAX_VALUE; c++) {
            int p = windows[c] >>> 16;
            int sh = windows[c] >>> 8 & 0xff;
            int w = windows[c] & 0xff;
            double score = score(s, n, p, sh, w, copyCost);
            if (score < best) {
                best = score;
                position = p;
                shift = sh;
                width = w;
            }
        }
        return steps;
    }

    /** The windows that seem to leave the shortest lists, by a small sample. */
    private void shortlist(int s, int[] knownMasks, int wide, boolean cheap) {
        Arrays.fill(quick, Double.MAX_VALUE);
        for (int p = 0; p < knownMasks.length; p++) {
            int specified = 0;
            for (int i = 0; i < s; i++) {
                specified |= entries.masks[p][sample[i]];
            }
            specified &= ~knownMasks[p];
            if (specified == 0) {
                continue;
            }
            if (cheap) {
                int top = 31 - Integer.numberOfLeadingZeros(specified);
                int sh = Math.max(0, top + 1 - wide);
                while ((knownMasks[p] >>> sh & (1 << top + 1 - sh) - 1) != 0) {
                    sh++;
                }
                offer(mean(s, p, sh, (1 << top + 1 - sh) - 1), p << 16 | sh << 8 | (top + 1 - sh));
                continue;
            }
            for (int w = wide; w >= 1; w = w == 1 ? 0 : (w + 1) / 2) {
                for (int sh = 0; sh + w <= 32; sh++) {
                    int window = (1 << w) - 1;
                    // Windows start and end at bits that some entry specifies and no parent cut.
                    if ((specified >>> sh & 1) == 0
                            || (specified >>> sh + w - 1 & 1) == 0
                            || (knownMasks[p] >>> sh & window) != 0) {
                        continue;
                    }
                    offer(mean(s, p, sh, window) + 0.001 * w, p << 16 | sh << 8 | w);
                }
            }
        }
    }

    /**
     * Share of the list that a header made from one of its rules meets in its child, estimated:
     * entries of the same value, and wild ones by their bits.
     */
    private double mean(int s, int p, int sh, int window) {
        steps += 2L * s;
        int[] masks = entries.masks[p];
        int[] values = entries.values[p];
        Arrays.fill(bins, 0);
        double wild = 0;
        int squares = 0;
        for (int i = 0; i < s; i++) {
            int e = sample[i];
            int named = masks[e] >>> sh & window;
            if (named == window) {
                int bin = ((values[e] >>> sh & window) * 0x9e3779b1) >>> 32 - BIN_BITS;
                squares += 2 * bins[bin]++ + 1;
            } else {
                wild += 1.0 / (1 << Integer.bitCount(named));
            }
        }
        return ((double) squares / s + wild) / s;
    }

    private void offer(double value, int window) {
        int at = SHORTLIST - 1;
        if (value >= quick[at]) {
            return;
        }
        while (at > 0 && quick[at - 1] > value) {
            quick[at] = quick[at - 1];
            windows[at] = windows[at - 1];
            at--;
        }
        quick[at] = value;
        windows[at] = window;
    }

    private double score(int s, int n, int p, int sh, int w, double copyCost) {
        int size = 1 << w;
        int window = size - 1;
        Arrays.fill(counts, 0, size, 0);
        double everywhere = 0;
        for (int i = 0; i < s; i++) {
            int wild = ~(entries.masks[p][sample[i]] >>> sh) & window;
            int value = entries.values[p][sample[i]] >>> sh & window;
            int wildBits = Integer.bitCount(wild);
            if (wildBits > MOST_WILD) {
                everywhere += 1.0 / (1 << w - wildBits);
                continue;
            }
            steps += 1L << wildBits;
            for (int sub = wild; ; sub = sub - 1 & wild) {
                counts[value | sub]++;
                if (sub == 0) {
                    break;
                }
            }
        }
        double copies = 0;
        double squares = 0;
        double longest = 0;
        for (int c = 0; c < size; c++) {
            double count = counts[c] + everywhere;
            copies += count;
            squares += count * count;
            longest = Math.max(longest, count);
        }
        if (longest >= s && squares >= (double) s * s * size * 0.999) {
            return Double.MAX_VALUE; // nothing is divided
        }
        double even = copies / size;
        double byRules = squares / copies;
        double lists = (0.5 * even + 0.5 * byRules) / s;
        double memory = copyCost * (copies / s + (double) size / n);
        // A cut that halves the list twice is worth two that halve it once.
        return (Math.log(lists) - 1e-9) / (1 + 0.08 * w) + memory;
    }
}
