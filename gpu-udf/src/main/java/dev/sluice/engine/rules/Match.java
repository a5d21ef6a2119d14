package dev.sluice.engine.rules;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Conditions of a rule on a header: for each header word a value under a mask, and inclusive ranges
 * of the two ports. A header matches when it meets all of them. Immutable.
 */
public final class Match {
    /** The range of all ports. */
    public static final int ANY_PORT = 0xffff;

    /** Bits to the right of the lowest port in the word of a range. */
    public static final int RANGE_LOW_SHIFT = 16;

    /** Mask of the highest port in the word of a range. */
    public static final int RANGE_HIGH = 0xffff;

    private final long wordBits;

    /** Value and mask of each word in {@link #wordBits}, ascending. */
    private final int[] valueMasks;

    private final int srcPorts;
    private final int dstPorts;

    private Match(long wordBits, int[] valueMasks, int srcPorts, int dstPorts) {
        this.wordBits = wordBits;
        this.valueMasks = valueMasks;
        this.srcPorts = srcPorts;
        this.dstPorts = dstPorts;
    }

    /** Value of a {@link HeaderWord}; bits outside {@link #mask} are 0. */
    public int value(int word) {
        return part(word, 0);
    }

    /** Mask of a {@link HeaderWord}: the bits that the rule constrains. */
    public int mask(int word) {
        return part(word, 1);
    }

    private int part(int word, int which) {
        if ((wordBits >>> word & 1) == 0) {
            return 0;
        }
        return valueMasks[2 * Long.bitCount(wordBits & HeaderWord.bit(word) - 1) + which];
    }

    /** Place of the value of the lowest of some words. */
    private int place(long words) {
        return 2 * Long.bitCount(wordBits & (words & -words) - 1);
    }

    /** Source port range, low port in the high 16 bits, high port in the low ones. */
    public int srcPorts() {
        return srcPorts;
    }

    /** Destination port range, as {@link #srcPorts}. */
    public int dstPorts() {
        return dstPorts;
    }

    /** Returns whether a port is constrained by a range that no value and mask can say. */
    public boolean hasRange() {
        return srcPorts != ANY_PORT || dstPorts != ANY_PORT;
    }

    /** Bit w set: the match looks at {@link HeaderWord} w. */
    public long usedWords() {
        return hasRange() ? wordBits | HeaderWord.bit(HeaderWord.PORTS) : wordBits;
    }

    /** The match without what it asks of some header words. */
    public Match without(int... words) {
        Builder rest = builder();
        for (int word : words) {
            rest.masks[word] = 0;
            if (word == HeaderWord.PORTS) {
                rest.srcPorts = ANY_PORT;
                rest.dstPorts = ANY_PORT;
            }
        }
        return rest.build();
    }

    /** The match without what it asks of the bits of a field of at most 32 bits. */
    public Match without(Field field) {
        Builder rest = builder();
        rest.masks[field.word()] &= ~field.maskInWord();
        rest.values[field.word()] &= ~field.maskInWord();
        return rest.build();
    }

    /** A builder of a match like this one. */
    private Builder builder() {
        Builder same = new Builder();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            same.word(w, value(w), mask(w));
        }
        same.srcPorts = srcPorts;
        same.dstPorts = dstPorts;
        return same;
    }

    /**
     * The match as matches without ranges: each range cut into prefixes, all combinations but those
     * of ports that the match's own value and mask rule out; none if it matches nothing.
     */
    public List<Match> prefixes() {
        List<Match> pieces = new ArrayList<>();
        for (int[] src : portPrefixes(Field.SRC_PORT, srcPorts)) {
            for (int[] dst : portPrefixes(Field.DST_PORT, dstPorts)) {
                Builder piece = builder();
                piece.srcPorts = ANY_PORT;
                piece.dstPorts = ANY_PORT;
                piece.field(Field.SRC_PORT, src[0], src[1]);
                piece.field(Field.DST_PORT, dst[0], dst[1]);
                pieces.add(piece.build());
            }
        }
        return pieces;
    }

    /** The prefixes of a port's range that hold a port of the value under the mask of its word. */
    private List<int[]> portPrefixes(Field port, int range) {
        int value = port.extract(value(port.word()));
        int mask = port.extract(mask(port.word()));
        List<int[]> prefixes = new ArrayList<>(portPrefixes(range));
        prefixes.removeIf(prefix -> ((prefix[0] ^ value) & prefix[1] & mask) != 0);
        return prefixes;
    }

    /**
     * Value and mask of each prefix of a port range, as {@link #srcPorts} returns it; both 0 for
     * all ports.
     */
    public static List<int[]> portPrefixes(int range) {
        if (range == ANY_PORT) {
            return List.of(new int[2]);
        }
        List<int[]> prefixes = new ArrayList<>();
        int low = range >>> RANGE_LOW_SHIFT;
        int high = range & RANGE_HIGH;
        while (low <= high) {
            int size = low == 0 ? 0x10000 : Integer.lowestOneBit(low);
            while (size > high - low + 1) {
                size >>>= 1;
            }
            prefixes.add(new int[] {low, -size & 0xffff});
            low += size;
        }
        return prefixes;
    }

    /** Returns whether a port pair lies in a range as {@link #srcPorts} returns it. */
    public static boolean inRange(int port, int range) {
        return port >= range >>> RANGE_LOW_SHIFT && port <= (range & RANGE_HIGH);
    }

    /** Negative bits if a port does not lie in a range, else none: {@link #inRange} unbranched. */
    public static int outside(int port, int range) {
        return port - (range >>> RANGE_LOW_SHIFT) >> 31 | (range & RANGE_HIGH) - port >> 31;
    }

    /**
     * Returns whether a header meets the match: the definition that every algorithm is held to.
     *
     * @param header {@link HeaderWord#COUNT} words
     */
    public boolean matches(int[] header) {
        int at = 0;
        for (long left = wordBits; left != 0; left &= left - 1, at += 2) {
            int word = header[Long.numberOfTrailingZeros(left)];
            if ((word & valueMasks[at + 1]) != valueMasks[at]) {
                return false;
            }
        }
        int ports = header[HeaderWord.PORTS];
        return inRange(ports >>> 16, srcPorts) && inRange(ports & 0xffff, dstPorts);
    }

    /** Returns whether some header meets this match and another. */
    public boolean meets(Match other) {
        for (long left = wordBits & other.wordBits; left != 0; left &= left - 1) {
            int at = place(left);
            int there = other.place(left);
            int both = valueMasks[at + 1] & other.valueMasks[there + 1];
            if (((valueMasks[at] ^ other.valueMasks[there]) & both) != 0) {
                return false;
            }
        }
        return !hasRange() && !other.hasRange()
                || meets(Field.SRC_PORT, srcPorts, other, other.srcPorts)
                        && meets(Field.DST_PORT, dstPorts, other, other.dstPorts);
    }

    private boolean meets(Field port, int range, Match other, int otherRange) {
        return lowest(port, range) <= other.highest(port, otherRange)
                && other.lowest(port, otherRange) <= highest(port, range);
    }

    /** Returns whether all headers that meet another match meet this one, too, as far as seen. */
    public boolean holds(Match other) {
        if ((wordBits & ~other.wordBits) != 0) {
            return false;
        }
        int at = 0;
        for (long left = wordBits; left != 0; left &= left - 1, at += 2) {
            int there = other.place(left);
            int bits = valueMasks[at + 1];
            if ((bits & ~other.valueMasks[there + 1]) != 0
                    || (other.valueMasks[there] & bits) != valueMasks[at]) {
                return false;
            }
        }
        return !hasRange()
                || holds(Field.SRC_PORT, srcPorts, other, other.srcPorts)
                        && holds(Field.DST_PORT, dstPorts, other, other.dstPorts);
    }

    private boolean holds(Field port, int range, Match other, int otherRange) {
        return lowest(port, range) <= other.lowest(port, otherRange)
                && other.highest(port, otherRange) <= highest(port, range);
    }

    /** The headers that meet this match and another; null: none. */
    public @Nullable Match and(Match other) {
        if (!meets(other)) {
            return null;
        }
        if (other.usedWords() == 0 || usedWords() == 0) {
            return usedWords() == 0 ? other : this;
        }
        long words = (wordBits | other.wordBits) & ~HeaderWord.bit(HeaderWord.PORTS);
        Builder both = new Builder();
        if (!both.ports(Field.SRC_PORT, this, srcPorts, other, other.srcPorts)
                || !both.ports(Field.DST_PORT, this, dstPorts, other, other.dstPorts)) {
            return null;
        }
        for (long left = words; left != 0; left &= left - 1) {
            int word = Long.numberOfTrailingZeros(left);
            both.word(word, value(word), mask(word));
            both.word(word, other.value(word), other.mask(word));
        }
        return both.build();
    }

    /** Lowest port of a range that a match's value and mask leave. */
    private int lowest(Field port, int range) {
        return Math.max(range >>> RANGE_LOW_SHIFT, port.extract(value(HeaderWord.PORTS)));
    }

    private int highest(Field port, int range) {
        int value = port.extract(value(HeaderWord.PORTS));
        int mask = port.extract(mask(HeaderWord.PORTS));
        return Math.min(range & RANGE_HIGH, value | ~mask & RANGE_HIGH);
    }

    /** A hash of 64 well-mixed bits, the same in every process. */
    long hash64() {
        long h = mix(wordBits * 31L + srcPorts) ^ dstPorts;
        for (int part : valueMasks) {
            h = mix(h ^ part);
        }
        return mix(h);
    }

    private static long mix(long x) {
        // Finalizer of SplitMix64.
        long z = x + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Match that
                && that.wordBits == wordBits
                && that.srcPorts == srcPorts
                && that.dstPorts == dstPorts
                && Arrays.equals(that.valueMasks, valueMasks);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash64());
    }

    /** Collects constraints. Not thread-safe. */
    public static final class Builder {
        private final int[] values = new int[HeaderWord.COUNT];
        private final int[] masks = new int[HeaderWord.COUNT];
        private int srcPorts = ANY_PORT;
        private int dstPorts = ANY_PORT;

        /** Constrains bits of a header word. */
        public Builder word(int word, int value, int mask) {
            values[word] = values[word] & ~mask | value & mask;
            masks[word] |= mask;
            return this;
        }

        /** Constrains a field of at most 32 bits. */
        public Builder field(Field field, int value, int mask) {
            return word(field.word(), field.place(value), field.place(mask));
        }

        /** Constrains a field of at most 32 bits to one value. */
        public Builder field(Field field, int value) {
            return field(field, value, -1);
        }

        /** Constrains a MAC address and asks for its presence. */
        public Builder mac(Field field, long value, long mask) {
            int[] v = new int[HeaderWord.COUNT];
            int[] m = new int[HeaderWord.COUNT];
            FieldBits.orMac(v, field, value);
            FieldBits.orMac(m, field, mask);
            for (int w = HeaderWord.MAC_HIGH; w <= HeaderWord.MAC_LOW; w++) {
                word(w, v[w], m[w]);
            }
            return field(
                    field.equals(Field.ETH_SRC) ? Field.ETH_SRC_PRESENT : Field.ETH_DST_PRESENT, 1);
        }

        /** Constrains an IPv6 address: 16 bytes of value and of mask, in network order. */
        public Builder ipv6(Field field, byte[] value, byte[] mask) {
            int[] v = new int[HeaderWord.COUNT];
            int[] m = new int[HeaderWord.COUNT];
            FieldBits.orIpv6(v, field, value);
            FieldBits.orIpv6(m, field, mask);
            for (int w = field.word(); w < field.word() + 4; w++) {
                word(w, v[w], m[w]);
            }
            return this;
        }

        /**
         * Constrains a port to an inclusive range and asks for ports, unless the range is 0 to
         * 65535. A range that is a prefix becomes value and mask.
         *
         * @param field {@link Field#SRC_PORT} or {@link Field#DST_PORT}
         * @throws IllegalArgumentException if the range is empty or not within 0..65535
         */
        public Builder ports(Field field, int low, int high) {
            if (low < 0 || high > 0xffff || low > high) {
                throw new IllegalArgumentException(
                        "port range " + low + "-" + high + " is empty or not within 0-65535");
            }
            int span = high - low;
            if (span == 0xffff) {
                return this;
            }
            field(Field.PORTS_PRESENT, 1);
            if ((span & span + 1) == 0 && (low & span) == 0) {
                return field(field, low, ~span);
            }
            if (field.equals(Field.SRC_PORT)) {
                srcPorts = low << RANGE_LOW_SHIFT | high;
            } else {
                dstPorts = low << RANGE_LOW_SHIFT | high;
            }
            return this;
        }

        /** Constrains a port to what two matches leave of their ranges; false: that is nothing. */
        private boolean ports(Field port, Match a, int aRange, Match b, int bRange) {
            int low = Math.max(a.lowest(port, aRange), b.lowest(port, bRange));
            int high = Math.min(a.highest(port, aRange), b.highest(port, bRange));
            if (low > high) {
                return false;
            }
            ports(port, low, high);
            for (Match of : List.of(a, b)) {
                int free = ~port.extract(of.mask(port.word())) & ANY_PORT;
                if ((free & free + 1) != 0) { // no prefix
                    field(port, port.extract(of.value(port.word())), ~free);
                }
            }
            return true;
        }

        /** The match collected so far. */
        public Match build() {
            long bits = 0;
            int[] parts = new int[2 * HeaderWord.COUNT];
            int n = 0;
            for (int w = 0; w < HeaderWord.COUNT; w++) {
                if (masks[w] != 0) {
                    bits |= HeaderWord.bit(w);
                    parts[n++] = values[w];
                    parts[n++] = masks[w];
                }
            }
            return new Match(bits, Arrays.copyOf(parts, n), srcPorts, dstPorts);
        }
    }
}
