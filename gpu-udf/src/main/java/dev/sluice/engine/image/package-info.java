/**
 * Compiled rule sets as flat, relocatable memory: one array of 32-bit words, all references are
 * word offsets from its start, little-endian when it leaves the process. {@link
 * dev.sluice.engine.image.ImageLayout} has the words of its head, a {@code Layout} class in each
 * algorithm's package the rest; the CUDA sources include a header that is generated from these
 * classes.
 */
@NullMarked
package dev.sluice.engine.image;

import org.jspecify.annotations.NullMarked;
