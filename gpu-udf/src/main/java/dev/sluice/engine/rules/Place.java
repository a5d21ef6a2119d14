package dev.sluice.engine.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Place of a rule among those of its priority: a byte string, and between any two different ones
 * there is always another. The smaller place is the better one. Immutable, thread-safe.
 *
 * <p>The bytes are the digits of a fraction to base 256, compared as unsigned bytes, a prefix
 * before what it begins. None ends in a 0, which would leave no room before it.
 *
 * <p>What is put after the last place counts up in steps, and takes a longer counter when one is
 * used up: 1 byte, then 2 behind a byte 255, then 4 behind two of them, then 8. So 100,000 rules
 * added one after the other take up to 6 bytes; the same holds in front of the first place, and for
 * rules that are put one by one behind or before each other somewhere in the middle.
 */
public final class Place implements Comparable<Place> {
    /** No place: the rule gets one from the order of its list. It is none of the places. */
    public static final Place NONE = new Place(new byte[0]);

    /** Steps of the counters; what lies between two steps is room without a longer place. */
    private static final int STEP = 8;

    private static final int LONGEST_COUNTER = 8;

    /** Between these two lie the places of rules that come without any. */
    private static final Place SPREAD_FROM = new Place(new byte[] {0x20});

    private static final Place SPREAD_TO = new Place(new byte[] {(byte) 0xe0});
    private static final Place MIDDLE = new Place(new byte[] {(byte) 0x80});

    private final byte[] bytes;

    private Place(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The place with these bytes, which are copied.
     *
     * @throws IllegalArgumentException if there are none, or the last one is 0
     */
    public static Place of(byte[] bytes) {
        if (bytes.length == 0 || bytes[bytes.length - 1] == 0) {
            throw new IllegalArgumentException(
                    "place '"
                            + HexFormat.of().formatHex(bytes)
                            + "' is empty or ends in a byte 0, before which there is no room");
        }
        return new Place(bytes.clone());
    }

    /** A copy of the bytes; empty for {@link #NONE}. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Number of bytes. */
    public int length() {
        return bytes.length;
    }

    /**
     * The first four bytes, missing ones as 0, as an unsigned number: of two places the one with
     * the smaller number is the smaller one, of equal numbers nothing follows.
     */
    public int leading() {
        return (int) number(bytes, 0, 4);
    }

    /** Returns whether this is no place: {@link #NONE}. */
    public boolean isNone() {
        return bytes.length == 0;
    }

    /**
     * A place between two others.
     *
     * @param after the place before it, or null for the start
     * @param before the place behind it, or null for the end
     * @throws IllegalArgumentException if {@code after} is not before {@code before}
     */
    public static Place between(@Nullable Place after, @Nullable Place before) {
        requireOrder(after, before);
        if (after == null) {
            return before == null ? MIDDLE : new Place(counted(before.bytes, 0, false));
        }
        return new Place(
                before == null
                        ? counted(after.bytes, 0, true)
                        : between(after.bytes, before.bytes));
    }

    private static void requireOrder(@Nullable Place after, @Nullable Place before) {
        if (after != null && after.isNone() || before != null && before.isNone()) {
            throw new IllegalArgumentException("there is nothing beside a rule without a place");
        }
        if (after != null && before != null && after.compareTo(before) >= 0) {
            throw new IllegalArgumentException(
                    "nothing lies between places " + after + " and " + before);
        }
    }

    private static byte[] between(byte[] after, byte[] before) {
        int i = Arrays.mismatch(after, before);
        if (i == after.length) {
            // Whatever begins with 'after' lies behind it.
            return counted(before, i, false);
        }
        int low = after[i] & 0xff;
        int high = before[i] & 0xff;
        if (high - low > 1) {
            byte[] middle = Arrays.copyOf(after, i + 1);
            middle[i] = (byte) (low + high >>> 1);
            return middle;
        }
        byte[] behind = counted(after, i + 1, true);
        if (before.length == i + 1) {
            return behind;
        }
        byte[] inFront = counted(before, i + 1, false);
        return inFront.length < behind.length ? inFront : behind;
    }

    /** The next or previous step of the counter that begins at a byte. */
    private static byte[] counted(byte[] from, int at, boolean up) {
        if (from.length <= at) {
            byte[] middle = Arrays.copyOf(from, at + 1);
            middle[at] = (byte) 0x80;
            return middle;
        }
        byte full = (byte) (up ? 0xff : 0);
        int level = 0;
        while (at + level < from.length && from[at + level] == full) {
            level++;
        }
        int first = at + level;
        byte[] next = Arrays.copyOf(from, first + counterBytes(level));
        int carry = up ? STEP : -STEP;
        for (int i = next.length - 1; i >= first && carry != 0; i--) {
            int sum = (next[i] & 0xff) + carry;
            next[i] = (byte) sum;
            carry = sum >> 8;
        }
        if (carry != 0 || next[first] == full) {
            next = Arrays.copyOf(from, first + 1 + counterBytes(level + 1));
            next[first] = full;
            Arrays.fill(next, first + 1, next.length, (byte) ~full);
            next[next.length - 1] = (byte) (up ? STEP : -STEP);
            return next;
        }
        int length = next.length;
        while (next[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(next, length);
    }

    private static int counterBytes(int level) {
        return level >= 3 ? LONGEST_COUNTER : 1 << level;
    }

    /** So many places in order, with even and ample room between, before and behind them. */
    public static List<Place> spread(int n) {
        List<Place> places = evenly(SPREAD_FROM.bytes, SPREAD_TO.bytes, n, 8);
        return places == null ? List.of() : places;
    }

    /**
     * So many places in order between two others: evenly if they need not be longer than these,
     * else as if each were put behind the one before.
     *
     * @param after the place before them, or null for the start
     * @param before the place behind them, or null for the end
     * @throws IllegalArgumentException if {@code after} is not before {@code before}
     */
    public static List<Place> spread(@Nullable Place after, @Nullable Place before, int n) {
        requireOrder(after, before);
        if (after == null && before == null) {
            return spread(n);
        }
        if (after != null && before != null && n > 1) {
            List<Place> even =
                    evenly(after.bytes, before.bytes, n, Math.max(after.length(), before.length()));
            if (even != null) {
                return even;
            }
        }
        List<Place> places = new ArrayList<>(n);
        Place last = after == null ? before : after;
        for (int i = 0; i < n; i++) {
            last = after == null ? between(null, last) : between(last, before);
            places.add(last);
        }
        if (after == null) {
            Collections.reverse(places);
        }
        return places;
    }

    /** Places of the fewest bytes that leave room between them, or null if more than allowed. */
    private static @Nullable List<Place> evenly(byte[] after, byte[] before, int n, int mostBytes) {
        int shared = Arrays.mismatch(after, before);
        for (int width = 1; width <= 7 && shared + width <= mostBytes; width++) {
            long from = number(after, shared, width);
            long gap = number(before, shared, width) - from;
            if (gap < 2L * (n + 1L)) {
                continue;
            }
            List<Place> places = new ArrayList<>(n);
            long step = gap / (n + 1L);
            long rest = gap % (n + 1L);
            for (long i = 1; i <= n; i++) {
                places.add(
                        new Place(
                                digits(
                                        before,
                                        shared,
                                        width,
                                        from + i * step + i * rest / (n + 1L))));
            }
            return places;
        }
        return null;
    }

    private static long number(byte[] bytes, int at, int width) {
        long number = 0;
        for (int i = at; i < at + width; i++) {
            number = number << 8 | (i < bytes.length ? bytes[i] & 0xff : 0);
        }
        return number;
    }

    private static byte[] digits(byte[] prefix, int at, int width, long number) {
        int zeros = Long.numberOfTrailingZeros(number) / 8;
        byte[] digits = Arrays.copyOf(prefix, at + width - zeros);
        long left = number >>> 8 * zeros;
        for (int i = digits.length - 1; i >= at; i--) {
            digits[i] = (byte) left;
            left >>>= 8;
        }
        return digits;
    }

    @Override
    public int compareTo(Place other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Place that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Its bytes in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
