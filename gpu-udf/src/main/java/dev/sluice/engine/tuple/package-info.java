/**
 * Tuple space search (V. Srinivasan, S. Suri, G. Varghese, "Packet classification using tuple space
 * search", SIGCOMM 1999): the rules of one mask (a class, or tuple) share a hash table keyed by the
 * masked header.
 *
 * <pre>
 *  classes, best rule first          slots of one class, open addressing, at most half full
 *  +------------------------+        +-----------------------------------------------------+
 *  | best position          |   +--> | key hash | first rule + 1 | key hash | first rule .. |
 *  | slot table, slot mask -+---+    +-------------------------------------|---------------+
 *  | W mask words           |                                              v
 *  +------------------------+          rules in total order: W values | W masks | ranges | next of key
 * </pre>
 *
 * <p>Port ranges that are no prefix do not enter the mask: they are verified in the bucket, whose
 * rules are chained best first. Classes are searched in the order of their best rule, and the
 * search ends when no remaining class can win.
 *
 * <p>Memory: 2 W + 3 words a rule, 4 to 8 words of slots a distinct key. Build: O(rules). Look-up:
 * one probe a class. Supports every match. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.tuple;

import org.jspecify.annotations.NullMarked;
