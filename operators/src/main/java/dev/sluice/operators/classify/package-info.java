/**
 * The classify operator: fills micro-batches across keys, hands them to the engine, emits verdicts
 * in order and drains before a checkpoint barrier, so that its state is the rule set alone.
 */
@NullMarked
package dev.sluice.operators.classify;

import org.jspecify.annotations.NullMarked;
