/**
 * Sealed images: compiled rule sets that never change, as flat memory that may be copied anywhere.
 * An image is one array of 32-bit words; references within it are word offsets from its start, so
 * that a CPU's look-up and a GPU's kernel read the same words; outside the process it is
 * little-endian. {@link dev.sluice.engine.image.WordWriter} builds one and throws {@link
 * dev.sluice.engine.image.MemoryBudgetException} where it would pass its budget of bytes; {@link
 * dev.sluice.engine.image.Image#seal} completes head and checksum. Images that change word by word
 * are in {@link dev.sluice.engine.memory}.
 *
 * <p>{@link dev.sluice.engine.image.ImageLayout} names the words of its head. The other words have
 * names in each algorithm's package, in a class whose name ends in Layout. The CUDA sources include
 * a header that is generated from these classes.
 */
@NullMarked
package dev.sluice.engine.image;

import org.jspecify.annotations.NullMarked;
