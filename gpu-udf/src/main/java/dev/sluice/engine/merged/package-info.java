/**
 * Merged tuples (J. Daly, V. Bruschi, L. Linguaglossa, S. Pontarelli, D. Rossi, J. Tollet, E.
 * Torng, A. Yourtchenko, "TupleMerge: fast software packet processing for online packet
 * classification", IEEE/ACM Transactions on Networking 2019): classes whose masks ask for less than
 * their rules do.
 *
 * <pre>
 *  rule (src/32, dst/31, tcp 80) ─┐
 *  rule (src/28, dst/32, udp)    ─┴▶ class (src/20, dst/20): rules of one key verified in rank order
 *         a key with more than 8 rules ─▶ class (src/28, dst/31): those that ask for enough move there
 * </pre>
 *
 * <p>A rule goes to the class with the longest mask that its own contains; a new class relaxes the
 * rule's mask. Our splitting picks the mask that serves most rules of the crowded key.
 *
 * <p>Compiled images, which do not change, have lists beside the cells ({@link
 * dev.sluice.engine.merged.KeyLists}), ours: one word of a class's table says whether it may have a
 * better rule than the one found, and where; entries of one sector test three words of a rule.
 *
 * <pre>
 *  class's table, by hash of key      entries, lists in the order of their best rules
 *  [tag, first] ────────────────────▶ [rank 7 | 3 words] [rank 90 | 3 words][rank 90 | 2 more, last]
 *  [    0     ]  no rule
 *  [tag, first]  first beyond what is found: no better rule, not read
 * </pre>
 *
 * <p>Memory: 90 to 200 bytes a rule compiled, two thirds of it without lists. Look-up: a word a
 * class, then 5 to 8 entries; without lists, three cells a class. Update: in place, O(classes) at
 * worst. The algorithm for rules that change often, and of the overlay. Supports every match.
 */
@NullMarked
package dev.sluice.engine.merged;

import org.jspecify.annotations.NullMarked;
