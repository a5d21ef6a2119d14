package dev.sluice.policy.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Set of unsigned values of a field, as ranges.
 *
 * @param ranges ascending, neither overlapping nor adjacent
 */
public record ValueSet(List<Range> ranges) {
    /** Values from low to high, both included. */
    public record Range(BigInteger low, BigInteger high) {
        /** Number of its values. */
        public BigInteger size() {
            return high.subtract(low).add(BigInteger.ONE);
        }

        /** Returns whether it is a prefix: all values of some beginning. */
        public boolean isPrefix() {
            BigInteger rest = high.subtract(low);
            return size().bitCount() == 1 && low.and(rest).signum() == 0;
        }
    }

    /** A prefix: value and mask of equal width. */
    public record Prefix(BigInteger value, BigInteger mask) {}

    /** The set of some ranges in any order; an empty range adds nothing. */
    public ValueSet(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.removeIf(range -> range.low.compareTo(range.high) > 0);
        sorted.sort(Comparator.comparing(Range::low));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            Range last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && range.low.compareTo(last.high.add(BigInteger.ONE)) <= 0) {
                merged.set(merged.size() - 1, new Range(last.low, last.high.max(range.high)));
            } else {
                merged.add(range);
            }
        }
        this.ranges = List.copyOf(merged);
    }

    /** One value. */
    public static ValueSet of(long value) {
        return of(value, value);
    }

    /** A range of values; empty if low is above high. */
    public static ValueSet of(long low, long high) {
        return of(BigInteger.valueOf(low), BigInteger.valueOf(high));
    }

    /** A range of values; empty if low is above high. */
    public static ValueSet of(BigInteger low, BigInteger high) {
        return new ValueSet(List.of(new Range(low, high)));
    }

    /** The values of either set. */
    public ValueSet or(ValueSet other) {
        List<Range> both = new ArrayList<>(ranges);
        both.addAll(other.ranges);
        return new ValueSet(both);
    }

    /** The values of so many bits that are not in the set. */
    public ValueSet complement(int bits) {
        List<Range> rest = new ArrayList<>();
        BigInteger from = BigInteger.ZERO;
        for (Range range : ranges) {
            rest.add(new Range(from, range.low.subtract(BigInteger.ONE)));
            from = range.high.add(BigInteger.ONE);
        }
        rest.add(new Range(from, ones(bits)));
        return new ValueSet(rest);
    }

    /** The values of so many bits that are in this set, and not in another one. */
    public ValueSet minus(ValueSet other, int bits) {
        return complement(bits).or(other).complement(bits);
    }

    /** Returns whether a value is in the set. */
    public boolean contains(BigInteger value) {
        return ranges.stream()
                .anyMatch(
                        range ->
                                value.compareTo(range.low) >= 0
                                        && value.compareTo(range.high) <= 0);
    }

    /** The fewest prefixes of so many bits that hold the values of the set and no others. */
    public List<Prefix> prefixes(int bits) {
        List<Prefix> prefixes = new ArrayList<>();
        for (Range range : ranges) {
            BigInteger low = range.low;
            while (low.compareTo(range.high) <= 0) {
                int zeros = low.signum() == 0 ? bits : low.getLowestSetBit();
                int free =
                        Math.min(
                                zeros,
                                range.high.subtract(low).add(BigInteger.ONE).bitLength() - 1);
                BigInteger size = BigInteger.ONE.shiftLeft(free);
                prefixes.add(new Prefix(low, ones(bits).subtract(size.subtract(BigInteger.ONE))));
                low = low.add(size);
            }
        }
        return prefixes;
    }

    /** The highest value of so many bits. */
    public static BigInteger ones(int bits) {
        return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    }
}
