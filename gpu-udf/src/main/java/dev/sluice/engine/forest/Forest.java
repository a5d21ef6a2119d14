package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;

/**
 * A forest, and what a later build needs to take over of it what did not change. Immutable.
 *
 * @param rules the rules it was built from
 * @param settings how it was cut
 * @param entries number of entries of each rule in order, summed: {@link ForestEntries#first}
 * @param groups which tree begins with which entries; their lists are the first trees' lists
 * @param lists for each tree the entries that it was given, ascending, kept or not
 * @param next for each tree the one that takes what it spills, -1: none
 * @param changed rules that came and went since a whole build
 */
record Forest(
        Image image,
        RuleSet rules,
        ForestSettings settings,
        int[] entries,
        ForestEntries.Groups groups,
        int[][] lists,
        int[] next,
        long changed) {
    /** Bytes beside the image. */
    long bytes() {
        long bytes = 4L * (entries.length + next.length);
        for (int[] list : lists) {
            bytes += 4L * list.length;
        }
        return bytes;
    }
}
