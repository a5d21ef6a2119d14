package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Rule;
import java.util.Arrays;

/**
 * Order of the rules of an overlay: how many base rules are before each, and among those that stand
 * between the same two base rules a label of 63 bits, smaller is better. A label lies between those
 * of the neighbours; behind the last and before the first one there are large steps, and where
 * rules come one beside the other again and again, the room beside the last one is used up slowly.
 * Where there is none left, the caller gives some neighbours new labels ({@link #respread}): they
 * are entered anew, from the next tick on. (M. Bender et al., "Two simplified algorithms for
 * maintaining order in a list", 2002, relabel alike.) Not thread-safe.
 */
final class OverlayOrder {
    /** Distance of labels at the ends. */
    private static final long STEP = 1L << 40;

    private static final long FIRST = 1L << 62;

    /** Shift that gives the share of a gap that a rule beside the last one takes. */
    private static final int SHARE = 6;

    /** Smallest distance of labels that are spread anew. */
    private static final long ROOM = 1L << 20;

    private static final int NONE = -1;

    private final OrderIndex index = new OrderIndex();

    // By slot of the overlay, from 0.
    private int[] precede = new int[64];
    private long[] label = new long[64];
    private int[] before = new int[64];
    private int[] behind = new int[64];

    private int first = NONE;
    private int last = NONE;

    /** Rules of the base before a slot's rule. */
    int precede(int slot) {
        return precede[slot];
    }

    /** Label of a slot's rule; -1 if there was no room for it. */
    long label(int slot) {
        return label[slot];
    }

    /**
     * Enters a rule.
     *
     * @param beforeIt base rules that are before it
     * @return false if a rule of its priority and place is there; nothing was entered then
     */
    boolean insert(int slot, Rule rule, int beforeIt) {
        int predecessor = index.insert(rule, slot);
        if (predecessor < NONE) {
            return false;
        }
        room(slot);
        int successor = predecessor == NONE ? first : behind[predecessor];
        before[slot] = predecessor;
        behind[slot] = successor;
        if (predecessor == NONE) {
            first = slot;
        } else {
            behind[predecessor] = slot;
        }
        if (successor != NONE) {
            before[successor] = slot;
        }
        precede[slot] = beforeIt;
        label[slot] = between(peer(predecessor, beforeIt), peer(successor, beforeIt));
        last = slot;
        return true;
    }

    private void room(int slot) {
        if (slot >= precede.length) {
            reserve(Math.max(slot + 1, precede.length * 3 / 2));
        }
    }

    /** Makes room for so many slots. */
    void reserve(int slots) {
        if (slots > precede.length) {
            precede = Arrays.copyOf(precede, slots);
            label = Arrays.copyOf(label, slots);
            before = Arrays.copyOf(before, slots);
            behind = Arrays.copyOf(behind, slots);
        }
    }

    /** A neighbour, if it stands between the same two base rules. */
    private int peer(int slot, int beforeIt) {
        return slot != NONE && precede[slot] == beforeIt ? slot : NONE;
    }

    /** A label between two peers, -1 if there is none left. */
    private long between(int lower, int upper) {
        if (lower == NONE) {
            return upper == NONE ? FIRST : Math.max(-1, label[upper] - STEP);
        }
        if (upper == NONE) {
            return Math.max(-1, label[lower] + STEP); // -1 also where it overflows
        }
        long gap = label[upper] - label[lower];
        if (gap < 2) {
            return -1;
        }
        if (lower == last) {
            return label[lower] + Math.max(1, gap >>> SHARE);
        }
        return upper == last ? label[upper] - Math.max(1, gap >>> SHARE) : label[lower] + gap / 2;
    }

    /**
     * Makes room for a slot's rule that got no label: it and neighbours get new ones, evenly.
     *
     * @return slots of the neighbours, which have to be entered anew with their new labels
     */
    int[] respread(int slot) {
        int from = slot;
        int to = slot;
        int count = 1;
        for (int reach = 16; ; reach *= 4) {
            for (int k = 0; k < reach && peer(before[from], precede[slot]) != NONE; k++) {
                from = before[from];
                count++;
            }
            for (int k = 0; k < reach && peer(behind[to], precede[slot]) != NONE; k++) {
                to = behind[to];
                count++;
            }
            int lower = peer(before[from], precede[slot]);
            int upper = peer(behind[to], precede[slot]);
            long low = lower == NONE ? 0 : label[lower];
            long high = upper == NONE ? Long.MAX_VALUE - 1 : label[upper];
            long step = (high - low) / (count + 1);
            if (step >= ROOM || lower == NONE && upper == NONE) {
                return spread(slot, from, count, low, step);
            }
        }
    }

    private int[] spread(int slot, int from, int count, long low, long step) {
        int[] moved = new int[count - 1];
        int at = from;
        int n = 0;
        for (int k = 1; k <= count; k++) {
            label[at] = low + k * step;
            if (at != slot) {
                moved[n++] = at;
            }
            at = behind[at];
        }
        return moved;
    }

    /** Takes a rule out. */
    void remove(int slot, Rule rule) {
        index.remove(rule);
        int predecessor = before[slot];
        int successor = behind[slot];
        if (predecessor == NONE) {
            first = successor;
        } else {
            behind[predecessor] = successor;
        }
        if (successor != NONE) {
            before[successor] = predecessor;
        }
        if (last == slot) {
            last = NONE;
        }
    }
}
