/**
 * Mask filter (ours): a matrix of bits that leaves a handful of masks to probe.
 *
 * <pre>
 *  key 1 of the header ─▶ row: bit m set if mask m does not name the key, or has a rule of such a value
 *  key 2               ─▶ row   AND
 *  ...                          = candidate masks ─▶ probed in the tuple tables
 * </pre>
 *
 * <p>Keys are one field or a pair of fields, addresses cut to 8, 16, 24 or 32 bits, chosen greedily
 * by the masks that they leave for headers made from the rules. The idea of a bit a mask comes from
 * bit vectors (T. V. Lakshman, D. Stiliadis, SIGCOMM 1998), turned from rules to masks.
 *
 * <p>Memory: keys × rows × masks bits beside the tables. Update: in place, a bit and an insertion;
 * counts stand behind the bits where rules may go. Pays for dozens to thousands of masks with many
 * exact fields, as in OpenFlow. Supports every match.
 */
@NullMarked
package dev.sluice.engine.maskfilter;

import org.jspecify.annotations.NullMarked;
