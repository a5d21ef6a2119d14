/**
 * Linear search, arranged for the vector unit: every rule is laid over a whole block of headers,
 * worst rule first, without a branch, so that a better rule overwrites a worse one.
 *
 * <p>Memory: 2 W + 2 words a rule (W header words). Build: O(rules). Look-up: O(rules) a header, a
 * few instructions for 8 or 16 headers together: the fastest method for some dozens of rules.
 * Supports every match. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.linear;

import org.jspecify.annotations.NullMarked;
