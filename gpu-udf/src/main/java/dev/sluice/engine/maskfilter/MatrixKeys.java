package dev.sluice.engine.maskfilter;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Chooses the keys of the mask filter among {@link KeyMasks}: greedily those that leave the fewest
 * tuples to probe, on average over headers made from the rules.
 */
final class MatrixKeys {
    private static final int MOST_KEYS = 20;
    private static final int SAMPLES = 192;

    /** A further key is taken if it leaves at most this share of the tuples that were left. */
    private static final double LEAST_GAIN = 0.97;

    private MatrixKeys() {}

    /**
     * The keys as masks in the layout's words; none for rules that name nothing.
     *
     * @param arena is told of the work and of what is held on the way
     */
    static List<int[]> choose(RuleSet rules, HeaderLayout layout, Arena arena) {
        int[] union = new int[layout.size()];
        Map<List<Integer>, Integer> numbers = new HashMap<>();
        List<int[]> masks = new ArrayList<>();
        int[] maskOf = new int[rules.size()];
        for (int r = 0; r < rules.size(); r++) {
            Match match = rules.rules().get(r).match();
            int[] mask = new int[layout.size()];
            for (int p = 0; p < mask.length; p++) {
                mask[p] = match.mask(layout.word(p));
                union[p] |= mask[p];
            }
            List<Integer> key = Arrays.stream(mask).boxed().toList();
            Integer number = numbers.putIfAbsent(key, masks.size());
            maskOf[r] = number == null ? masks.size() : number;
            if (number == null) {
                masks.add(mask);
            }
        }
        List<int[]> candidates = KeyMasks.candidates(layout, union);
        int[][] headers = headers(rules, layout);
        long bits = (long) candidates.size() * headers.length * ((masks.size() + 63) / 64);
        arena.work(bits);
        arena.hold(Long.BYTES * bits);
        long[][][] left = new long[candidates.size()][][];
        for (int k = 0; k < candidates.size(); k++) {
            arena.work((long) rules.size() + masks.size());
            left[k] = survivors(rules, layout, masks, maskOf, candidates.get(k), headers);
        }
        List<int[]> chosen = greedy(candidates, left, headers.length, masks.size(), arena);
        arena.unhold(Long.BYTES * bits);
        return chosen;
    }

    private static int[][] headers(RuleSet rules, HeaderLayout layout) {
        SplittableRandom random = new SplittableRandom(5);
        int[][] headers = new int[rules.size() == 0 ? 0 : SAMPLES][layout.size()];
        for (int[] header : headers) {
            Match match = rules.rules().get(random.nextInt(rules.size())).match();
            Match other = rules.rules().get(random.nextInt(rules.size())).match();
            for (int p = 0; p < header.length; p++) {
                int w = layout.word(p);
                // Bits that the rule leaves open get the values of another rule, as in real
                // traffic.
                int open = other.value(w) | random.nextInt() & ~other.mask(w);
                header[p] = match.value(w) | open & ~match.mask(w);
            }
        }
        return headers;
    }

    /** For each header a bit for each mask: whether it is left if the key is the only one. */
    private static long[][] survivors(
            RuleSet rules,
            HeaderLayout layout,
            List<int[]> masks,
            int[] maskOf,
            int[] key,
            int[][] headers) {
        int words = (masks.size() + 63) / 64;
        long[] wild = new long[words];
        boolean[] names = new boolean[masks.size()];
        for (int m = 0; m < masks.size(); m++) {
            names[m] = KeyMasks.contains(masks.get(m), key);
            if (!names[m]) {
                wild[m >> 6] |= 1L << m;
            }
        }
        long[][] left = new long[headers.length][];
        LongIntMap byHash = new LongIntMap();
        int[] next = new int[headers.length];
        for (int i = 0; i < headers.length; i++) {
            left[i] = wild.clone();
            int hash = KeyMasks.hash(key, headers[i], 0);
            next[i] = byHash.get(hash);
            byHash.put(hash, i + 1);
        }
        int[] values = new int[key.length];
        for (int r = 0; r < rules.size(); r++) {
            if (!names[maskOf[r]]) {
                continue;
            }
            Rule rule = rules.rules().get(r);
            for (int p = 0; p < key.length; p++) {
                if (key[p] != 0) {
                    values[p] = rule.match().value(layout.word(p));
                }
            }
            for (int i = byHash.get(KeyMasks.hash(key, values, 0)); i != 0; i = next[i - 1]) {
                left[i - 1][maskOf[r] >> 6] |= 1L << maskOf[r];
            }
        }
        return left;
    }

    private static List<int[]> greedy(
            List<int[]> candidates, long[][][] left, int headers, int masks, Arena arena) {
        long[][] now = new long[headers][(masks + 63) / 64];
        for (long[] bits : now) {
            Arrays.fill(bits, -1L);
        }
        long count = (long) headers * masks;
        List<int[]> chosen = new ArrayList<>();
        while (chosen.size() < MOST_KEYS) {
            int best = -1;
            long fewest = count;
            arena.work((long) candidates.size() * headers * ((masks + 63) / 64));
            for (int k = 0; k < candidates.size(); k++) {
                long remaining = 0;
                for (int i = 0; i < headers; i++) {
                    for (int w = 0; w < now[i].length; w++) {
                        long bits = now[i][w] & left[k][i][w];
                        remaining += Long.bitCount(bits);
                    }
                }
                if (remaining < fewest) {
                    fewest = remaining;
                    best = k;
                }
            }
            if (best < 0 || fewest > LEAST_GAIN * count) {
                break;
            }
            chosen.add(candidates.get(best));
            for (int i = 0; i < headers; i++) {
                for (int w = 0; w < now[i].length; w++) {
                    now[i][w] &= left[best][i][w];
                }
            }
            count = fewest;
        }
        return chosen;
    }
}
