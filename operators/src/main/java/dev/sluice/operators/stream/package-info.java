/**
 * Rules that change while packets flow: which version of the rules a batch is looked up in.
 *
 * <p>{@link dev.sluice.operators.stream.RuleSetLookup} is a version that is ready for look-ups, and
 * {@link dev.sluice.operators.stream.EngineLookup} such a version of the engine's.
 */
@NullMarked
package dev.sluice.operators.stream;

import org.jspecify.annotations.NullMarked;
