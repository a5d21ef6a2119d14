/**
 * Rule transactions: from messages to rule-set versions and back. A transaction takes effect whole
 * at its COMMIT or not at all.
 */
@NullMarked
package dev.sluice.operators.rules;

import org.jspecify.annotations.NullMarked;
