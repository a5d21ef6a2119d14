/**
 * Rules of IPv4 and of IPv6 apart (ours): a header says by its IP version of which family it is,
 * and each family has an image of its own, by any other algorithm.
 *
 * <pre>
 *  headers ─▶ IP version ─┬─ 4 ───────▶ image of the rules that an IPv4 header may match ─┐
 *                         ├─ 6 ───────▶ image of the rules that an IPv6 header may match ─┼─▶ map ─▶ position
 *                         └─ neither ─▶ image of the rules that name no IP version ───────┘
 * </pre>
 *
 * <p>A rule set of both families looks at the words of all addresses, which few structures serve:
 * recursive flow classification has twelve words to combine, crossproducts refuse four addresses.
 * Apart, IPv4 rules look at the four words of a 5-tuple and IPv6 rules at theirs. The IP version is
 * a field of two bits with four values. A rule that names it belongs to the values that it allows;
 * one that does not, to all four. Values that allow the same rules share one part, a part without
 * rules has no image; within a part the field decides nothing, so its rules no longer name it. Each
 * part is compiled by what the engine chooses for it, or by an algorithm that an option names.
 *
 * <p>A look-up takes blocks of headers: for each part it notes which ones are the part's, copies
 * the words that the part looks at, column by column, looks them up together, and writes the
 * verdicts to their places by a map of the part's positions to those of the whole set.
 *
 * <p>Memory: that of the parts, in which rules of every family stand up to four times, one word a
 * rule of each part for the map, and on the host a copy of each part's image. Update: a new build
 * behind an overlay, in which a part whose rules stayed keeps its image and the others follow as
 * their algorithms let them. Serves what the parts' algorithms serve: where the engine chooses,
 * everything. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.family;

import org.jspecify.annotations.NullMarked;
