package dev.sluice.policy.logs;

import org.jspecify.annotations.Nullable;

/**
 * Packet that a rule logged.
 *
 * @param before words before the packet's own: the log's header, if any, and the rule's prefix
 * @param hook hook in upper case, as {@code INPUT}; empty: the log does not say it
 * @param in interface that the packet came in by; empty: none; null: its number is in the header
 * @param out interface that the packet leaves by; empty: none; null: its number is in the header
 * @param header words of the header, as the rule saw it
 * @param undecided reason why no verdict is certain; empty: none
 */
public record LoggedPacket(
        String before,
        String hook,
        @Nullable String in,
        @Nullable String out,
        int[] header,
        String undecided) {
    /** Returns whether a packet that the log has with this interface has one there. */
    static boolean has(@Nullable String name, boolean otherwise) {
        return name == null ? otherwise : !name.isEmpty();
    }
}
