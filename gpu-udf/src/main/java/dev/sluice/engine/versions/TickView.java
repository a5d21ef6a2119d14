package dev.sluice.engine.versions;

import org.jspecify.annotations.Nullable;

/**
 * Words and arrays that a look-up at one tick reads.
 *
 * @param changes changes of the base, those of later ticks, too
 * @param removals whether rules of the base were removed
 * @param inserts whether rules were inserted
 * @param words the overlay's words
 * @param directory offset of the tick's directory in the words
 * @param vectors the vectors of all inserted rules; null where these are too many, or the base's
 *     rules are not told apart
 */
record TickView(
        BaseChanges changes,
        int tick,
        boolean removals,
        boolean inserts,
        int[] words,
        int directory,
        EntryVectors.@Nullable View vectors) {}
