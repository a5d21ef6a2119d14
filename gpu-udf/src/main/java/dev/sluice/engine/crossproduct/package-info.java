/**
 * Address pairs (ours; cross-producting of V. Srinivasan, G. Varghese, S. Suri, M. Waldvogel, "Fast
 * and scalable layer four switching", SIGCOMM 1998, kept small by groups).
 *
 * <pre>
 *  source ──▶ prefix ─▶ row: a number s a group ─┐         other fields ─▶ RFC tables ─▶ class c
 *  destination ▶ prefix ▶ row: a number d a group ┤                                        │
 *                         ▼ for each group                                                 ▼
 *                (s, d) ─▶ cell: pattern, list ─▶ patterns[pattern][c]: which rule of the list
 * </pre>
 *
 * <p>The rules' addresses are prefixes: the longest one around a header's source says which source
 * prefixes hold, so a pair of two such results names all rules that both addresses allow. What a
 * rule asks of the other fields is its kind; few kinds exist, recursive flow classification reduces
 * those fields to a class, and a pattern, which lists of the same kinds share, says for each class
 * which rule of a list is the first that holds: no value is compared. A cell is one word, and a
 * list of one rule is that rule. Where patterns would take too much, a list's rules are tried in
 * total order, one bit each.
 *
 * <p>A prefix is found by tables of fixed strides where those stay small, else by a binary search
 * within the prefixes of a chunk of addresses ({@link PrefixRanges}), for more than 32 bits by a
 * trie. A look-up's time goes into reads that miss the second-level cache, so what it touches is
 * kept close together.
 *
 * <p>A rule lies in each cell of prefixes within its own. Groups keep that few: rules specific in
 * both addresses, in the source, in the destination, and the rest again; measured on ClassBench
 * sets of up to 100,000 rules, four or five groups and 1 to 5 cells a rule. Dense cells lie in a
 * plain table; where a prefix has few partners its row leads to a list of them; the rest lie in a
 * hash table at most half full ({@link CrossproductCells}).
 *
 * <p>Memory: some 30 to 100 bytes a rule at 100,000 rules, with a quarter of a megabyte for each
 * address's chunks. Look-up: some 20 reads, 2 to 6 of which miss the second-level cache at 100,000
 * rules. Refuses addresses that are no prefixes, IPv4 mixed with IPv6, and sets whose prefixes nest
 * so that cells explode: the build counts before it writes. Update: a new build, behind an overlay.
 * Thread-safe.
 */
@NullMarked
package dev.sluice.engine.crossproduct;

import org.jspecify.annotations.NullMarked;
