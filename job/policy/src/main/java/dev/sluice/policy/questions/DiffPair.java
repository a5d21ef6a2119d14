package dev.sluice.policy.questions;

import dev.sluice.policy.questions.LintRule.Line;
import java.math.BigInteger;
import java.util.List;

/**
 * Packets about which one line decides in the old policy and another in the new one.
 *
 * @param hook name of the hook that the packets meet; empty: the files have but one
 * @param state state of the packets' connections; empty: it does not matter
 * @param oldOutcome {@code permit}, {@code deny}, {@code depends} or another action
 * @param oldLine the line that decides, or that the outcome depends on
 * @param newOutcome as {@code oldOutcome}, of the new policy
 * @param newLine as {@code oldLine}, of the new policy
 * @param size number of headers
 * @param atLeast whether the size is a lower bound, since the search for more was given up
 * @param where the packets in words
 * @param exact whether the words hold of these packets alone; else they are part of them
 * @param witness header of one of the packets
 * @param packet the witness in words
 * @param boxes the packets as boxes in words, the first ones; as many as were asked for
 * @param boxCount number of boxes, merged where they touch as far as they were kept
 */
public record DiffPair(
        String hook,
        String state,
        String oldOutcome,
        Line oldLine,
        String newOutcome,
        Line newLine,
        BigInteger size,
        boolean atLeast,
        String where,
        boolean exact,
        int[] witness,
        String packet,
        List<String> boxes,
        long boxCount) {
    /** Copies the list. */
    public DiffPair {
        boxes = List.copyOf(boxes);
    }
}
