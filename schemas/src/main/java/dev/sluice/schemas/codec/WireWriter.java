package dev.sluice.schemas.codec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.io.BinaryData;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a message into bytes of its final size: the head of single-object encoding, then a body
 * value by value, as Avro's binary encoder does. A body says what it holds once and is asked twice:
 * for its size, and for its bytes. Not thread-safe.
 */
final class WireWriter {
    /** Null: only the size is asked for. */
    private final byte @Nullable [] bytes;

    private long at;

    /** Content of a message behind its head. */
    interface Body {
        void writeTo(WireWriter out);
    }

    private WireWriter(byte @Nullable [] bytes) {
        this.bytes = bytes;
    }

    /** Bytes of a body. */
    static long sizeOf(Body body) {
        WireWriter out = new WireWriter(null);
        body.writeTo(out);
        return out.at;
    }

    /**
     * Returns the message of a body.
     *
     * @param fingerprint of the schema of the body
     * @throws ArithmeticException if the message is larger than an array may be
     */
    static byte[] message(long fingerprint, Body body) {
        return message(fingerprint, sizeOf(body), body);
    }

    /** Returns the message of a body whose size is known. */
    static byte[] message(long fingerprint, long bodyBytes, Body body) {
        byte[] message = new byte[Math.toIntExact(MessageCodec.HEADER_BYTES + bodyBytes)];
        MessageCodec.head(message, fingerprint);
        WireWriter out = new WireWriter(message);
        out.at = MessageCodec.HEADER_BYTES;
        body.writeTo(out);
        if (out.at != message.length) {
            throw new IllegalStateException(
                    "a message of " + message.length + " bytes was written to " + out.at);
        }
        return message;
    }

    /** Bytes of an int or a long. */
    static int sizeOf(long value) {
        return (63 - Long.numberOfLeadingZeros((value << 1 ^ value >> 63) | 1)) / 7 + 1;
    }

    void number(long value) {
        at += bytes == null ? sizeOf(value) : BinaryData.encodeLong(value, bytes, (int) at);
    }

    void text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        number(utf8.length);
        if (bytes != null) {
            System.arraycopy(utf8, 0, bytes, (int) at, utf8.length);
        }
        at += utf8.length;
    }

    /** Begins an array; its items follow, then {@link #endArray}. */
    void startArray(int count) {
        if (count > 0) {
            number(count);
        }
    }

    void endArray() {
        number(0);
    }

    void columns(List<? extends ColumnBytes> columns) {
        startArray(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ColumnBytes column = columns.get(i);
            number(column.id());
            number(column.base());
            number(column.width());
            number(column.length());
            if (bytes != null) {
                column.copyTo(bytes, (int) at);
            }
            at += column.length();
        }
        endArray();
    }
}
