package dev.sluice.engine.merged;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the masks of tuples for a rule set that is known beforehand: takes, among masks of one
 * field or two, the one that serves the most of the remaining rules for what it costs a look-up,
 * again and again (the greedy rule for weighted set cover: V. Chvatal, "A greedy heuristic for the
 * set-covering problem", Mathematics of Operations Research 1979). What a mask costs is counted on
 * a sample of the rules and of headers that these match: a table, and the tests of rules that share
 * a header's key. Not thread-safe.
 */
public final class MergedMasks {
    /** Cost of a look-up in a table, with a test of a rule as {@link #TEST}. */
    private static final double TABLE = 1;

    /** On a core it takes three times as long, but a GPU reads a sector for either. */
    private static final double TEST = 2;

    /** Rules that share a rule's key, on average over the rules of a tuple, at most. */
    private static final double MOST_SHARED = 8;

    /** A tuple serves at least one in so many rules; the others find a tuple when inserted. */
    private static final int SMALLEST_SHARE = 2_000;

    private static final int LEAST_RULES = 4;

    /** If one in so many rules is left, these find a tuple when inserted. */
    private static final int REST_SHARE = 300;

    private static final int SAMPLE = 20_000;
    private static final int HEADERS = 8_000;
    private static final int MOST_TUPLES = 40;

    /** Log2 of the counters that keys are counted in: few of a sample's keys share one. */
    private static final int COUNTER_BITS = 18;

    /**
     * By how much a mask may serve the rest better for its cost than when it was looked at last: a
     * mask that is passed over may lose crowded keys to the one that was taken.
     */
    private static final double STALE = 2;

    private final HeaderLayout layout;
    private final int[][] values;
    private final int[][] masks;
    private final int[] union;

    /** Rules for each one of the sample. */
    private final double scale;

    /** Headers, each with the number of a rule that it matches. */
    private final int[][] headers;

    private final int[] matched;
    private final BitSet rest = new BitSet();
    private final int[] counters = new int[1 << COUNTER_BITS];

    /** By counter the mask that it was last used for: for others it counts nothing. */
    private final int[] usedFor = new int[1 << COUNTER_BITS];

    private int looks;

    /** A mask that tuples may have, and what is known of it. */
    private static final class Candidate {
        final int[] mask;

        /** Rules of the sample that name all its bits. */
        final BitSet named;

        /** Rules of the rest that it serves, for what it costs a look-up. */
        double worth = Double.MAX_VALUE;

        Candidate(int[] mask, BitSet named) {
            this.mask = mask;
            this.named = named;
        }
    }

    private MergedMasks(RuleSet rules, HeaderLayout layout) {
        this.layout = layout;
        int n = Math.min(rules.size(), SAMPLE);
        int words = layout.size();
        values = new int[n][words];
        masks = new int[n][words];
        union = new int[words];
        for (int i = 0; i < n; i++) {
            Match match = rules.rules().get((int) ((long) i * rules.size() / n)).match();
            for (int p = 0; p < words; p++) {
                values[i][p] = match.value(layout.word(p));
                masks[i][p] = match.mask(layout.word(p));
                union[p] |= masks[i][p];
            }
        }
        scale = (double) rules.size() / Math.max(1, n);
        Random random = new Random(n); // the same rules have the same tuples
        headers = new int[n == 0 ? 0 : HEADERS][words];
        matched = new int[headers.length];
        for (int h = 0; h < headers.length; h++) {
            matched[h] = random.nextInt(n);
            for (int p = 0; p < words; p++) {
                headers[h][p] = values[matched[h]][p] | random.nextInt() & ~masks[matched[h]][p];
            }
        }
        rest.set(0, n);
    }

    /**
     * The masks in the layout's words, in the order in which a rule is to try them.
     *
     * @param layout has all words that the rules look at
     */
    public static List<int[]> of(RuleSet rules, HeaderLayout layout) {
        return new MergedMasks(rules, layout).choose();
    }

    private List<int[]> choose() {
        int n = values.length;
        int least = Math.max(LEAST_RULES, n / SMALLEST_SHARE);
        List<Candidate> candidates = new ArrayList<>();
        for (int[] mask : KeyMasks.candidates(layout, union)) {
            BitSet named = named(mask);
            if (named.cardinality() > least) {
                candidates.add(new Candidate(mask, named));
            }
        }
        List<int[]> chosen = new ArrayList<>();
        while (chosen.size() < MOST_TUPLES && rest.cardinality() > n / REST_SHARE) {
            Candidate best = best(candidates, least);
            if (best == null) {
                break;
            }
            chosen.add(best.mask);
            rest.andNot(best.named);
        }
        return chosen;
    }

    /** The candidate that is worth most; null if none may be taken. */
    private @Nullable Candidate best(List<Candidate> candidates, int least) {
        candidates.sort(Comparator.comparingDouble(c -> -c.worth));
        Candidate best = null;
        double most = 0;
        for (Candidate candidate : candidates) {
            if (STALE * candidate.worth < most) {
                break;
            }
            boolean allowed = look(candidate, least);
            if (allowed && candidate.worth > most) {
                most = candidate.worth;
                best = candidate;
            }
        }
        return best;
    }

    /**
     * Counts what a mask is worth for the rules that are left.
     *
     * @return whether it serves enough of them, and few share a key
     */
    private boolean look(Candidate candidate, int least) {
        looks++;
        BitSet served = (BitSet) candidate.named.clone();
        served.and(rest);
        long shared = 0; // each rule is counted once for every rule of its key
        for (int i = served.nextSetBit(0); i >= 0; i = served.nextSetBit(i + 1)) {
            int key = counter(candidate.mask, values[i]);
            int before = counted(key);
            shared += 2L * before + 1;
            counters[key] = before + 1;
            usedFor[key] = looks;
        }
        long tests = 0;
        for (int h = 0; h < headers.length; h++) {
            // The rule that the header was made for is tested wherever it is.
            int own = served.get(matched[h]) ? 1 : 0;
            tests += counted(counter(candidate.mask, headers[h])) - own;
        }
        int count = served.cardinality();
        candidate.worth = count / (TABLE + TEST * scale * tests / headers.length);
        return count > least && scale * shared <= MOST_SHARED * count;
    }

    /** Returns the count of a counter for the mask that is looked at. */
    private int counted(int key) {
        return usedFor[key] == looks ? counters[key] : 0;
    }

    private BitSet named(int[] mask) {
        BitSet named = new BitSet(masks.length);
        for (int i = 0; i < masks.length; i++) {
            named.set(i, KeyMasks.contains(masks[i], mask));
        }
        return named;
    }

    /** Counter of a rule's or a header's key. */
    private static int counter(int[] mask, int[] words) {
        return KeyMasks.hash(mask, words, 0) >>> 32 - COUNTER_BITS;
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
