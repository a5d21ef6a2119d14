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
 * <p>Memory: some 65 to 110 bytes a rule. Look-up: three cells a class, few classes. Update: in
 * place, O(classes) at worst. The algorithm for rules that change often, and of the overlay.
 * Supports every match.
 */
@NullMarked
package dev.sluice.engine.merged;

import org.jspecify.annotations.NullMarked;
