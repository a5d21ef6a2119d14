package dev.sluice.job.replay;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Buffer of lines of text as UTF-8, written without intermediate strings.
 *
 * <p>The buffer grows as needed and is reused. Not thread-safe.
 */
public final class LineBytes {
    /** Room for a sign and three groups of eight digits; the first group may have fewer digits. */
    private static final int ROOM_FOR_NUMBER = 25;

    private static final int EIGHT_DIGITS = 100_000_000;
    private static final long ZEROS = 0x3030_3030_3030_3030L;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Receiver of lines; used by one thread at a time. */
    public interface Output {
        /** Takes lines; may buffer them. */
        void write(LineBytes lines);

        /** Writes buffered lines. */
        void flush();
    }

    private byte[] bytes;
    private int size;

    /**
     * Creates an empty buffer.
     *
     * @param room initial size in bytes
     */
    public LineBytes(int room) {
        bytes = new byte[room];
    }

    /** Empties the buffer. */
    public void clear() {
        size = 0;
    }

    /** Removes the last byte, which must be there. */
    public void dropLast() {
        size--;
    }

    /** Appends an ASCII character. */
    public LineBytes append(char letter) {
        require(1);
        bytes[size++] = (byte) letter;
        return this;
    }

    /** Appends bytes of UTF-8. */
    public LineBytes append(byte[] utf8) {
        require(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    /** Appends a text. */
    public LineBytes append(CharSequence text) {
        return append(utf8(text));
    }

    /** Appends a number in decimal. */
    public LineBytes append(long number) {
        require(ROOM_FOR_NUMBER);
        if (number == Long.MIN_VALUE) {
            return append(Long.toString(number)); // its negation overflows
        }
        long rest = number;
        if (rest < 0) {
            bytes[size++] = '-';
            rest = -rest;
        }
        if (rest < EIGHT_DIGITS) {
            first((int) rest);
            return this;
        }
        long above = rest / EIGHT_DIGITS;
        if (above < EIGHT_DIGITS) {
            first((int) above);
        } else {
            first((int) (above / EIGHT_DIGITS));
            eight((int) (above % EIGHT_DIGITS));
        }
        eight((int) (rest % EIGHT_DIGITS));
        return this;
    }

    /** Appends a number of up to eight digits without leading zeros. */
    private void first(int number) {
        long digits = digits(number);
        int zeros = Long.numberOfTrailingZeros(digits | 1L << 56) & ~7; // the last digit stays
        LONGS.set(bytes, size, (digits | ZEROS) >>> zeros);
        size += 8 - zeros / 8;
    }

    /** Appends eight digits of a number. */
    private void eight(int number) {
        LONGS.set(bytes, size, digits(number) | ZEROS);
        size += 8;
    }

    /**
     * Returns the eight digits of a number as bytes, the first digit lowest.
     *
     * <p>All digits are divided at once: halves of four digits by 100, then quarters of two by 10,
     * each by a multiplication that is exact in its range.
     */
    private static long digits(int number) {
        long halves = number / 10_000 + ((long) (number % 10_000) << 32);
        long hundreds = halves * 10_486 >>> 20 & 0x7f_0000_007fL;
        long quarters = hundreds + (halves - 100 * hundreds << 16);
        long tens = quarters * 103 >>> 10 & 0x000f_000f_000f_000fL;
        return tens + (quarters - 10 * tens << 8);
    }

    private void require(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), 2 * bytes.length));
        }
    }

    /** Writes the whole content. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    /** Returns a copy of the content. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** Encodes a text as UTF-8. */
    public static byte[] utf8(CharSequence text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, size, StandardCharsets.UTF_8);
    }
}
