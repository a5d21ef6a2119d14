/**
 * Bloom search (M. Varvello et al., CoNEXT 2014, §4.3): a Bloom filter in front of each tuple's
 * table.
 *
 * <pre>
 *  headers ─▶ filters of 32 tuples, two bits each ─▶ candidate tuples ─▶ cuckoo tables
 * </pre>
 *
 * <p>k = 2, m a power of two, at least 64 bits a key, from a digest under a seed of its own, so
 * that a false positive of the filter is not more likely to have the digest of a key in the table.
 * Predicted share of false positives: (1 - e^(-2n/m))^2, 9.5e-4 for m = 16,384 and n = 256.
 *
 * <p>Memory: that of tuple search and 8 to 16 bytes a rule; while rules change, a counter a filter
 * bit. Update: in place. Supports every match.
 */
@NullMarked
package dev.sluice.engine.bloom;

import org.jspecify.annotations.NullMarked;
