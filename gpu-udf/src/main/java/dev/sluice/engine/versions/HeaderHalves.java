package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.List;

/**
 * Halves of header words, of 16 bits each, by which the rules of a set are told apart best: the
 * upper halves of both addresses and a port, as a rule. A half is numbered by twice its word's
 * position in the layout, one more for the lower half.
 */
final class HeaderHalves {
    /** Halves that are chosen. */
    static final int CHOSEN = 3;

    /** Values of a half up to which a rule is told by it; one of more has any. */
    static final int MOST_VALUES = 64;

    /** Result of {@link #values} for a rule that a half does not tell: from 1 to 0. */
    static final int ANY = 1 << 16;

    /** Rules that are compared with each other. */
    private static final int SAMPLE = 64;

    private static final int TOLD = 16;

    private static final int FULL_WEIGHT = TOLD * TOLD * TOLD;

    private HeaderHalves() {}

    /**
     * Chooses halves for the rules of a set, one after the other: the one that tells the most pairs
     * apart of a rule and a header that matches another one. Pairs that were told weigh a {@link
     * #TOLD}th from then on. Takes some hundred µs.
     *
     * @return {@link #CHOSEN} halves, the first one again where fewer tell rules apart; none where
     *     no half does
     */
    static int[] choose(List<Rule> rules, HeaderLayout layout) {
        int n = Math.min(SAMPLE, rules.size());
        int[][] values = new int[2 * layout.size()][n];
        for (int half = 0; half < values.length; half++) {
            for (int k = 0; k < n; k++) {
                Match match = rules.get((int) ((long) k * rules.size() / n)).match();
                values[half][k] = values(match, layout, half);
            }
        }
        int[] weights = new int[n * n];
        Arrays.fill(weights, FULL_WEIGHT);
        int[] chosen = new int[CHOSEN];
        for (int c = 0; c < CHOSEN; c++) {
            int best = 0;
            long most = 0;
            for (int half = 0; half < values.length; half++) {
                long told = told(weights, values[half]);
                if (told > most) {
                    most = told;
                    best = half;
                }
            }
            if (most == 0 && c == 0) {
                return new int[0];
            }
            if (most == 0) {
                Arrays.fill(chosen, c, CHOSEN, chosen[0]);
                return chosen;
            }
            chosen[c] = best;
            lighten(weights, values[best]);
            Arrays.fill(values[best], ANY); // is not chosen again
        }
        return chosen;
    }

    /** Weight of the pairs that a half tells apart. */
    private static long told(int[] weights, int[] values) {
        long told = 0;
        int pair = 0;
        for (int one : values) {
            for (int other : values) {
                told += mayMatch(one, other) ? 0 : weights[pair];
                pair++;
            }
        }
        return told;
    }

    private static void lighten(int[] weights, int[] values) {
        int pair = 0;
        for (int one : values) {
            for (int other : values) {
                weights[pair] /= mayMatch(one, other) ? 1 : TOLD;
                pair++;
            }
        }
    }

    /** Returns whether a rule's half has what a header has there that matches another rule. */
    private static boolean mayMatch(int values, int others) {
        boolean within = first(others) >= first(values) && first(others) <= last(values);
        return values == ANY || others != ANY && within;
    }

    /**
     * Returns the values of a half that a rule names: its first value in the upper 16 bits, its
     * last one in the lower ones; {@link #ANY} if it names more than {@link #MOST_VALUES}, or not a
     * range of them.
     */
    static int values(Match match, HeaderLayout layout, int half) {
        int word = layout.word(half >>> 1);
        boolean upper = (half & 1) == 0;
        int mask = (upper ? match.mask(word) >>> 16 : match.mask(word)) & 0xffff;
        int value = (upper ? match.value(word) >>> 16 : match.value(word)) & 0xffff;
        int free = ~mask & 0xffff;
        boolean prefix = (free & free + 1) == 0;
        if (prefix && free < MOST_VALUES) {
            return value << 16 | value | free;
        }
        int ports = upper ? match.srcPorts() : match.dstPorts();
        if (word == HeaderWord.PORTS && mask == 0 && span(ports) < MOST_VALUES) {
            return ports;
        }
        return ANY;
    }

    /** First of what {@link #values} returned, unless it is any. */
    static int first(int values) {
        return values >>> 16;
    }

    /** Last of what {@link #values} returned, unless it is any. */
    static int last(int values) {
        return values & 0xffff;
    }

    private static int span(int range) {
        return (range & Match.RANGE_HIGH) - (range >>> Match.RANGE_LOW_SHIFT);
    }

    /** A half of a header's word: bits to the right of it. */
    static int shift(int half) {
        return (half & 1) == 0 ? 16 : 0;
    }
}
