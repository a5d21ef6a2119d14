/**
 * Memory for structures that are built word by word. A sealed {@link dev.sluice.engine.image.Image}
 * never changes. The words of an {@link dev.sluice.engine.memory.Arena} have the same format
 * without seal and checksum, so that the same look-ups read both.
 *
 * <p>{@link dev.sluice.engine.memory.LongIntMap} and {@link dev.sluice.engine.memory.NumberedLists}
 * hold many numbers without an object an entry, for builds too.
 */
@NullMarked
package dev.sluice.engine.memory;

import org.jspecify.annotations.NullMarked;
