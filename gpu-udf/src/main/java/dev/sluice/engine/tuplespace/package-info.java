/**
 * Tuple space: rules in classes by mask, each class a cuckoo table, in memory that is an image at
 * every moment. What tuple search, merged tuples, Bloom search, the mask filter, exact match and
 * the overlay share.
 *
 * <pre>
 *  order: (best rank, record) ...     record: subtables, seed, constants, stash, filter, (word, mask) ...
 *  cell:  digest | first row + 1      row: rank | mask | next row of the key + 1 | values | port ranges
 * </pre>
 *
 * <p>A key's digest has 32 bits; three hash functions of it name one cell in each of three equal
 * subtables. Insertion moves keys for a bounded number of steps, then all keys of the class get new
 * constants and a new digest seed; keys that find no cell even so go to the class's stash, which
 * look-ups read. Rows hold ranks: one comparison decides between two rules.
 */
@NullMarked
package dev.sluice.engine.tuplespace;

import org.jspecify.annotations.NullMarked;
