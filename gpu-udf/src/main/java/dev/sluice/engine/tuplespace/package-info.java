/**
 * Tuple space: what tuple search, merged tuples, Bloom search, the mask filter and exact match
 * share.
 *
 * <p>A tuple is a set of rules that are looked up under one mask: the header's words are cut to the
 * mask, and the result is a key in the tuple's hash table. So a look-up costs one probe a tuple,
 * however many rules it has (V. Srinivasan, S. Suri, G. Varghese, "Packet classification using
 * tuple space search", SIGCOMM 1999). The algorithms differ in which tuple a rule goes to, and in
 * how they avoid probing tuples that have no rule for a header.
 *
 * <pre>
 *  TupleOrder ─▶ tuples, best rank first
 *                  │ mask
 *                  ▼
 *  CuckooTables ─▶ cell: digest of the key | head of a list
 *                                              │
 *                                              ▼
 *  RuleRows ─────▶ row of a rule: rank | mask | values | port ranges | next of the list ─▶ row ...
 * </pre>
 *
 * <p>{@link dev.sluice.engine.tuplespace.TupleTables} puts the three together and is what an
 * algorithm writes through; {@link dev.sluice.engine.tuplespace.TupleSearch} reads them for a block
 * of headers. All of it lies in an {@link dev.sluice.engine.memory.Arena}, whose words are an image
 * at every moment: an algorithm compiles by inserting rule by rule and sealing the words.
 *
 * <p>A key's digest has 32 bits; three hash functions of it name a cell in each of three subtables.
 * Different keys may have one digest, and a rule may ask for more than its tuple's mask, so a
 * look-up compares the whole rule in its row. Rows hold ranks, so that one comparison tells which
 * of two rules is better, and a tuple's best rank tells that it cannot win.
 *
 * <p>Writers are not thread-safe. A search belongs to its thread.
 */
@NullMarked
package dev.sluice.engine.tuplespace;

import org.jspecify.annotations.NullMarked;
