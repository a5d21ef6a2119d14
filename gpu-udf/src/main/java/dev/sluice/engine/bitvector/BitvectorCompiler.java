package dev.sluice.engine.bitvector;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts each field into disjoint ranges and writes a bitvector for each. */
public final class BitvectorCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "bitvector";

    /** Code of the algorithm in images. */
    static final int CODE = 6;

    private BitvectorCompiler() {}

    /** Fields that an image of this algorithm searches. */
    public static int fields(Image image) {
        return image.words()[BitvectorLayout.COUNT_AT];
    }

    /** Adjacent bits of one word that rules name: a field, or a word of a longer one. */
    private record Part(int word, int shift, int bits, String name) {
        int mask() {
            return bits == 32 ? -1 : (1 << bits) - 1;
        }
    }

    /**
     * The disjoint ranges of a field: their lower and upper bounds, unsigned, and for each rule the
     * first and the last range that it covers.
     */
    private record Ranges(long[] lows, long[] highs, int[] first, int[] last) {}

    /**
     * Compiles a rule set.
     *
     * @param meter counts the words of the vectors
     * @throws UnsupportedRulesException if a field's mask is no prefix, or the rules name too many
     *     fields
     * @throws MemoryBudgetException if ranges times rules exceed the budget; known before anything
     *     is built
     */
    public static Image compile(RuleSet rules, BuildMeter meter) {
        long budgetBytes = meter.budgetBytes();
        int n = rules.size();
        List<Part> parts = parts(rules);
        if (parts.size() > BitvectorLayout.MOST_FIELDS) {
            throw new UnsupportedRulesException(
                    LABEL,
                    0,
                    "the rules name %d fields or parts of fields, of which it takes %d"
                            .formatted(parts.size(), BitvectorLayout.MOST_FIELDS));
        }
        List<Ranges> ranges = new ArrayList<>();
        int vector = (n + 63) / 64;
        int stride = BitvectorLayout.rangeWords(vector);
        long words = ImageLayout.BODY_AT + (long) parts.size() * BitvectorLayout.RECORD;
        for (Part part : parts) {
            Ranges cut = cut(rules, part);
            ranges.add(cut);
            int perWord = perWord(part.bits);
            words +=
                    2L * ((cut.lows.length + perWord - 1) / perWord)
                            + (long) cut.lows.length * stride;
        }
        if (4 * words > budgetBytes) {
            throw new MemoryBudgetException(LABEL, 4 * words, budgetBytes);
        }
        WordWriter out = new WordWriter(LABEL, budgetBytes);
        int records = out.reserve((long) parts.size() * BitvectorLayout.RECORD);
        out.set(BitvectorLayout.FIELDS_AT, records);
        out.set(BitvectorLayout.COUNT_AT, parts.size());
        out.set(BitvectorLayout.VECTOR_WORDS_AT, vector);
        for (int f = 0; f < parts.size(); f++) {
            Part part = parts.get(f);
            Ranges cut = ranges.get(f);
            int record = records + f * BitvectorLayout.RECORD;
            out.set(record + BitvectorLayout.POSITION, rules.layout().position(part.word));
            out.set(record + BitvectorLayout.SHIFT, part.shift);
            out.set(record + BitvectorLayout.BITS, part.bits);
            out.set(record + BitvectorLayout.RANGES, cut.lows.length);
            out.set(record + BitvectorLayout.LOWS, bounds(out, cut.lows, part.bits));
            out.set(record + BitvectorLayout.HIGHS, bounds(out, cut.highs, part.bits));
            out.set(record + BitvectorLayout.VECTORS, vectors(out, cut, n, vector, stride, meter));
        }
        return Image.seal(out.toArray(), CODE, rules.layout(), n);
    }

    /** Bounds that share a word: four of 8 bits, two of 16 or one of 32. */
    static int perWord(int bits) {
        return bits <= 8 ? 4 : bits <= 16 ? 2 : 1;
    }

    private static int bounds(WordWriter out, long[] bounds, int bits) {
        int perWord = perWord(bits);
        int width = 32 / perWord;
        int at = out.reserve((bounds.length + perWord - 1L) / perWord);
        for (int i = 0; i < bounds.length; i++) {
            int word = at + i / perWord;
            out.set(word, out.get(word) | (int) bounds[i] << i % perWord * width);
        }
        return at;
    }

    private static List<Part> parts(RuleSet rules) {
        int[] used = new int[HeaderWord.COUNT];
        for (Rule rule : rules.rules()) {
            Match match = rule.match();
            for (int w = 0; w < HeaderWord.COUNT; w++) {
                used[w] |= match.mask(w);
            }
            used[HeaderWord.PORTS] |= match.srcPorts() != 0xffff ? 0xffff0000 : 0;
            used[HeaderWord.PORTS] |= match.dstPorts() != 0xffff ? 0xffff : 0;
        }
        List<Part> parts = new ArrayList<>();
        for (Field field : Field.values()) {
            int shift = field.shift();
            int word = field.word() + field.words() - 1;
            for (int left = field.bits(); left > 0; word--) {
                Part part = new Part(word, shift, Math.min(left, 32 - shift), field.label());
                if ((used[word] >>> shift & part.mask()) != 0) {
                    parts.add(part);
                }
                left -= part.bits;
                shift = 0;
            }
        }
        return parts;
    }

    /** Disjoint ranges between all bounds of the rules; what no rule covers is left out. */
    private static Ranges cut(RuleSet rules, Part part) {
        int n = rules.size();
        long top = part.mask() & 0xffffffffL;
        long[] from = new long[n];
        long[] to = new long[n];
        long[] starts = new long[2 * n + 1];
        for (int r = 0; r < n; r++) {
            Rule rule = rules.rules().get(r);
            Match match = rule.match();
            int mask = match.mask(part.word) >>> part.shift & part.mask();
            long value = (match.value(part.word) >>> part.shift & part.mask()) & 0xffffffffL;
            long open = ~mask & top;
            if ((open & open + 1) != 0) {
                throw new UnsupportedRulesException(
                        LABEL,
                        rule.line(),
                        "its mask of field " + part.name + " has holes; only prefixes are ranges");
            }
            from[r] = value;
            to[r] = value + open;
            if (part.word == HeaderWord.PORTS) {
                int range = part.shift == 16 ? match.srcPorts() : match.dstPorts();
                from[r] = Math.max(from[r], range >>> 16);
                to[r] = Math.min(to[r], range & 0xffff);
            }
            starts[2 * r] = from[r];
            starts[2 * r + 1] = to[r] + 1;
        }
        starts[2 * n] = 0;
        long[] bounds = Arrays.stream(starts).filter(b -> b <= top).sorted().distinct().toArray();
        int[] covered = new int[bounds.length + 1];
        int[] first = new int[n];
        int[] last = new int[n];
        for (int r = 0; r < n; r++) {
            first[r] = Arrays.binarySearch(bounds, from[r]);
            int end = Arrays.binarySearch(bounds, to[r] + 1);
            last[r] = end < 0 ? bounds.length - 1 : end - 1;
            if (from[r] <= to[r]) {
                covered[first[r]]++;
                covered[last[r] + 1]--;
            }
        }
        int[] number = new int[bounds.length + 1];
        long[] lows = new long[bounds.length];
        long[] highs = new long[bounds.length];
        int kept = 0;
        int depth = 0;
        for (int b = 0; b < bounds.length; b++) {
            depth += covered[b];
            number[b] = kept;
            if (depth > 0) {
                lows[kept] = bounds[b];
                highs[kept++] = b + 1 < bounds.length ? bounds[b + 1] - 1 : top;
            }
        }
        number[bounds.length] = kept;
        for (int r = 0; r < n; r++) {
            if (from[r] > to[r]) {
                first[r] = 1; // a range and a value of one port that exclude each other
                last[r] = 0;
            } else {
                first[r] = number[first[r]];
                last[r] = number[last[r] + 1] - 1;
            }
        }
        return new Ranges(Arrays.copyOf(lows, kept), Arrays.copyOf(highs, kept), first, last);
    }

    private static int vectors(
            WordWriter out, Ranges cut, int n, int vector, int stride, BuildMeter meter) {
        int ranges = cut.lows.length;
        int aggregate = BitvectorLayout.aggregateWords(vector);
        int at = out.reserve((long) ranges * stride);
        // Along the ranges: rules come at their first one and go behind their last one.
        int[] next = new int[n];
        int[] comes = new int[ranges + 1];
        int[] goes = new int[ranges + 1];
        int[] nextGoing = new int[n];
        for (int r = 0; r < n; r++) {
            if (cut.first[r] <= cut.last[r]) {
                next[r] = comes[cut.first[r]];
                comes[cut.first[r]] = r + 1;
                nextGoing[r] = goes[cut.last[r] + 1];
                goes[cut.last[r] + 1] = r + 1;
            }
        }
        meter.work((long) ranges * stride);
        int[] bits = new int[2 * vector];
        for (int j = 0; j < ranges; j++) {
            for (int r = goes[j]; r != 0; r = nextGoing[r - 1]) {
                bits[r - 1 >> 5] &= ~(1 << r - 1);
            }
            for (int r = comes[j]; r != 0; r = next[r - 1]) {
                bits[r - 1 >> 5] |= 1 << r - 1;
            }
            for (int w = 0; w < bits.length; w++) {
                out.set(at + j * stride + aggregate + w, bits[w]);
            }
        }
        for (int j = 0; j < ranges; j++) {
            int base = at + j * stride;
            for (int v = 0; v < vector; v++) {
                int pair = base + aggregate + 2 * v;
                if ((out.get(pair) | out.get(pair + 1)) != 0) {
                    out.set(base + (v >> 5), out.get(base + (v >> 5)) | 1 << v);
                }
            }
        }
        return at;
    }
}
