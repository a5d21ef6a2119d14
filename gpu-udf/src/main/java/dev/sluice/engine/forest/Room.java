package dev.sluice.engine.forest;

import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.rules.RuleSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * Memory that a part of a forest may take beyond what its rules take in any case, and work that its
 * plan may take: what passes them stays a leaf, however long. Each of several parts has its own, so
 * that none depends on when another one is built. Not thread-safe.
 */
final class Room {
    /** Items and children looked at for each rule; see decision 0050. */
    private static final long WORK_A_RULE = 1 << 16;

    /** The same for a few rules. */
    private static final long LEAST_WORK = 1 << 20;

    private long copies;
    private long tableWords;
    private long work;

    /** Of the whole and its parts alike. */
    private final LongAdder spent;

    private Room(long copies, long tableWords, long work, LongAdder spent) {
        this.spent = spent;
        this.copies = copies;
        this.tableWords = tableWords;
        this.work = work;
    }

    /** Of a whole forest within a budget. */
    static Room of(RuleSet rules, long budgetBytes) {
        // What no cut divides any more needs a word an item.
        long room = budgetBytes / 4 - (RuleTable.stride(rules, 0) + 1L) * rules.size();
        long work = Math.max(LEAST_WORK, WORK_A_RULE * rules.size());
        return new Room(Math.max(0, room / 4), Math.max(0, room / 2), work, new LongAdder());
    }

    /** Copies of items that may still be made. */
    long copies() {
        return copies;
    }

    /** Takes work; false: there is no more. */
    boolean work(long looks) {
        work -= looks;
        spent.add(looks);
        return work >= 0;
    }

    /** Work that was taken so far, by the whole and all its parts. */
    long spent() {
        return spent.sum();
    }

    /** Returns whether there is room for a table. */
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
        return new Room(
                (long) (copies * share), (long) (tableWords * share), (long) (work * share), spent);
    }
}
