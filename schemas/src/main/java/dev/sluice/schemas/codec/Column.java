package dev.sluice.schemas.codec;

import static dev.sluice.schemas.codec.LittleEndian.INTS;
import static dev.sluice.schemas.codec.LittleEndian.LONGS;
import static dev.sluice.schemas.codec.LittleEndian.SHORTS;

import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One column of a block, frame of reference: value i is {@code base} plus the i-th unsigned
 * little-endian number of {@code width} bytes, modulo 2^64. Width 0: all values are {@code base}.
 *
 * <p>The bytes of the values may be a part of the message that the column came in, which it then
 * keeps in memory. Immutable by agreement: nobody writes into {@code bytes} after construction.
 *
 * @param id a {@link HeaderWord}, or one of the constants here
 * @param base smallest value
 * @param width bytes a value: 0, 1, 2, 4 or 8
 * @param bytes where the bytes of the values are, among others
 * @param offset where they begin
 * @param length how many they are: count times width
 */
public record Column(int id, long base, int width, byte[] bytes, int offset, int length)
        implements ColumnBytes {
    /** Packet number in its capture, from 1. */
    public static final int PACKET = 64;

    /** Time in ns since 1970 UTC, {@link #NO_TIME} where unknown. */
    public static final int TIME_NS = 65;

    /** Frame length on the wire in bytes. */
    public static final int FRAME_LENGTH = HeaderWord.FRAME_LENGTH;

    /** Verdicts: index into the rules of the block, from 1; 0 is a miss. */
    public static final int RULE = 67;

    /** Verdicts: version of the rule set; absent where all are the block's. */
    public static final int VERSION = 68;

    /** Verdicts: {@link VerdictStatus#code}; absent where all are ok. */
    public static final int STATUS = 69;

    /** Verdicts: packet numbers, each as what it is more than the one before. */
    public static final int PACKET_DELTAS = 70;

    /** Verdicts: times, each as what it is more than the one before. */
    public static final int TIME_DELTAS = 71;

    /**
     * Verdicts: index into the rules of the block, from 1, of the rule that let a packet pass in
     * the first of the stages before the one that decided; 0: it passed none. The column of the
     * next such stage has the next id, and so on; one that is all 0 is absent.
     */
    public static final int EARLIER = 128;

    /** Time of a packet whose capture states none. */
    public static final long NO_TIME = Long.MIN_VALUE;

    private static final byte[] NO_BYTES = {};

    /** A column whose bytes are the whole of an array. */
    public Column(int id, long base, int width, byte[] data) {
        this(id, base, width, data, 0, data.length);
    }

    /** A column whose values are all the same. */
    public static Column constant(int id, long value) {
        return new Column(id, value, 0, NO_BYTES, 0, 0);
    }

    /** Encodes 32-bit words, taken as unsigned. */
    public static Column ofWords(int id, int[] values, int from, int count) {
        PackedWords packed = new PackedWords();
        packed.set(id, values, from, count);
        byte[] data = new byte[packed.length()];
        packed.copyTo(data, 0);
        return new Column(id, packed.base(), packed.width(), data);
    }

    /** Encodes 64-bit numbers. */
    public static Column ofLongs(int id, long[] values, int from, int count) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = from; i < from + count; i++) {
            min = Math.min(min, values[i]);
            max = Math.max(max, values[i]);
        }
        int width = widthOf(max - min);
        byte[] data = new byte[width * count];
        pack(values, from, count, min, width, data, 0);
        return new Column(id, min, width, data);
    }

    /** Writes what values are more than a base, each in some bytes, to a place of an array. */
    static void pack(
            long[] values, int from, int count, long base, int width, byte[] target, int at) {
        switch (width) {
            case 0 -> {}
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = (byte) (values[from + i] - base);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    SHORTS.set(target, at + 2 * i, (short) (values[from + i] - base));
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    INTS.set(target, at + 4 * i, (int) (values[from + i] - base));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    LONGS.set(target, at + 8 * i, values[from + i] - base);
                }
            }
        }
    }

    /** Bytes that numbers from 0 to {@code span}, taken as unsigned, need each. */
    static int widthOf(long span) {
        if (span == 0) {
            return 0;
        }
        return span >>> 8 == 0 ? 1 : span >>> 16 == 0 ? 2 : span >>> 32 == 0 ? 4 : 8;
    }

    /**
     * The column whose differences these are.
     *
     * @param of its id
     * @param first its first value; the first of the differences says nothing
     * @param count values
     */
    public Column summed(int of, long first, int count) {
        long[] values = new long[count];
        copyLongs(0, count, values, 0);
        values[0] = first;
        for (int i = 1; i < count; i++) {
            values[i] += values[i - 1];
        }
        return ofLongs(of, values, 0, count);
    }

    /** A copy of the bytes of the values. */
    public byte[] data() {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    @Override
    public void copyTo(byte[] target, int at) {
        System.arraycopy(bytes, offset, target, at, length);
    }

    /** One value. */
    public long get(int i) {
        int at = offset + place(i, 1);
        return base
                + switch (width) {
                    case 0 -> 0;
                    case 1 -> bytes[at] & 0xffL;
                    case 2 -> (short) SHORTS.get(bytes, at) & 0xffffL;
                    case 4 -> (int) INTS.get(bytes, at) & 0xffffffffL;
                    default -> (long) LONGS.get(bytes, at);
                };
    }

    /** Offset of values among the column's bytes; they must be there. */
    private int place(int from, int count) {
        return Objects.checkFromIndexSize(from * width, count * width, length);
    }

    /** Writes values {@code from} to {@code from + count - 1}, cut to 32 bits, into an array. */
    public void copyWords(int from, int count, int[] target, int at) {
        int b = (int) base;
        byte[] d = bytes;
        int first = offset + place(from, count);
        switch (width) {
            case 0 -> Arrays.fill(target, at, at + count, b);
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (d[first + i] & 0xff);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((short) SHORTS.get(d, first + 2 * i) & 0xffff);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (int) INTS.get(d, first + 4 * i);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (int) (long) LONGS.get(d, first + 8 * i);
                }
            }
        }
    }

    /** Writes values {@code from} to {@code from + count - 1} into an array. */
    public void copyLongs(int from, int count, long[] target, int at) {
        long b = base;
        byte[] d = bytes;
        int first = offset + place(from, count);
        switch (width) {
            case 0 -> Arrays.fill(target, at, at + count, b);
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (d[first + i] & 0xff);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((short) SHORTS.get(d, first + 2 * i) & 0xffff);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((int) INTS.get(d, first + 4 * i) & 0xffffffffL);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (long) LONGS.get(d, first + 8 * i);
                }
            }
        }
    }

    /**
     * The first value that is not in 0..{@code most}, among the first ones.
     *
     * @param count how many values are looked at
     * @return its number, or -1 where all are
     */
    int firstBeyond(int count, long most) {
        if (width == 0) {
            return base < 0 || base > most ? 0 : -1;
        }
        if (width <= 2 && base >= 0 && base <= most && noneAbove(count, most - base)) {
            return -1;
        }
        for (int i = 0; i < count; i++) {
            long value = get(i);
            if (value < 0 || value > most) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns whether none of the first numbers of 1 or 2 bytes, which {@link #base} adds to, is
     * larger.
     */
    private boolean noneAbove(int count, long most) {
        byte[] d = bytes;
        int first = offset + place(0, count);
        int room = (int) Math.min(most, 0xffff);
        int signs = 0; // negative once a number takes more than the room
        if (width == 1) {
            for (int i = 0; i < count; i++) {
                signs |= room - (d[first + i] & 0xff);
            }
        } else {
            for (int i = 0; i < count; i++) {
                signs |= room - ((short) SHORTS.get(d, first + 2 * i) & 0xffff);
            }
        }
        return signs >= 0;
    }

    /** Returns whether the column has a header word of each packet. */
    boolean isHeaderWord() {
        return id >= 0 && id < HeaderWord.COUNT;
    }

    /** Returns whether the column names rules that let packets pass in an earlier stage. */
    public boolean isEarlier() {
        return id >= EARLIER;
    }

    /** Returns whether the column has indexes into the rules of its block. */
    boolean isRuleIndex() {
        return id == RULE || isEarlier();
    }

    /** Returns the columns that are there. */
    public static List<Column> listOf(@Nullable Column... columns) {
        return Stream.of(columns).filter(Objects::nonNull).collect(Collectors.toList());
    }

    /** Returns the column of an id among others; null where there is none. */
    static @Nullable Column find(List<Column> columns, int id) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id == id) {
                return columns.get(i);
            }
        }
        return null;
    }

    /** Some of the values of a column that may be absent, as {@link #slice}. */
    public static @Nullable Column sliceOf(@Nullable Column column, int from, int count) {
        return column == null ? null : column.slice(from, count);
    }

    /**
     * The column of some of the values.
     *
     * @param from the first of them
     * @param count how many, at least 1
     */
    public Column slice(int from, int count) {
        if (length == width * count) {
            return this; // all of them, or all are the same
        }
        long[] values = new long[count];
        copyLongs(from, count, values, 0);
        return ofLongs(id, values, 0, count);
    }

    /** Columns are equal if they would be written as the same bytes. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Column that
                && id == that.id
                && base == that.base
                && width == that.width
                && Arrays.equals(
                        bytes,
                        offset,
                        offset + length,
                        that.bytes,
                        that.offset,
                        that.offset + that.length);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, base, width, length);
    }

    /** Refuses a column of a block that has another length than its values take. */
    static boolean fits(int width, int length, int count) {
        boolean known = width >= 0 && width <= 8 && (width & width - 1) == 0;
        return known && length == (long) width * count;
    }
}
