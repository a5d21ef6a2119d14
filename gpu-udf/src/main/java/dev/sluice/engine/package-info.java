/**
 * The classification engine's front door: {@link dev.sluice.engine.rules.RuleSet} → {@link
 * dev.sluice.engine.Compiler} → {@link dev.sluice.engine.image.Image} → {@link
 * dev.sluice.engine.lookup.Classifier}. Knows nothing of Flink or Kafka and is usable alone.
 *
 * <p>The one rule: every algorithm gives exactly the answer of {@link
 * dev.sluice.engine.lookup.Oracle}.
 */
@NullMarked
package dev.sluice.engine;

import org.jspecify.annotations.NullMarked;
