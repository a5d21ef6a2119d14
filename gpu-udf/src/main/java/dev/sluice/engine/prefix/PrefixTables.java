package dev.sluice.engine.prefix;

import java.util.List;

/**
 * Tables that find a number for an address of one word, level by level: a level's table is indexed
 * by the class that the level above gave, followed by the level's own bits of the address.
 *
 * @param word the header word
 * @param widths bits of each level, most significant first
 * @param tables entries of each level: classes of the next one, in the last level the numbers
 * @param classes distinct entries of each level, at most
 */
public record PrefixTables(int word, int[] widths, List<int[]> tables, int[] classes) {}
