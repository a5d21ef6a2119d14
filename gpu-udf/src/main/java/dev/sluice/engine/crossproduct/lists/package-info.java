/**
 * Lists of rules that cells name: lists in total order without needless rules ({@link
 * dev.sluice.engine.crossproduct.lists.CellLists}), and the forms in which they are written. A form
 * is searched by a {@link dev.sluice.engine.crossproduct.lists.ListSearch}.
 *
 * <pre>
 *  search          when                                        bytes                     reads
 *  PatternSearch   patterns take at most 16 MB, and pattern    2 a pattern and class,    1, and 1 more for a list
 *                  and list fit a cell                         4 a rule of a list of     of several rules
 *                                                              several rules
 *  IntervalSearch  else, where ports are ranges                8 an interval, 8 a rule   log2 of the intervals, or
 *                                                              of a chain                1 by an index; a chain's rules
 *  KindSearch      else                                        8 a rule, a bit a kind    2 a rule until one holds
 *                                                              and class
 * </pre>
 *
 * <p>A pattern tells for each class of the other fields which rule of a list is the first that
 * holds. Lists with the same kinds in the same order share one.
 */
@NullMarked
package dev.sluice.engine.crossproduct.lists;

import org.jspecify.annotations.NullMarked;
