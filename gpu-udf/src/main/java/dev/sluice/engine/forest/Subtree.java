package dev.sluice.engine.forest;

import org.jspecify.annotations.Nullable;

/** A part of a tree before it is written. Immutable. */
sealed interface Subtree {
    /** Of no rules. */
    Subtree EMPTY = new Leaf(new int[0]);

    /**
     * Subtree that no window divides.
     *
     * @param positions of its rules, best first
     */
    record Leaf(int[] positions) implements Subtree {}

    /**
     * Subtree that a window divides.
     *
     * @param children of the window's values; those of equal lists are the same object
     * @param rest null: the node has none
     */
    record Node(Window window, Subtree[] children, @Nullable Subtree rest) implements Subtree {}
}
