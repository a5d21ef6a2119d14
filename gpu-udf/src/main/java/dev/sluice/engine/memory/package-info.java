/**
 * Memory for rules that change while they are looked up: an image that is written word by word.
 *
 * <pre>
 *  structure ─▶ Arena: blocks of words ─▶ MutableImage (buffer), dirty lines ─▶ copy on a device
 *                  │ WriteLog, at a switch
 *                  └─────────────────────▶ MutableImage (second buffer)
 * </pre>
 *
 * <p>A sealed {@link dev.sluice.engine.image.Image} never changes; a {@link
 * dev.sluice.engine.memory.MutableImage} has the same format without seal and checksum, so that the
 * same look-ups read both. {@link dev.sluice.engine.memory.Arena} allocates and writes it. An arena
 * with one buffer is for one thread; with two, readers look into one while the other is written,
 * and the words that were written go to the first one later. Who keeps a copy of a buffer elsewhere
 * asks for its dirty lines, 64 bytes each, and copies those.
 *
 * <p>{@link dev.sluice.engine.memory.LongIntMap} and {@link dev.sluice.engine.memory.NumberedLists}
 * hold many numbers without an object an entry, for builds too.
 */
@NullMarked
package dev.sluice.engine.memory;

import org.jspecify.annotations.NullMarked;
