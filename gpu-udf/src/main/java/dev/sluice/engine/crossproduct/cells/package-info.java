/**
 * Cells of pairs of address prefixes: the division of rules into groups ({@link
 * dev.sluice.engine.crossproduct.cells.CrossproductGroups}), and the forms in which the cells of a
 * group lie. A form writes its cells and is searched by a {@link
 * dev.sluice.engine.crossproduct.cells.CellSearch}.
 *
 * <pre>
 *  form         when (limits of CrossproductLimits)               bytes                    reads
 *  DirectCells  at most 16,384 pairs, or 4 pairs a cell           4 a pair                 1
 *  MappedCells  at most 32 pairs a cell, and 32 M pairs           8 for 32 pairs,          2
 *                                                                 4 a cell
 *  ListedCells  lists of at most 64 cells, 2 on average over      8 a cell                 1 a cell of the list,
 *               cells; by source, else by destination                                      2 on average
 *  HashedCells  anything else                                     9.4 a cell, 2 a bucket   2: seed, cell
 * </pre>
 *
 * <p>Every search reads both prefixes' numbers in the group first, from the rows of the addresses.
 */
@NullMarked
package dev.sluice.engine.crossproduct.cells;

import org.jspecify.annotations.NullMarked;
