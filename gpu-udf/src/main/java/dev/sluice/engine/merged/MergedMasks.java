package dev.sluice.engine.merged;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Classes for rules that are known beforehand: greedily the mask of one field or two that the most
 * rules name among which few share a key.
 */
public final class MergedMasks {
    /** Rules of a key that a header made from a rule meets on average, at most. */
    private static final double[] MOST_SHARED = {4, 8};

    /** A class for fewer rules, as a share of all, is left to the online heuristics. */
    private static final int SMALLEST_SHARE = 400;

    private static final int SAMPLE = 20_000;
    private static final int MOST_CLASSES = 40;

    private MergedMasks() {}

    /** Masks in the layout's words, in the order in which rules try them. */
    public static List<int[]> of(RuleSet rules, HeaderLayout layout) {
        int n = Math.min(rules.size(), SAMPLE);
        int words = layout.size();
        int[][] values = new int[n][words];
        int[][] masks = new int[n][words];
        int[] union = new int[words];
        for (int i = 0; i < n; i++) {
            Match match = rules.rules().get((int) ((long) i * rules.size() / n)).match();
            for (int p = 0; p < words; p++) {
                values[i][p] = match.value(layout.word(p));
                masks[i][p] = match.mask(layout.word(p));
                union[p] |= masks[i][p];
            }
        }
        List<int[]> candidates = KeyMasks.candidates(layout, union);
        BitSet[] named = new BitSet[candidates.size()];
        for (int c = 0; c < named.length; c++) {
            named[c] = new BitSet(n);
            for (int i = 0; i < n; i++) {
                boolean names = true;
                for (int p = 0; p < words; p++) {
                    names &= (candidates.get(c)[p] & ~masks[i][p]) == 0;
                }
                named[c].set(i, names);
            }
        }
        BitSet rest = new BitSet(n);
        rest.set(0, n);
        List<int[]> plan = new ArrayList<>();
        double scale = (double) rules.size() / Math.max(1, n);
        int[] hashes = new int[n];
        while (plan.size() < MOST_CLASSES && !rest.isEmpty()) {
            int best = -1;
            int most = Math.max(4, n / SMALLEST_SHARE);
            for (double shared : MOST_SHARED) {
                for (int c = 0; c < named.length; c++) {
                    BitSet left = (BitSet) named[c].clone();
                    left.and(rest);
                    int count = left.cardinality();
                    if (count > most
                            && shared(left, candidates.get(c), values, hashes) * scale <= shared) {
                        most = count;
                        best = c;
                    }
                }
                if (best >= 0 && most * 20 >= rest.cardinality()) {
                    break;
                }
            }
            if (best < 0) {
                break;
            }
            plan.add(candidates.get(best));
            rest.andNot(named[best]);
        }
        return plan;
    }

    /** Rules with the key of a rule, on average over the rules. */
    private static double shared(BitSet named, int[] key, int[][] values, int[] hashes) {
        int n = 0;
        for (int i = named.nextSetBit(0); i >= 0; i = named.nextSetBit(i + 1)) {
            hashes[n++] = KeyMasks.hash(key, values[i]);
        }
        return squares(hashes, n) / Math.max(1, n);
    }

    /** Sum over the distinct ones among n values of the square of how often each is there. */
    static double squares(int[] values, int n) {
        Arrays.sort(values, 0, n);
        double squares = 0;
        for (int i = 0; i < n; ) {
            int to = i;
            while (to < n && values[to] == values[i]) {
                to++;
            }
            squares += (double) (to - i) * (to - i);
            i = to;
        }
        return squares;
    }
}
