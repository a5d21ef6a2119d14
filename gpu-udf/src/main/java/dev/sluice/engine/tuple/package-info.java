/**
 * Tuple space search (V. Srinivasan, S. Suri, G. Varghese, "Packet classification using tuple space
 * search", SIGCOMM 1999) with cuckoo tables (M. Varvello, R. Laufer, F. Zhang, T. V. Lakshman,
 * "Multi-layer packet classification with graphics processing units", CoNEXT 2014, §4.2): the rules
 * of one mask are a tuple and have one table.
 *
 * <pre>
 *  tuple of best rank ─▶ 3 cells ─▶ rules of the key, best first
 *  next tuple         ─▶ ...           until no tuple left can win
 * </pre>
 *
 * <p>Tables of a compiled image are 80 to 90 % full: one that has reached 90 % grows by 12 %. Port
 * ranges that are no prefix are compared in the row; by option they are cut into prefixes instead,
 * which takes a row each and more masks.
 *
 * <p>Memory: some 60 to 130 bytes a rule. Look-up: three cells a tuple. Update: a new build, behind
 * an overlay. Supports every match.
 */
@NullMarked
package dev.sluice.engine.tuple;

import org.jspecify.annotations.NullMarked;
