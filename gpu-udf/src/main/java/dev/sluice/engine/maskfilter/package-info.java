/**
 * Mask filter (ours): tuple space search behind a matrix of bits that tells, for a header, which
 * few tuples may have a rule for it.
 *
 * <pre>
 *  key 1 of the header ─▶ row: bit t set if tuple t does not name the key, or has a rule of that value
 *  key 2               ─▶ row   AND
 *  ...                          = candidate tuples ─▶ probed
 * </pre>
 *
 * <p>Keys are one field or a pair of fields, addresses cut to 8, 16, 24 or 32 bits, chosen greedily
 * by how few tuples they leave for headers made from the rules. A bit a tuple is what a bit a rule
 * is in bit vectors (T. V. Lakshman, D. Stiliadis, SIGCOMM 1998).
 *
 * <p>Memory: keys × rows × tuples bits beside the tables. Update: a new build, behind an overlay.
 * Pays where dozens to thousands of masks name many fields exactly, as in OpenFlow. Supports every
 * match.
 */
@NullMarked
package dev.sluice.engine.maskfilter;

import org.jspecify.annotations.NullMarked;
