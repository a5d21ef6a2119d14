package dev.sluice.engine.forest;

import java.util.Arrays;

/**
 * Picks the window of adjacent bits that a node cuts: the one that leaves the shortest lists, half
 * for headers spread evenly over the children and half for headers made from the rules, against the
 * copies it costs. Long lists are judged by an even sample. Not thread-safe.
 */
final class WindowChoice {
    private static final int SAMPLE = 128;
    private static final int SHORTLIST = 10;
    private static final int MAX_WIDTH = 10;

    private final ForestEntries entries;
    private final int[] sample = new int[SAMPLE];
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

    /** Sets the choice; returns the steps that it took. */
    long choose(int[] list, int n, int[] knownMasks, int leaf, double copyCost) {
        steps = 0;
        int s = Math.min(n, SAMPLE);
        for (int i = 0; i < s; i++) {
            sample[i] = list[(int) ((long) i * n / s)];
        }
        int wide = Math.max(1, Math.min(MAX_WIDTH, 34 - Integer.numberOfLeadingZeros(n / leaf)));
        shortlist(s, knownMasks, wide);
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

    /** The windows whose entries specify the most bits: a cheap bound on the mean list. */
    private void shortlist(int s, int[] knownMasks, int wide) {
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
            for (int w = wide; w >= 1; w = w == 1 ? 0 : (w + 1) / 2) {
                for (int sh = 0; sh + w <= 32; sh++) {
                    int window = (1 << w) - 1;
                    // Windows start and end at bits that some entry specifies and no parent cut.
                    if ((specified >>> sh & 1) == 0
                            || (specified >>> sh + w - 1 & 1) == 0
                            || (knownMasks[p] >>> sh & window) != 0) {
                        continue;
                    }
                    offer(mean(s, p, sh, window) + 0.02 * w, p << 16 | sh << 8 | w);
                }
            }
        }
    }

    private double mean(int s, int p, int sh, int window) {
        steps += s;
        double sum = 0;
        int[] masks = entries.masks[p];
        for (int i = 0; i < s; i++) {
            sum += 1.0 / (1 << Integer.bitCount(masks[sample[i]] >>> sh & window));
        }
        return sum / s;
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
        int everywhere = 0;
        for (int i = 0; i < s; i++) {
            int wild = ~(entries.masks[p][sample[i]] >>> sh) & window;
            int value = entries.values[p][sample[i]] >>> sh & window;
            if (wild == window) {
                everywhere++;
                continue;
            }
            steps += 1L << Integer.bitCount(wild);
            for (int sub = wild; ; sub = sub - 1 & wild) {
                counts[value | sub]++;
                if (sub == 0) {
                    break;
                }
            }
        }
        long copies = 0;
        double squares = 0;
        int longest = 0;
        for (int c = 0; c < size; c++) {
            int count = counts[c] + everywhere;
            copies += count;
            squares += (double) count * count;
            longest = Math.max(longest, count);
        }
        if (longest == s && squares >= (double) s * s * size) {
            return Double.MAX_VALUE; // nothing is divided
        }
        double even = (double) copies / size;
        double byRules = squares / copies;
        double lists = (0.5 * even + 0.5 * byRules) / s;
        double memory = copyCost * ((double) copies / s + (double) size / n);
        // A cut that halves the list twice is worth two that halve it once.
        return (Math.log(lists) - 1e-9) / (1 + 0.08 * w) + memory;
    }
}
