package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * Filter of the entries of an overlay that a header may match, while these are few: each of three
 * halves of header words ({@link HeaderHalves}) names a bucket, a bucket has a bit for each entry
 * that may match headers of it, and entries whose bit is set three times are compared with the
 * header (T. V. Lakshman, D. Stiliadis, "High-Speed Policy-based Packet Forwarding Using Efficient
 * Multi-dimensional Range Matching", 1998, section 4.1, with hashed halves in place of intervals,
 * and only the entries that came after a compiled rule set in place of all rules). Most headers
 * have no such entry, and are done without a look into {@link VersionedTuples}.
 *
 * <p>Entries are numbered as they come, and 64 of them are a group with buckets of its own, so that
 * nothing is ever moved. Bits are only ever set: what was removed stays, and a look-up compares its
 * ticks. A group: for each of the three halves a word of the entries that any of its values may
 * match, then one a bucket.
 *
 * <p>One thread adds; any number look, each by a {@link View} that it was given later.
 */
final class EntryVectors {
    private static final int GROUP_BITS = 6;
    private static final int BUCKET_BITS = 9;

    /** Size of a group for one half in words. */
    static final int HALF_WORDS = 1 + (1 << BUCKET_BITS);

    /**
     * View that a look-up reads.
     *
     * @param halves as {@link HeaderHalves#choose} returns them
     * @param groups by number of an entry divided by 64
     * @param entries offsets of the entries by number
     * @param count numbered entries that there are for the view
     */
    record View(int[] halves, long[][] groups, int[] entries, int count) {
        static final View NONE = new View(new int[0], new long[0][], new int[0], 0);

        int groupsInUse() {
            return groupsOf(count);
        }

        /** Bits of a group that are those of the view's entries. */
        long bits(int group) {
            int behind = count - (group << GROUP_BITS);
            return behind >= 1 << GROUP_BITS ? -1L : (1L << behind) - 1;
        }

        /** Offset of an entry by its group and bit. */
        int entry(int group, int bit) {
            return entries[(group << GROUP_BITS) + bit];
        }
    }

    /** Groups of so many numbered entries. */
    private static int groupsOf(int count) {
        return count + (1 << GROUP_BITS) - 1 >>> GROUP_BITS;
    }

    private final HeaderLayout layout;
    private final int[] halves;
    private final long[][] groups;
    private final int[] entries;
    private final int mostWide;
    private int count;

    /** Entries that no half tells: they have bits for all headers. */
    private int wide;

    /** True if an entry came that has no place. */
    private boolean lacksSome;

    /**
     * Vectors without entries.
     *
     * @param halves as {@link HeaderHalves#choose} returns them, not none
     * @param limits numbered entries, and those of them that no half tells; where more come there
     *     is no view any more
     */
    EntryVectors(HeaderLayout layout, int[] halves, Accelerators limits) {
        this.layout = layout;
        this.halves = halves;
        this.groups = new long[groupsOf(limits.entries())][];
        this.entries = new int[limits.entries()];
        this.mostWide = limits.wide();
    }

    /** Returns whether all entries that were ever added are known. */
    boolean hasAll() {
        return !lacksSome;
    }

    /**
     * Adds an entry.
     *
     * @param entry its offset, which stays
     */
    void add(int entry, Match match) {
        int[] values = new int[HeaderHalves.CHOSEN];
        boolean told = false;
        for (int h = 0; h < HeaderHalves.CHOSEN; h++) {
            values[h] = HeaderHalves.values(match, layout, halves[h]);
            told |= values[h] != HeaderHalves.ANY;
        }
        wide += told ? 0 : 1;
        if (count == entries.length || wide > mostWide) {
            lacksSome = true;
        } else {
            number(values);
            entries[count++] = entry;
        }
    }

    private void number(int[] values) {
        int group = count >>> GROUP_BITS;
        if (groups[group] == null) {
            groups[group] = new long[HeaderHalves.CHOSEN * HALF_WORDS];
        }
        long bit = 1L << count;
        long[] words = groups[group];
        for (int h = 0; h < HeaderHalves.CHOSEN; h++) {
            int any = h * HALF_WORDS;
            if (values[h] == HeaderHalves.ANY) {
                words[any] |= bit;
                continue;
            }
            int last = HeaderHalves.last(values[h]);
            for (int value = HeaderHalves.first(values[h]); value <= last; value++) {
                words[any + bucket(value)] |= bit;
            }
        }
    }

    /** Words from a half's first one to that of a value. */
    static int bucket(int value) {
        return VersionedTuplesLayout.bucketNumber(value, Integer.SIZE - BUCKET_BITS);
    }

    /** Returns the view for look-ups of now. To be called while {@link #hasAll}. */
    View view() {
        return new View(halves, groups, entries, count);
    }

    /** Bytes. */
    long bytes() {
        long groupWords = (long) HeaderHalves.CHOSEN * HALF_WORDS * groupsOf(count);
        return 4L * entries.length + 8L * groupWords;
    }
}
