/**
 * Crossproduct of address prefixes (ours; after cross-producting of V. Srinivasan, G. Varghese, S.
 * Suri, M. Waldvogel, "Fast and scalable layer four switching", SIGCOMM 1998, which groups of rules
 * keep small here). Its label on the command line is {@code pairs}.
 *
 * <pre>
 *  source ──▶ prefix ─▶ row: a number s a group ─┐         other fields ─▶ RFC tables ─▶ class c
 *  destination ▶ prefix ▶ row: a number d a group ┤                                        │
 *                         ▼ for each group                                                 ▼
 *                (s, d) ─▶ cell: pattern, list ─▶ patterns[pattern][c]: which rule of the list
 * </pre>
 *
 * <p>The rules' addresses are prefixes. The longest prefix around a header's source tells all
 * source prefixes that contain it, and likewise for the destination; so the pair of both names all
 * rules that both addresses allow: a list of rules, in the pair's cell. What a rule asks of the
 * other fields is its kind. Rule sets have few kinds, and recursive flow classification ({@link
 * dev.sluice.engine.rfc}) reduces the other fields of a header to a class, for which each kind
 * either holds or not. A pattern is a row that says, for each class, which rule of a list is the
 * first whose kind holds; lists with the same kinds in the same order share one. So a look-up
 * compares no values. A cell is one word; for a list of one rule it names that rule.
 *
 * <p>{@link dev.sluice.engine.crossproduct.cells} has the forms of cells, {@link
 * dev.sluice.engine.crossproduct.lists} those of lists, each with a table of when it is used, what
 * it takes and what a look-up reads. Where prefixes times classes are few (64 MB), all rules are
 * one group, and a cell names the best rules of eight classes themselves ({@link VerdictMatrix}).
 *
 * <p>A prefix is found by tables of fixed strides where those stay small, else by a binary search
 * within the prefixes of a chunk of addresses ({@link dev.sluice.engine.prefix.PrefixRanges}), for
 * more than 32 bits by a trie. Most of a look-up's time goes into reads that miss the second-level
 * cache, so tables are small, and what is read together lies together.
 *
 * <p>A rule is in the cell of every pair of prefixes within its own two. To keep these few, rules
 * are divided into groups with cells of their own: rules specific in both addresses, in the source,
 * in the destination, and the rest divided again. On ClassBench sets of up to 100,000 rules there
 * are three to five groups and 1 to 5 cells a rule; where a good part of all pairs has one, fewer
 * groups and up to 22. Rules for all addresses and ports have no cells: the class alone names the
 * best of them.
 *
 * <p>Memory: some 30 to 100 bytes a rule at 100,000 rules, with a quarter of a megabyte for each
 * address's chunks. Look-up: some 20 reads, 2 to 6 of which miss the second-level cache at 100,000
 * rules; lists by service take some 100 to 200 bytes a rule, and a step a doubling of their rules.
 * Refuses addresses that are no prefixes, IPv4 mixed with IPv6, and sets whose prefixes nest so
 * deeply that there are too many cells: the build counts them before it writes. Update: a new
 * build, behind an overlay. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.crossproduct;

import org.jspecify.annotations.NullMarked;
