/**
 * Bloom search (M. Varvello et al., CoNEXT 2014, §4.3): a Bloom filter in front of each class's
 * table.
 *
 * <pre>
 *  headers ─▶ filters of 32 classes, two bits each ─▶ candidate classes ─▶ cuckoo tables
 * </pre>
 *
 * <p>k = 2, m a power of two, at least 64 bits a key, from a digest of its own: a key that deceives
 * the filter does not deceive the table. Predicted share of false positives: (1 - e^(-2n/m))^2,
 * 9.5e-4 for m = 16,384 and n = 256.
 *
 * <p>Memory: that of tuple search and 8 to 16 bytes a rule; while rules change, a counter a filter
 * bit. Update: in place. Supports every match.
 */
@NullMarked
package dev.sluice.engine.bloom;

import org.jspecify.annotations.NullMarked;
