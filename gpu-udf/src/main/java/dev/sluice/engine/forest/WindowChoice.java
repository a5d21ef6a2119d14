package dev.sluice.engine.forest;

import dev.sluice.engine.image.HashMultipliers;
import java.util.Arrays;

/**
 * Chooses the window of adjacent bits by which a node is cut: the one with the shortest lists for
 * the copies that it costs. A list's length is the mean of two: over all children alike, and over
 * headers made from the rules. Of long lists an even sample is looked at. Not thread-safe.
 */
final class WindowChoice {
    private static final int SAMPLE = 128;
    private static final int QUICK_SAMPLE = 64;
    private static final int BIN_BITS = 7;
    private static final int SHORTLIST = 10;

    /**
     * An entry that leaves more bits of a window open counts as spread evenly over the children.
     */
    private static final int MOST_WILD = 4;

    private static final int MAX_WIDTH = 10;

    private final ForestEntries entries;
    private final int[] sample = new int[SAMPLE];
    private final int[] bins = new int[1 << BIN_BITS];
    private final int[] counts = new int[1 << MAX_WIDTH];
    private final double[] quick = new double[SHORTLIST];
    private final int[] windows = new int[SHORTLIST];

    /**
     * The choice: layout position of the word, shift, width; width 0: no window divides the list.
     */
    int position;

    int shift;
    int width;

    private long steps;

    WindowChoice(ForestEntries entries) {
        this.entries = entries;
    }

    /**
     * Sets the choice; returns how many steps it took, as a measure of time.
     *
     * @param list the node's entries, of which {@code n} count
     * @param knownMasks bits that windows above have used
     * @param leaf entries of a list that is not cut any more
     * @param cheap whether to look at one window a word only: the topmost bits that are left
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

    /** Finds the windows with the shortest lists by a small sample. */
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
                    // A window starts and ends at bits that some entry names, and has no bit that a
                    // window above has used.
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
     * Estimated share of the list that is in the child which a header made from one of its rules
     * goes to: entries with the header's value, and of the entries that leave bits of the window
     * open a part by the number of these bits.
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
                int bin = ((values[e] >>> sh & window) * HashMultipliers.GOLDEN) >>> 32 - BIN_BITS;
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
        // By the logarithm a cut to a quarter is worth two cuts to a half; a window must be 8 %
        // better for each bit that it is wider.
        return (Math.log(lists) - 1e-9) / (1 + 0.08 * w) + memory;
    }
}
