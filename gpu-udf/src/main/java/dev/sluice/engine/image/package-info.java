/**
 * Compiled rule sets as flat, relocatable memory: one array of 32-bit words, all references are
 * word offsets from its start, little-endian when it leaves the process.
 *
 * <pre>
 *  word 0  magic "SLUI"        4  rules              8..15  algorithm's own
 *       1  format version      5  words in all
 *       2  algorithm code      6  checksum of words 8 to the end
 *       3  header word bits    7  0
 * </pre>
 */
@NullMarked
package dev.sluice.engine.image;

import org.jspecify.annotations.NullMarked;
