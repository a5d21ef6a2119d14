package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Rule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Content of the rules of slots beyond their matches, by tick: a slot has its rule, or the newest
 * of a few notes, each with the tick from which it holds. Notes are immutable, so a reader that has
 * the array of its tick may go through them while the writer puts newer ones in front.
 *
 * <p>Slots 0 to n - 1 are the base's rules, those behind them the overlay's. Not thread-safe but
 * for the static methods.
 */
final class SlotRules {
    /** Content of a slot from a tick on. */
    private record Note(Rule rule, int since, @Nullable Object older) {}

    private @Nullable Object[] slots;
    private int count;

    SlotRules(Base base) {
        slots = base.toArray(64);
        count = base.size();
    }

    /** The slots of now; another array after more were added. */
    @Nullable Object[] array() {
        return slots;
    }

    /** Number of slots. */
    int count() {
        return count;
    }

    /** Makes room for so many slots. */
    void reserve(int room) {
        if (room > slots.length) {
            slots = Arrays.copyOf(slots, room);
        }
    }

    /** Adds a slot, whose number is the count before. */
    void add(Rule rule, int tick) {
        if (count == slots.length) {
            slots = Arrays.copyOf(slots, Math.max(64, count * 3 / 2));
        }
        slots[count++] = new Note(rule, tick, null);
    }

    /**
     * Changes what a slot says from a tick on.
     *
     * @param oldest no reader has an older tick, nor will
     * @return what the slot had, for {@link #restore}
     */
    @Nullable Object change(int slot, Rule rule, int tick, int oldest) {
        Object before = slots[slot];
        slots[slot] = new Note(rule, tick, needed(before, oldest));
        return before;
    }

    /** The part of a slot's notes that readers from a tick on may ask for. */
    private static @Nullable Object needed(@Nullable Object from, int oldest) {
        if (!(from instanceof Note note)) {
            return from;
        }
        Object older = note.since <= oldest ? null : needed(note.older, oldest);
        return older == note.older ? note : new Note(note.rule, note.since, older);
    }

    /** Takes a change back. */
    void restore(int slot, @Nullable Object before) {
        slots[slot] = before;
    }

    /** The rule of a slot as of now. */
    Rule now(int slot) {
        return rule(slots, slot, Integer.MAX_VALUE);
    }

    /** The rule of a slot as of a tick. */
    static Rule rule(@Nullable Object[] slots, int slot, int tick) {
        Object at = slots[slot];
        while (at instanceof Note note) {
            if (note.since <= tick || note.older == null) {
                return note.rule;
            }
            at = note.older;
        }
        if (at instanceof Rule rule) {
            return rule;
        }
        throw new IllegalArgumentException("no rule of the version has the verdict " + slot);
    }

    /** Since when the slot has said what it says at a tick. */
    static int since(@Nullable Object[] slots, int slot, int tick) {
        Object at = slots[slot];
        while (at instanceof Note note) {
            if (note.since <= tick || note.older == null) {
                return note.since;
            }
            at = note.older;
        }
        return 0;
    }
}
