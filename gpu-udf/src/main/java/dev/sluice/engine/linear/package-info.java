/**
 * Linear search, arranged for the vector unit: every rule is compared with a whole block of headers
 * without a branch, worst rule first, so that a better rule overwrites the verdict of a worse one.
 *
 * <p>Memory: 2 W + 2 words a rule (W header words). Build: O(rules). Look-up: O(rules) a header, a
 * few instructions for 8 or 16 headers together: the fastest method for some dozens of rules.
 * Supports every match. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.linear;

import org.jspecify.annotations.NullMarked;
