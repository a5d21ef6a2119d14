/**
 * Address prefixes of up to 128 bits, sets of them, and the structures that find a prefix around an
 * address.
 *
 * <p>{@link dev.sluice.engine.prefix.PrefixSearch} finds the longest prefix for a block of headers.
 * A structure is written once for an image; the CPU and a device read the same words.
 *
 * <pre>
 *  structure      when                                       bytes                 reads
 *  PrefixLevels   one word, tables of at most 1 MB           2 or 4 an entry       a read a level: 3 or 4
 *  PrefixRanges   one word, at most 2,047 in 16 upper bits   256 KiB + 8 a prefix  1 + log2 of a chunk
 *  PrefixTrie     up to four words                           4 an entry, 8 to 20   a read a table, then
 *                                                            a prefix              a prefix or more
 *  Dir24          one word, best rank instead of longest     32 or 64 MB           1 or 2
 *  LengthSearch   four words, best rank instead of longest   64 to 128 a prefix    at most 8 probes
 * </pre>
 *
 * <p>{@code PrefixLevels} makes {@link dev.sluice.engine.prefix.PrefixTables}, which the reduction
 * of {@link dev.sluice.engine.rfc} reads as steps of its own.
 */
@NullMarked
package dev.sluice.engine.prefix;

import org.jspecify.annotations.NullMarked;
