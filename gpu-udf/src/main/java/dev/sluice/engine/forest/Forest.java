package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;

/**
 * A forest, and what the build of a later one needs in order to copy parts of it. Immutable.
 *
 * @param rules the rules it was built from
 * @param settings how it was cut
 * @param entries the first entry of each rule: {@link ForestEntries#first}
 * @param groups the groups of entries; the first trees were given one each
 * @param lists for each tree the entries that it was given, ascending, with those that left it
 * @param next for each tree the one that takes the entries that leave it, -1: none
 * @param changed rules that came and went since a forest was last built without a predecessor
 */
record Forest(
        Image image,
        RuleSet rules,
        ForestSettings settings,
        int[] entries,
        ForestEntries.Groups groups,
        int[][] lists,
        int[] next,
        long changed) {}
