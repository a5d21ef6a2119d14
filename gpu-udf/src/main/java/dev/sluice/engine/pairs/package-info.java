/**
 * Address pairs (ours; cross-producting of V. Srinivasan, G. Varghese, S. Suri, M. Waldvogel, "Fast
 * and scalable layer four switching", SIGCOMM 1998, kept small by groups).
 *
 * <pre>
 *  source ──▶ trie ─▶ s ─┐                     other fields ─▶ RFC tables ─▶ class c
 *  destination ▶ trie ▶ d ┤                                                    │
 *                         ▼ for each group                                     ▼
 *         (s in group, d in group) ─▶ cell ─▶ list of (kind, position): first with matrix[kind][c]
 * </pre>
 *
 * <p>The rules' addresses are prefixes: the longest one around a header's source says which source
 * prefixes hold, so a pair of two such results names all rules that both addresses allow. What a
 * rule asks of the other fields is its kind; few kinds exist, recursive flow classification reduces
 * those fields to a class, and a bit matrix says which kinds hold in a class. Within a cell the
 * rules are tried in total order, and one bit decides each: no value is compared.
 *
 * <p>A rule lies in each cell of prefixes within its own. Groups keep that few: rules specific in
 * both addresses, in the source, in the destination, and the rest again; measured on ClassBench
 * sets of up to 100,000 rules, four or five groups and 1 to 5 cells a rule. Cells lie in a plain
 * table where that is dense, else in a hash table at most half full.
 *
 * <p>Memory: some 40 to 120 bytes a rule and the class tables. Look-up: some 25 loads, at most a
 * few dependent ones. Refuses addresses that are no prefixes, IPv4 mixed with IPv6, and sets whose
 * prefixes nest so that cells explode: the build counts before it writes. Update: a new build,
 * behind an overlay. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.pairs;

import org.jspecify.annotations.NullMarked;
