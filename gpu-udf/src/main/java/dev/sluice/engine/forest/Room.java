package dev.sluice.engine.forest;

import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.rules.RuleSet;

/**
 * Memory that a part of a forest may take beyond what its rules take in any case. Each of several
 * parts has its own, so that none depends on when another one is built. Not thread-safe.
 */
final class Room {
    private long copies;
    private long tableWords;

    private Room(long copies, long tableWords) {
        this.copies = copies;
        this.tableWords = tableWords;
    }

    /** Of a whole forest within a budget. */
    static Room of(RuleSet rules, long budgetBytes) {
        // What no cut divides any more needs a word an item.
        long room = budgetBytes / 4 - (RuleTable.stride(rules, 0) + 1L) * rules.size();
        return new Room(Math.max(0, room / 4), Math.max(0, room / 2));
    }

    /** Copies of items that may still be made. */
    long copies() {
        return copies;
    }

    /** Whether there is room for a table. */
    boolean holds(long words) {
        return words <= tableWords;
    }

    void take(long madeCopies, long words) {
        copies -= madeCopies;
        tableWords -= words;
    }

    /** Gives a part of the room away: the share of some of the items that there are. */
    Room part(long items, long ofItems) {
        double share = (double) items / Math.max(1, ofItems);
        return new Room((long) (copies * share), (long) (tableWords * share));
    }
}
