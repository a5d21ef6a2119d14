package dev.sluice.job.replay;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Lines of a text file as UTF-8, built up without a text in between: room that grows as it is
 * needed, and is used again. Not thread-safe.
 */
public final class LineBytes {
    /** Letters of the least long, with its sign. */
    private static final int LONGEST_NUMBER = 20;

    private static final int EIGHT_DIGITS = 100_000_000;

    private byte[] bytes;
    private int size;

    /**
     * No line yet.
     *
     * @param room in bytes, to begin with
     */
    public LineBytes(int room) {
        bytes = new byte[room];
    }

    /** Leaves nothing. */
    public void clear() {
        size = 0;
    }

    /** Appends a letter of ASCII. */
    public LineBytes append(char letter) {
        require(1);
        bytes[size++] = (byte) letter;
        return this;
    }

    /** Appends what is UTF-8 already. */
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
        require(LONGEST_NUMBER);
        if (number == Long.MIN_VALUE) {
            return append(Long.toString(number)); // it has no positive
        }
        long rest = number;
        if (rest < 0) {
            bytes[size++] = '-';
            rest = -rest;
        }
        int end = size + digits(rest);
        size = end;
        while (rest >= EIGHT_DIGITS) {
            long above = rest / EIGHT_DIGITS;
            int eight = (int) (rest - above * EIGHT_DIGITS);
            for (int i = 0; i < 8; i++) { // int arithmetic: a long's division takes thrice the time
                bytes[--end] = (byte) ('0' + eight % 10);
                eight /= 10;
            }
            rest = above;
        }
        int eight = (int) rest;
        do {
            bytes[--end] = (byte) ('0' + eight % 10);
            eight /= 10;
        } while (eight > 0);
        return this;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long bound = 10; digits < 19 && number >= bound; bound *= 10) {
            digits++;
        }
        return digits;
    }

    private void require(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), 2 * bytes.length));
        }
    }

    /** Writes all of it. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    /** A text as UTF-8. */
    public static byte[] utf8(CharSequence text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, size, StandardCharsets.UTF_8);
    }
}
