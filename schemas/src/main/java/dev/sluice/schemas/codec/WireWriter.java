package dev.sluice.schemas.codec;

import java.util.List;

/**
 * Writes a message into bytes of its final size: the head of single-object encoding, then a body
 * value by value, as Avro's binary encoder does. Who writes works out the size first, by the
 * methods {@code sizeOf}. Not thread-safe.
 */
final class WireWriter {
    private final byte[] bytes;
    private int at;

    /**
     * Begins a message.
     *
     * @param fingerprint of the schema of its body
     * @param bodyBytes exact size of its body
     * @throws ArithmeticException if the message is larger than an array may be
     */
    WireWriter(long fingerprint, long bodyBytes) {
        bytes = new byte[Math.toIntExact(MessageCodec.HEADER_BYTES + bodyBytes)];
        bytes[0] = (byte) MessageCodec.MARKER;
        bytes[1] = (byte) (MessageCodec.MARKER >>> 8);
        for (at = 2; at < MessageCodec.HEADER_BYTES; at++) {
            bytes[at] = (byte) (fingerprint >>> 8 * (at - 2));
        }
    }

    private static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }

    /** Bytes of an int or a long. */
    static int sizeOf(long value) {
        return (63 - Long.numberOfLeadingZeros(zigzag(value) | 1)) / 7 + 1;
    }

    void number(long value) {
        at = put(bytes, at, value);
    }

    /** Writes an int or a long at a place of a message; returns the place behind it. */
    static int put(byte[] message, int place, long value) {
        int p = place;
        long rest = zigzag(value);
        while ((rest & ~0x7fL) != 0) {
            message[p++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        message[p++] = (byte) rest;
        return p;
    }

    /** Bytes of a text with its length. */
    static long sizeOf(String text) {
        long length = utf8Length(text);
        return sizeOf(length) + length;
    }

    private static long utf8Length(String text) {
        long length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                length++;
            } else if (c < 0x800) {
                length += 2;
            } else if (!Character.isSurrogate(c)) {
                length += 3;
            } else if (isPair(text, i)) {
                length += 4;
                i++;
            } else {
                length++; // half of a pair, which has no UTF-8: '?', as String.getBytes has it
            }
        }
        return length;
    }

    private static boolean isPair(String text, int i) {
        return i + 1 < text.length()
                && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
    }

    void text(String text) {
        number(utf8Length(text));
        byte[] b = bytes;
        int p = at;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                b[p++] = (byte) c;
            } else if (c < 0x800) {
                b[p++] = (byte) (0xc0 | c >>> 6);
                b[p++] = (byte) (0x80 | c & 0x3f);
            } else if (!Character.isSurrogate(c)) {
                b[p++] = (byte) (0xe0 | c >>> 12);
                b[p++] = (byte) (0x80 | c >>> 6 & 0x3f);
                b[p++] = (byte) (0x80 | c & 0x3f);
            } else if (isPair(text, i)) {
                int point = text.codePointAt(i++);
                b[p++] = (byte) (0xf0 | point >>> 18);
                b[p++] = (byte) (0x80 | point >>> 12 & 0x3f);
                b[p++] = (byte) (0x80 | point >>> 6 & 0x3f);
                b[p++] = (byte) (0x80 | point & 0x3f);
            } else {
                b[p++] = '?';
            }
        }
        at = p;
    }

    /** Bytes of an array, but for its items. */
    static int sizeOfArray(int count) {
        return count == 0 ? 1 : sizeOf(count) + 1;
    }

    /** Begins an array; its items follow, then {@link #endArray}. */
    void startArray(int count) {
        if (count > 0) {
            number(count);
        }
    }

    void endArray() {
        bytes[at++] = 0;
    }

    /** Bytes of the columns of a block, which are the last of its fields. */
    static long sizeOf(List<? extends ColumnBytes> columns) {
        long size = sizeOfArray(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ColumnBytes column = columns.get(i);
            size += sizeOf(column.id()) + sizeOf(column.base()) + sizeOf(column.width());
            size += sizeOf(column.length()) + column.length();
        }
        return size;
    }

    void columns(List<? extends ColumnBytes> columns) {
        startArray(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ColumnBytes column = columns.get(i);
            number(column.id());
            number(column.base());
            number(column.width());
            number(column.length());
            column.copyTo(bytes, at);
            at += column.length();
        }
        endArray();
    }

    /** The message, all of which must be written. */
    byte[] message() {
        if (at != bytes.length) {
            throw new IllegalStateException(
                    "a message of " + bytes.length + " bytes was written to " + at);
        }
        return bytes;
    }
}
