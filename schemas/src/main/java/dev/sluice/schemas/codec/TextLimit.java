package dev.sluice.schemas.codec;

import java.nio.charset.StandardCharsets;

/**
 * How long a text may be that messages repeat: the name of a capture, an action, the id of a rule
 * history. A packet's verdict carries one of each, so that their sum bounds the smallest message
 * that a verdict can travel in, far below the megabyte that a Kafka broker takes.
 */
public final class TextLimit {
    /** Most bytes of such a text, in UTF-8: as long as a path may be in Linux. */
    public static final int BYTES = 4096;

    private TextLimit() {}

    /** Returns whether a text is short enough. */
    public static boolean holds(String text) {
        return text.length() <= BYTES / 3 || text.getBytes(StandardCharsets.UTF_8).length <= BYTES;
    }

    /**
     * Refuses a text that is too long.
     *
     * @param reason with which it is refused
     * @param what name of the text
     */
    static void require(DeadLetterReason reason, String what, String text)
            throws MalformedMessageException {
        if (!holds(text)) {
            require(reason, what, text.getBytes(StandardCharsets.UTF_8).length);
        }
    }

    /** Refuses a text of too many bytes. */
    static void require(DeadLetterReason reason, String what, int bytes)
            throws MalformedMessageException {
        if (bytes > BYTES) {
            throw new MalformedMessageException(
                    reason, "%s: %d bytes; at most %d".formatted(what, bytes, BYTES));
        }
    }

    /** The text, or as much of its begin as stays within a number of characters. */
    static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - 1;
        if (Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + "\u2026";
    }
}
