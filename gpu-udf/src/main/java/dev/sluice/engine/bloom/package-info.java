/**
 * Bloom search (M. Varvello et al., CoNEXT 2014, §4.3): a Bloom filter in front of each tuple's
 * table.
 *
 * <pre>
 *  headers ─▶ filters of 32 tuples, two bits each ─▶ candidate tuples ─▶ cuckoo tables
 * </pre>
 *
 * <p>A filter for n keys has k = 2 hash functions and m bits; m is a power of two and at least 64
 * times n. The hash functions take a digest under another seed than the table's, so that a false
 * positive of the filter is not more likely than other headers to have the digest of a key in the
 * table. Predicted share of false positives: (1 - e^(-2n/m))^2, 9.5e-4 for m = 16,384 and n = 256.
 *
 * <p>Memory: that of tuple search and 8 to 16 bytes a rule. Update: a new build, behind an overlay.
 * Supports every match.
 */
@NullMarked
package dev.sluice.engine.bloom;

import org.jspecify.annotations.NullMarked;
