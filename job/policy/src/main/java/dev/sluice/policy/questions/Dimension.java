package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Run of header bits in which every mask is a prefix. Its coordinates number the intervals between
 * the bounds that matches name.
 */
final class Dimension {
    static final int MAC_BITS = 48;

    private static final int NO_PORT = -1;

    /** Highest type and code of ICMP. */
    private static final int MOST_CODE = 0xff;

    private final int word;

    /** True if the next word has the lower half of the bits. */
    private final boolean wide;

    private final int shift;
    private final long bits;

    /** Bits to the right of the port whose ranges count; {@link #NO_PORT}: none. */
    private final int port;

    /** The bits that a match asks for; those to their right make no difference. */
    private long asked;

    /** First value of each coordinate, its sign flipped so that longs compare as unsigned. */
    private long[] starts = {Long.MIN_VALUE};

    private Dimension(int word, boolean wide, int shift, int width, int port) {
        this.word = word;
        this.wide = wide;
        this.shift = shift;
        this.bits = width == Long.SIZE ? -1L : (1L << width) - 1;
        this.port = port;
    }

    /**
     * The dimensions of matches, without the bits of kinds.
     *
     * @throws IllegalArgumentException if a port has both a range and a mask with holes; {@link
     *     #needsPrefixes} tells
     */
    static List<Dimension> of(List<Match> matches) {
        List<Dimension> all = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            boolean wide = HeaderWord.isIpv6(word);
            if (word == HeaderWord.PORTS) {
                all.addAll(ofPort(matches, Field.SRC_PORT));
                all.addAll(ofPort(matches, Field.DST_PORT));
            } else {
                Set<Long> masks = new HashSet<>();
                for (Match match : matches) {
                    masks.add(mask(match, word, wide));
                }
                all.addAll(cut(word, wide, masks, 0, NO_PORT));
            }
            word += wide ? 1 : 0;
        }
        for (Dimension one : all) {
            one.collect(matches);
        }
        return all;
    }

    private static List<Dimension> ofPort(List<Match> matches, Field port) {
        List<Dimension> cut =
                cut(HeaderWord.PORTS, false, portMasks(matches, port), port.shift(), port.shift());
        boolean ranges = matches.stream().anyMatch(match -> range(match, port.shift()) != ALL);
        if (isHoled(cut)) { // the codes of ICMP are half of it
            Set<Long> masks = portMasks(matches, port);
            masks.add((long) MOST_CODE);
            cut = cut(HeaderWord.PORTS, false, masks, port.shift(), port.shift());
        }
        if (ranges && cut.isEmpty()) {
            return List.of(new Dimension(HeaderWord.PORTS, false, port.shift(), 16, port.shift()));
        }
        if (ranges && isHoled(cut)) {
            throw new IllegalArgumentException("a range of a port whose masks have holes");
        }
        return cut;
    }

    /** Returns whether matches have ranges of a port beside masks with holes. */
    static boolean needsPrefixes(List<Match> matches) {
        for (Field port : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            if (matches.stream().anyMatch(match -> range(match, port.shift()) != ALL)
                    && isHoled(
                            cut(HeaderWord.PORTS, false, portMasks(matches, port), 0, NO_PORT))) {
                return true;
            }
        }
        return false;
    }

    private static final int ALL = Match.ANY_PORT;

    private static boolean isHoled(List<Dimension> cut) {
        return cut.size() > 1 || cut.size() == 1 && cut.get(0).bits != 0xffff;
    }

    private static Set<Long> portMasks(List<Match> matches, Field port) {
        Set<Long> masks = new HashSet<>();
        for (Match match : matches) {
            masks.add((long) port.extract(match.mask(HeaderWord.PORTS)));
        }
        return masks;
    }

    private static int range(Match match, int port) {
        return port == Field.SRC_PORT.shift() ? match.srcPorts() : match.dstPorts();
    }

    /** Cuts bits where a mask has a bit without the bit to its left. */
    private static List<Dimension> cut(
            int word, boolean wide, Set<Long> masks, int shift, int port) {
        long tops = 0;
        for (long mask : masks) {
            tops |= mask & ~(mask >>> 1);
        }
        List<Dimension> cut = new ArrayList<>();
        while (tops != 0) {
            int top = 63 - Long.numberOfLeadingZeros(tops);
            tops &= ~(1L << top);
            int low = 64 - Long.numberOfLeadingZeros(tops);
            cut.add(new Dimension(word, wide, low + shift, top - low + 1, port));
        }
        return cut;
    }

    private static long mask(Match match, int word, boolean wide) {
        long high = match.mask(word) & ~Kinds.BITS[word] & 0xffffffffL;
        return wide ? high << 32 | match.mask(word + 1) & 0xffffffffL : high;
    }

    private long value(Match match) {
        long high = match.value(word) & ~Kinds.BITS[word] & 0xffffffffL;
        return wide ? high << 32 | match.value(word + 1) & 0xffffffffL : high;
    }

    /** Lowest value that a match leaves. */
    private long low(Match match) {
        long low = value(match) >>> shift & bits & mask(match, word, wide) >>> shift;
        return port == NO_PORT ? low : Math.max(low, range(match, port) >>> Match.RANGE_LOW_SHIFT);
    }

    /** Highest value that a match leaves. */
    private long high(Match match) {
        long mask = mask(match, word, wide) >>> shift & bits;
        long high = value(match) >>> shift & mask | ~mask & bits;
        return port == NO_PORT ? high : Math.min(high, range(match, port) & Match.RANGE_HIGH);
    }

    private void collect(List<Match> matches) {
        long[] bounds = new long[2 * matches.size() + 4 + fragmentBounds().length];
        int n = 1;
        bounds[0] = Long.MIN_VALUE;
        if (noIcmp() > 0) {
            bounds[n++] = noIcmp() ^ Long.MIN_VALUE;
        }
        for (long bound : fragmentBounds()) {
            bounds[n++] = bound ^ Long.MIN_VALUE;
        }
        for (Match match : matches) {
            asked |= mask(match, word, wide) >>> shift & bits;
            bounds[n++] = low(match) ^ Long.MIN_VALUE;
            long high = high(match);
            if (high != bits) {
                bounds[n++] = high + 1 ^ Long.MIN_VALUE;
            }
        }
        Arrays.sort(bounds, 0, n);
        int kept = 1;
        for (int i = 1; i < n; i++) {
            if (bounds[i] != bounds[kept - 1]) {
                bounds[kept++] = bounds[i];
            }
        }
        starts = Arrays.copyOf(bounds, kept);
    }

    /**
     * First values of runs without the fragment header of IPv6 and of runs with it, in turn; none:
     * the bit is in another dimension.
     */
    private long[] fragmentBounds() {
        long bit =
                bitsOf(
                        HeaderWord.IP_LENGTH,
                        Field.EXTENSION_FRAGMENT << Field.IPV6_EXTENSIONS.shift());
        if (bit == 0) {
            return new long[0];
        }
        long[] bounds = new long[(int) ((bits >>> Long.numberOfTrailingZeros(bit)) + 1)];
        Arrays.setAll(bounds, i -> i * bit);
        return bounds;
    }

    /** First and last coordinates of runs without the fragment header of IPv6. */
    List<int[]> withoutFragmentHeader() {
        List<int[]> runs = new ArrayList<>();
        long[] starts = fragmentBounds();
        for (int i = 0; i < starts.length; i += 2) {
            runs.add(new int[] {at(starts[i]), at(starts[i + 1]) - 1});
        }
        return runs;
    }

    private boolean isPort() {
        return port != NO_PORT && bits == 0xffff;
    }

    boolean isOfPort() {
        return port != NO_PORT;
    }

    /** First value that types and codes of ICMP do not have; 0: they have all. */
    private long noIcmp() {
        return isPort() ? MOST_CODE + 1 : port != NO_PORT && shift - port >= 8 ? 1 : 0;
    }

    /** First coordinate that types and codes of ICMP do not have; 0: they have all. */
    int atNoIcmp() {
        return noIcmp() == 0 ? 0 : at(noIcmp());
    }

    /** Returns whether its bits are those of a header word, the highest one included. */
    boolean begins(int header) {
        return header == word && (bits << shift & (wide ? Long.MIN_VALUE : 0x80000000L)) != 0;
    }

    /** Number of coordinates. */
    int size() {
        return starts.length;
    }

    /** First coordinate of a match. */
    int first(Match match) {
        return at(low(match));
    }

    /** Last coordinate of a match; before the first one: none. */
    int last(Match match) {
        return low(match) > high(match) && isPort() ? -1 : at(high(match));
    }

    /** The coordinate of a value. */
    int at(long value) {
        int found = Arrays.binarySearch(starts, value ^ Long.MIN_VALUE);
        return found >= 0 ? found : -found - 2;
    }

    /** The coordinate of the value that its word, or pair of words, has. */
    int atWord(long wanted) {
        return at(wanted >>> shift & bits);
    }

    /** The coordinate of a header. */
    int atHeader(int[] header) {
        long high = Integer.toUnsignedLong(header[word]);
        return atWord(wide ? high << 32 | Integer.toUnsignedLong(header[word + 1]) : high);
    }

    /** Writes a value of a coordinate into a header: a wanted one if it has it, else its first. */
    void put(int[] header, int coordinate, long[] wanted) {
        long value = starts[coordinate] ^ Long.MIN_VALUE;
        for (long one : wanted) {
            long part = one >>> shift & bits;
            if (at(part) == coordinate) {
                value = part;
                break;
            }
        }
        long placed = value << shift;
        long kept = ~(bits << shift);
        if (wide) {
            header[word] = header[word] & (int) (kept >>> 32) | (int) (placed >>> 32);
            header[word + 1] = header[word + 1] & (int) kept | (int) placed;
        } else {
            header[word] = header[word] & (int) kept | (int) placed;
        }
    }

    int word() {
        return word;
    }

    /** The bits of its values that are those of a header word. */
    long bitsOf(int header, int inWord) {
        long all = Integer.toUnsignedLong(inWord);
        long placed =
                header == word ? wide ? all << 32 : all : wide && header == word + 1 ? all : 0;
        return placed >>> shift & bits;
    }

    /** The bits of its values that are those of a field. */
    long bitsOf(Field field) {
        if (field.bits() <= Integer.SIZE) {
            return bitsOf(field.word(), field.maskInWord());
        }
        if (field.bits() != MAC_BITS) {
            return field.word() == word ? bits : 0;
        }
        boolean source = field.equals(Field.ETH_SRC);
        return bitsOf(HeaderWord.MAC_MIDDLE, source ? 0xffff0000 : 0xffff)
                | bitsOf(source ? HeaderWord.MAC_HIGH : HeaderWord.MAC_LOW, -1);
    }

    /** Bits of its values that some match asks for. */
    long asked() {
        return asked;
    }

    /** The bits of all its values. */
    long bits() {
        return bits;
    }

    /** Bits of its word, or pair of words, to the right of its own. */
    int shift() {
        return shift;
    }

    /** First value of a coordinate. */
    long first(int coordinate) {
        return starts[coordinate] ^ Long.MIN_VALUE;
    }

    /** Last value of a coordinate. */
    long last(int coordinate) {
        return coordinate + 1 < starts.length
                ? (starts[coordinate + 1] ^ Long.MIN_VALUE) - 1
                : bits;
    }
}
