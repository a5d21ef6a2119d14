package dev.sluice.schemas.codec;

import java.nio.charset.StandardCharsets;

/**
 * A place in an Avro body, which moves on as its values are read. Every length and count is held
 * against the bytes that are left before anything is made of it.
 *
 * <p>Avro 1.12 specification, "Binary Encoding". Reusable; not thread-safe.
 */
final class WireCursor {
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int at;
    private int end;

    /**
     * Goes to a place in a message that lies among other bytes.
     *
     * @param to the place behind the message
     */
    void start(byte[] among, int from, int to) {
        bytes = among;
        at = from;
        end = to;
    }

    /** Lets go of the message. */
    void clear() {
        start(NOTHING, 0, 0);
    }

    byte[] bytes() {
        return bytes;
    }

    int at() {
        return at;
    }

    void moveTo(int place) {
        at = place;
    }

    int remaining() {
        return end - at;
    }

    /** A long, or an int where its size does not matter. */
    long number() throws MalformedMessageException {
        long raw = raw(10);
        return raw >>> 1 ^ -(raw & 1);
    }

    /** An int: as Avro reads it, of five bytes at most and cut to 32 bits. */
    int integer() throws MalformedMessageException {
        int raw = (int) raw(5);
        return raw >>> 1 ^ -(raw & 1);
    }

    private long raw(int most) throws MalformedMessageException {
        byte[] b = bytes;
        if (at < end && b[at] >= 0) {
            return b[at++]; // most are small, choices of unions among them
        }
        int last = Math.min(end, at + most);
        long value = 0;
        for (int i = at, shift = 0; i < last; i++, shift += 7) {
            byte next = b[i];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                at = i + 1;
                return value;
            }
        }
        throw malformed(
                last - at < most
                        ? "it ends within a number"
                        : "a number has more than " + most + " bytes");
    }

    /** The length of a text or of bytes, all of which are there. */
    int length() throws MalformedMessageException {
        return within(number());
    }

    /** Passes over bytes, all of which must be there. */
    void skip(long length) throws MalformedMessageException {
        at += within(length);
    }

    private int within(long length) throws MalformedMessageException {
        if (length < 0 || length > remaining()) {
            throw malformed("a length of " + length + " with " + remaining() + " bytes left");
        }
        return (int) length;
    }

    /**
     * How many items the next part of an array has, each of at least one byte; 0: the array ends.
     */
    int items() throws MalformedMessageException {
        long count = number();
        if (count < 0) {
            number(); // the part's size in bytes, which we do not need
            count = -count;
        }
        if (count < 0 || count > remaining()) {
            throw malformed("an array states " + count + " items in " + remaining() + " bytes");
        }
        return (int) count;
    }

    /** A text; bytes that are not UTF-8 become replacement characters. */
    String text() throws MalformedMessageException {
        int length = length();
        if (length == 0) {
            return "";
        }
        String text = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
        return text;
    }

    /** Checks that nothing follows. */
    void end() throws MalformedMessageException {
        if (remaining() > 0) {
            throw malformed(remaining() + " bytes follow the end of the record");
        }
    }

    static MalformedMessageException malformed(String detail) {
        return new MalformedMessageException(DeadLetterReason.CORRUPT, detail);
    }
}
