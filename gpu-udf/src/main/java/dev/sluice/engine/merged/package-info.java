/**
 * Merged tuples (J. Daly, V. Bruschi, L. Linguaglossa, S. Pontarelli, D. Rossi, J. Tollet, E.
 * Torng, A. Yourtchenko, "TupleMerge: fast software packet processing for online packet
 * classification", IEEE/ACM Transactions on Networking 2019): tuples whose masks have fewer bits
 * than their rules' masks, so that few tuples serve many rules.
 *
 * <pre>
 *  rule (src/32, dst/31, tcp 80) ─┐
 *  rule (src/28, dst/32, udp)    ─┴▶ tuple (src/20, dst/20): rules of one key compared in rank order
 *         a key with more than 16 rules ─▶ tuple (src/28, dst/31): rules that name so much move there
 * </pre>
 *
 * <p>A rule goes to the tuple with the longest mask that its own contains; if there is none, a new
 * tuple is opened with a part of the rule's mask. Which mask a crowded key is split by is our own
 * choice: the one that serves most of its rules.
 *
 * <p>Compiled images, which do not change, have lists beside the cells ({@link
 * dev.sluice.engine.merged.KeyLists}), ours: one word of a tuple's table says whether it may have a
 * better rule than the one found, and where; an entry tests three words of a rule in one sector.
 *
 * <pre>
 *  tuple's table, by hash of key      entries, lists in the order of their best rules
 *  [tag, first] ────────────────────▶ [rank 7 | 3 words] [rank 90 | 3 words][rank 90 | 2 more, last]
 *  [    0     ]  no rule
 *  [tag, first]  a list behind the limit that a found rule sets: no better rule, not read
 * </pre>
 *
 * <p>A CPU reads the lists from arrays of its own ({@link dev.sluice.engine.merged.PackedLists}),
 * two header words in one: a test takes a pair, and a rule whose pair matches is compared whole.
 *
 * <p>Memory: 90 to 200 bytes a rule compiled, two thirds of it without lists, and some 80 to 100
 * for a CPU's arrays. Look-up: a word a tuple, then 2 to 7 tests and 1 to 2 comparisons; without
 * lists, three cells a tuple. Update: a new build, behind an overlay. The algorithm for rules that
 * change often, and of the second look behind a base ({@link dev.sluice.engine.versions}). Supports
 * every match.
 */
@NullMarked
package dev.sluice.engine.merged;

import org.jspecify.annotations.NullMarked;
