package dev.sluice.engine.rfc;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Up to 16 bits of one header word, in one or two runs of adjacent bits: the index of a table of
 * the first phase.
 *
 * @param word the {@link HeaderWord}
 * @param shift bits to the right of the lower run
 * @param bits width of the lower run
 * @param upperShift bits to the right of the upper run
 * @param upperBits width of the upper run, 0 for none
 */
record RfcChunk(int word, int shift, int bits, int upperShift, int upperBits) {
    private static final int LOW = 0xffff;

    /** A word of which rules name two runs of so many bits together makes one chunk, else two. */
    private static final int MOST_GATHERED = 12;

    int size() {
        return 1 << bits + upperBits;
    }

    int lowerMask() {
        return (1 << bits) - 1;
    }

    int upperMask() {
        return (1 << upperBits) - 1;
    }

    /** The word with the bits of an index of the chunk, others 0. */
    int spread(int index) {
        return (index & lowerMask()) << shift | index >>> bits << upperShift;
    }

    /** The chunks of a word: they have all bits that any rule names. */
    static List<RfcChunk> of(int word, int used) {
        List<RfcChunk> chunks = new ArrayList<>();
        RfcChunk gathered = gather(word, used);
        if (gathered != null) {
            chunks.add(gathered);
            return chunks;
        }
        for (int half = 16; half >= 0; half -= 16) {
            int bits = used >>> half & LOW;
            if (bits != 0) {
                int low = Integer.numberOfTrailingZeros(bits);
                int width = 32 - Integer.numberOfLeadingZeros(bits) - low;
                chunks.add(new RfcChunk(word, half + low, width, 0, 0));
            }
        }
        return chunks;
    }

    private static @Nullable RfcChunk gather(int word, int used) {
        int low = Integer.numberOfTrailingZeros(used);
        int high = 31 - Integer.numberOfLeadingZeros(used);
        // The longest run of bits that no rule names separates the two runs.
        int holeFrom = 0;
        int hole = 0;
        for (int b = low; b <= high; b++) {
            int run = 0;
            while (b + run <= high && (used >>> b + run & 1) == 0) {
                run++;
            }
            if (run > hole) {
                hole = run;
                holeFrom = b;
            }
            b += run;
        }
        if (hole == 0 || high - low + 1 - hole > MOST_GATHERED || high - low < 16) {
            return null;
        }
        int upper = holeFrom + hole;
        return new RfcChunk(word, low, holeFrom - low, upper, high - upper + 1);
    }

    /** What a rule asks of the chunk's bits: a value under a mask, and ports within ranges. */
    private record Constraint(int value, int mask, int srcPorts, int dstPorts) {
        boolean holds(int word, boolean ports) {
            return ((word ^ value) & mask) == 0
                    && (!ports
                            || Match.inRange(word >>> 16, srcPorts)
                                    && Match.inRange(word & LOW, dstPorts));
        }
    }

    private Constraint constraint(Match match) {
        int named = lowerMask() << shift | upperMask() << upperShift;
        boolean src = word == HeaderWord.PORTS && shift >= 16;
        boolean dst = word == HeaderWord.PORTS && shift < 16;
        return new Constraint(
                match.value(word) & named,
                match.mask(word) & named,
                src ? match.srcPorts() : LOW,
                dst ? match.dstPorts() : LOW);
    }

    /**
     * Makes the table of the chunk: all values begin in one class, and each distinct constraint of
     * a rule splits every class into the values that meet it and those that do not.
     */
    RfcPart reduce(RuleSet rules, String algorithm, long budgetBytes) {
        int size = size();
        int[] words = new int[size];
        Arrays.setAll(words, this::spread);
        boolean ports = word == HeaderWord.PORTS;
        int[] classOf = new int[size];
        int next = 1;
        Set<Constraint> seen = new HashSet<>();
        Map<Integer, Integer> moved = new HashMap<>();
        for (Rule rule : rules.rules()) {
            Constraint c = constraint(rule.match());
            if (c.mask == 0 && c.srcPorts == LOW && c.dstPorts == LOW || !seen.add(c)) {
                continue;
            }
            moved.clear();
            int from = 0;
            int to = size;
            if (Integer.bitCount(c.mask) == bits + upperBits) {
                from =
                        c.value >>> shift & lowerMask()
                                | (c.value >>> upperShift & upperMask()) << bits;
                to = from + 1;
            }
            for (int v = from; v < to; v++) {
                if (c.holds(words[v], ports)) {
                    Integer id = moved.get(classOf[v]);
                    if (id == null) {
                        id = next++;
                        moved.put(classOf[v], id);
                    }
                    classOf[v] = id;
                }
            }
        }
        return number(
                rules,
                words,
                classOf,
                new RfcPart.Classes((rules.size() + 63) / 64, algorithm, budgetBytes));
    }

    private RfcPart number(RuleSet rules, int[] words, int[] classOf, RfcPart.Classes classes) {
        boolean ports = word == HeaderWord.PORTS;
        int n = rules.size();
        Map<Integer, Integer> ids = new HashMap<>();
        Constraint[] constraints = new Constraint[n];
        Arrays.setAll(constraints, r -> constraint(rules.rules().get(r).match()));
        int[] table = new int[words.length];
        for (int v = 0; v < words.length; v++) {
            Integer id = ids.get(classOf[v]);
            if (id == null) {
                long[] bits = classes.probe();
                Arrays.fill(bits, 0);
                for (int r = 0; r < n; r++) {
                    if (constraints[r].holds(words[v], ports)) {
                        bits[r >> 6] |= 1L << r;
                    }
                }
                id = classes.id();
                ids.put(classOf[v], id);
            }
            table[v] = id;
        }
        return classes.part(table);
    }
}
