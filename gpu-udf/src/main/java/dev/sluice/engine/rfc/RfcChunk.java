package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
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

    /** Numbers for each value that a division holds while it is made; one of them stays. */
    private static final long DIVISION_WORDS = 6;

    /** Work that a test of a value by a constraint counts for, in words. */
    private static final long TEST_WORDS = 4;

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

    /** Condition of a rule on the chunk's bits: a value under a mask, and ports within ranges. */
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
     * The values of a chunk, divided by the rules that they allow.
     *
     * @param classOf for each value a number, equal for values of one class
     * @param classes number of classes
     */
    record Division(int[] classOf, int classes) {}

    /**
     * Divides the chunk's values: all begin in one class, and each distinct constraint of a rule
     * splits every class into the values that meet it and those that do not.
     *
     * @param mostClasses classes beyond which the chunk is of no use
     * @param mostConstraints constraints that are looked at; with fewer than there are, the classes
     *     are at most as many as with all
     * @return with more than {@code mostClasses} if there are so many
     * @throws dev.sluice.engine.image.MemoryBudgetException if it is more work than the budget is
     *     worth
     */
    Division divide(RuleSet rules, long mostClasses, int mostConstraints, BuildMeter meter) {
        int size = size();
        meter.hold(DIVISION_WORDS * RfcPart.tableBytes(size));
        int[] words = words();
        boolean ports = word == HeaderWord.PORTS;
        int[] classOf = new int[size];
        int[] members = new int[size];
        int[] movedTo = new int[size];
        int[] movedBy = new int[size];
        int[] free = new int[size];
        members[0] = size;
        int next = 1;
        int freed = 0;
        int classes = 1;
        int split = 0;
        Set<Constraint> seen = new HashSet<>();
        for (Rule rule : rules.rules()) {
            Constraint c = constraint(rule.match());
            if (c.mask == 0 && c.srcPorts == LOW && c.dstPorts == LOW || !seen.add(c)) {
                continue;
            }
            split++;
            int from = 0;
            int to = size;
            if (Integer.bitCount(c.mask) == bits + upperBits) {
                from =
                        c.value >>> shift & lowerMask()
                                | (c.value >>> upperShift & upperMask()) << bits;
                to = from + 1;
            }
            meter.work(TEST_WORDS * (to - from));
            for (int v = from; v < to; v++) {
                if (!c.holds(words[v], ports)) {
                    continue;
                }
                int old = classOf[v];
                if (movedBy[old] != split) {
                    movedBy[old] = split;
                    if (members[old] == 1) {
                        movedTo[old] = old;
                        continue;
                    }
                    int fresh = freed > 0 ? free[--freed] : next++;
                    movedTo[old] = fresh;
                    members[fresh] = 0;
                    movedBy[fresh] = split;
                    movedTo[fresh] = fresh;
                    classes++;
                }
                int into = movedTo[old];
                if (into != old) {
                    classOf[v] = into;
                    members[into]++;
                    if (--members[old] == 0) {
                        free[freed++] = old;
                        classes--;
                    }
                }
            }
            if (classes > mostClasses || split >= mostConstraints) {
                break;
            }
        }
        meter.release((DIVISION_WORDS - 1) * RfcPart.tableBytes(size));
        return new Division(classOf, classes);
    }

    private int[] words() {
        int[] words = new int[size()];
        Arrays.setAll(words, this::spread);
        return words;
    }

    /** An index of the chunk out of the word's bits. */
    private int gather(int bitsOfWord) {
        return bitsOfWord >>> shift & lowerMask()
                | (bitsOfWord >>> upperShift & upperMask()) << bits;
    }

    /**
     * The values that meet each rule's constraint, where these are runs of values: prefixes and
     * ranges.
     *
     * @param first first value of each rule's run
     * @param last last one, less than the first where no value meets it
     */
    record Runs(int[] first, int[] last) {}

    /** The runs of all rules; null if a mask has holes. */
    @Nullable Runs runs(RuleSet rules) {
        int n = rules.size();
        int[] first = new int[n];
        int[] last = new int[n];
        for (int r = 0; r < n; r++) {
            Constraint c = constraint(rules.rules().get(r).match());
            int open = ~gather(c.mask) & size() - 1;
            if ((open & open + 1) != 0) {
                return null;
            }
            first[r] = gather(c.value);
            last[r] = first[r] | open;
            int range = shift >= 16 ? c.srcPorts : c.dstPorts;
            if (range != LOW) {
                if (size() != 1 << 16) {
                    return null;
                }
                first[r] = Math.max(first[r], range >>> 16);
                last[r] = Math.min(last[r], range & LOW);
            }
        }
        return new Runs(first, last);
    }

    /**
     * Makes the table of a chunk whose constraints are runs of values: along the values, rules come
     * and go.
     *
     * @param mostClasses classes beyond which the chunk is of no use
     * @return with more than {@code mostClasses} classes if there are so many; the table is cut
     *     then
     */
    RfcPart sweep(RuleSet rules, Runs runs, long mostClasses, BuildMeter meter) {
        int n = rules.size();
        int size = size();
        int bitWords = (n + 63) / 64;
        meter.hold(RfcPart.tableBytes(size));
        meter.work(size + (long) n);
        int[] table = new int[size];
        // Where a rule comes or goes: the value, and behind it the rule's number.
        long[] turns = new long[2 * n];
        int count = 0;
        for (int r = 0; r < n; r++) {
            if (runs.first[r] <= runs.last[r]) {
                turns[count++] = (long) runs.first[r] << 32 | r;
                turns[count++] = runs.last[r] + 1L << 32 | r;
            }
        }
        Arrays.sort(turns, 0, count);
        RfcPart.Classes classes = new RfcPart.Classes(bitWords, meter);
        long[] now = new long[bitWords];
        int next = 0;
        for (int from = 0, to; from < size && classes.count() <= mostClasses; from = to) {
            for (; next < count && turns[next] >>> 32 == from; next++) {
                int r = (int) turns[next];
                now[r >> 6] ^= 1L << r;
            }
            meter.work(2L * bitWords);
            System.arraycopy(now, 0, classes.probe(), 0, bitWords);
            to = next < count ? (int) Math.min(size, turns[next] >>> 32) : size;
            Arrays.fill(table, from, to, classes.id());
        }
        return classes.part(table);
    }

    /**
     * Makes the table of the chunk.
     *
     * @param division of the chunk's values
     */
    RfcPart reduce(RuleSet rules, Division division, BuildMeter meter) {
        int n = rules.size();
        int bitWords = (n + 63) / 64;
        meter.require(RfcPart.classBytes(division.classes, bitWords));
        meter.requireWork(TEST_WORDS * division.classes * n);
        meter.hold(2 * RfcPart.tableBytes(size()));
        RfcPart.Classes classes = new RfcPart.Classes(bitWords, meter);
        boolean ports = word == HeaderWord.PORTS;
        Constraint[] constraints = new Constraint[n];
        Arrays.setAll(constraints, r -> constraint(rules.rules().get(r).match()));
        int[] idOf = new int[division.classOf.length];
        int[] table = division.classOf;
        int[] words = words();
        for (int v = 0; v < words.length; v++) {
            int id = idOf[division.classOf[v]] - 1;
            if (id < 0) {
                meter.work(TEST_WORDS * n);
                long[] bits = classes.probe();
                Arrays.fill(bits, 0);
                for (int r = 0; r < n; r++) {
                    if (constraints[r].holds(words[v], ports)) {
                        bits[r >> 6] |= 1L << r;
                    }
                }
                id = classes.id();
                idOf[division.classOf[v]] = id + 1;
            }
            table[v] = id;
        }
        meter.release(2 * RfcPart.tableBytes(size()));
        return classes.part(table);
    }
}
