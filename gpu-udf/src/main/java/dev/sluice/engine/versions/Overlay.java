package dev.sluice.engine.versions;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.memory.ReadAhead;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rules that came since a base, by slots from 0 on: their entries in tuples and vectors, their
 * order, and when they ended. Used by the thread that writes.
 */
final class Overlay {
    private final Base base;
    private final Accelerators limits;
    private final SlotRules rules;
    private final VersionedTuples tuples;
    private final OverlayOrder order = new OverlayOrder();

    /** By slot: the tick at which the rule was removed, or NEVER; another array after it grew. */
    private int[] endedAt = new int[64];

    /** Null where the base's rules are not told apart. */
    private @Nullable EntryVectors vectors;

    /** Slots from which on vectors of the live entries are made anew where some have no place. */
    private int renewVectorsFrom;

    /**
     * No rules so far.
     *
     * @param rules rules of the base's slots, and of the overlay's behind them
     */
    Overlay(Base base, SlotRules rules, long budgetBytes, Accelerators limits) {
        this.base = base;
        this.rules = rules;
        this.limits = limits;
        this.tuples = new VersionedTuples(base.layout(), budgetBytes, limits);
        int[] halves = base.halves();
        boolean told = halves.length > 0 && limits.entries() > 0;
        this.vectors = told ? new EntryVectors(base.layout(), halves, limits) : null;
    }

    VersionedTuples tuples() {
        return tuples;
    }

    /** The ends by slot. Do not change. */
    int[] endedAt() {
        return endedAt;
    }

    /** Returns the vectors of all entries; null where these are too many. */
    EntryVectors.@Nullable View vectors() {
        EntryVectors known = vectors;
        return known == null || !known.hasAll() ? null : known.view();
    }

    /** Number of slots. */
    int slots() {
        return rules.count() - base.size();
    }

    /** Makes room for what is to come. */
    void reserve(long words, int slots) {
        tuples.reserve(words, slots);
        rules.reserve(base.size() + slots);
        order.reserve(slots);
        if (slots > endedAt.length) {
            endedAt = Arrays.copyOf(endedAt, slots);
        }
    }

    /** Reads the words that {@link #remove} will write. */
    void readAhead(int slot, ReadAhead ahead) {
        tuples.readAhead(slot, ahead);
    }

    /**
     * Adds a rule in the next slot.
     *
     * @param precede rules of the base before it
     * @return false if a rule of its priority and place is there; nothing was added then
     * @throws MemoryBudgetException if there is no room for it; nothing was added then
     */
    boolean insert(int tick, Rule rule, int precede) {
        if (!tuples.hasRoom(1)) {
            throw new MemoryBudgetException(
                    "overlay", tuples.bytes() + tuples.bytes() / 2, tuples.bytes());
        }
        int slot = slots();
        if (!order.insert(slot, rule, precede)) {
            return false;
        }
        rules.add(rule, tick);
        if (slot >= endedAt.length) {
            endedAt = Arrays.copyOf(endedAt, endedAt.length * 3 / 2);
        }
        endedAt[slot] = VersionedTuplesLayout.NEVER;
        write(tick, slot, rule);
        return true;
    }

    /** Ends the rule of a slot. */
    void remove(int tick, int slot, Rule rule) {
        tuples.remove(tick, slot);
        order.remove(slot, rule);
        endedAt[slot] = tick;
    }

    /** Takes {@link #remove} back. */
    void restore(int tick, int slot, Rule rule) {
        order.insert(slot, rule, base.precede(rule));
        write(tick, slot, rule);
        endedAt[slot] = VersionedTuplesLayout.NEVER;
    }

    /** Writes the entry of a rule that has a place in the order. */
    private void write(int tick, int slot, Rule rule) {
        if (order.label(slot) < 0) {
            for (int other : order.respread(slot)) {
                tuples.remove(tick, other);
                enter(tick, other, rules.now(base.size() + other).match());
            }
        }
        enter(tick, slot, rule.match());
    }

    private void enter(int tick, int slot, Match match) {
        int entry = tuples.insert(tick, slot, match, order.precede(slot), order.label(slot));
        EntryVectors known = vectors;
        if (known == null) {
            return;
        }
        known.add(entry, match);
        int slots = slots();
        if (!known.hasAll()
                && tuples.live() <= limits.entries() / 2
                && slots >= renewVectorsFrom
                && slots <= limits.slots()) {
            vectors = vectorsOfLive(slots);
            renewVectorsFrom = slots + limits.entries() / 4;
        }
    }

    /** Vectors without the entries that ended; views keep those that they have. */
    private EntryVectors vectorsOfLive(int slots) {
        EntryVectors live = new EntryVectors(base.layout(), base.halves(), limits);
        for (int slot = 0; slot < slots; slot++) {
            int entry = tuples.entry(slot);
            if (entry != 0) {
                live.add(entry, rules.now(base.size() + slot).match());
            }
        }
        return live;
    }

    /** Bytes of entries and vectors. */
    long bytes() {
        EntryVectors known = vectors;
        return tuples.bytes() + (known == null ? 0 : known.bytes());
    }
}
