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
 * Chooses the masks of tuples for a rule set that is known beforehand. Greedily takes, among masks
 * of one field or two, the one that most of the remaining rules contain, provided that few of them
 * share a key; those rules then count as served.
 */
public final class MergedMasks {
    /**
     * Limits of the rules that share a rule's key, on average over the rules of a tuple: a mask
     * must keep the first one, or the second if no mask that serves enough rules keeps the first.
     */
    private static final double[] MOST_SHARED = {4, 8};

    /** A tuple serves at least one in so many rules; the others find a tuple when inserted. */
    private static final int SMALLEST_SHARE = 400;

    private static final int SAMPLE = 20_000;
    private static final int MOST_TUPLES = 40;

    private MergedMasks() {}

    /**
     * The masks in the layout's words, in the order in which a rule is to try them.
     *
     * @param layout has all words that the rules look at
     */
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
        List<int[]> chosen = new ArrayList<>();
        double scale = (double) rules.size() / Math.max(1, n);
        int[] hashes = new int[n];
        while (chosen.size() < MOST_TUPLES && !rest.isEmpty()) {
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
            chosen.add(candidates.get(best));
            rest.andNot(named[best]);
        }
        return chosen;
    }

    /** Number of rules that share a rule's key, on average over some rules. */
    private static double shared(BitSet named, int[] key, int[][] values, int[] hashes) {
        int n = 0;
        for (int i = named.nextSetBit(0); i >= 0; i = named.nextSetBit(i + 1)) {
            hashes[n++] = KeyMasks.hash(key, values[i]);
        }
        return squares(hashes, n) / Math.max(1, n);
    }

    /** Sum of the squares of how often each distinct value occurs among n. Sorts them. */
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
