package dev.sluice.engine.rfc;

import java.util.List;

/**
 * Tables that lead from an address word to a number, level by level: the bits of a level, behind
 * the class that the level above gave, index its table.
 *
 * @param word the header word
 * @param widths bits of each level, most significant first
 * @param tables entries of each level: classes, in the last one numbers
 * @param classes distinct entries of each level, at most
 */
public record PrefixTables(int word, int[] widths, List<int[]> tables, int[] classes) {}
