/**
 * The classification engine's front door: {@link dev.sluice.engine.Engine}, opened with {@link
 * dev.sluice.engine.EngineOptions}. Knows nothing of Flink or Kafka and is usable alone.
 *
 * <p>Behind it a {@link dev.sluice.engine.rules.RuleSet} is compiled by an {@link
 * dev.sluice.engine.lookup.Algorithm}, which the options name or {@link dev.sluice.engine.choice}
 * chooses, into an {@link dev.sluice.engine.image.Image}: one array of words that the CPU and a
 * device look into. Versions share a compiled base ({@link dev.sluice.engine.bases}). Of a batch of
 * headers the engine decides who looks it up; the algorithms know nothing of that, and nothing
 * inside the engine imports this package.
 *
 * <p>The one rule: every algorithm gives exactly the answer of a search rule by rule, which is the
 * first rule in total order that matches ({@code FirstMatch}, among the tests).
 */
@NullMarked
package dev.sluice.engine;

import org.jspecify.annotations.NullMarked;
