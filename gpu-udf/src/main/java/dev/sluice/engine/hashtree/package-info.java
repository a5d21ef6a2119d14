/**
 * H-HashTree (Y.-T. Lin et al., "Hierarchical hash tree for OpenFlow packet classification on
 * GPUs", JPDC 2022, §4): hash tables by which fields a rule names, layer below layer where a bucket
 * overflows.
 *
 * <pre>
 *  extended Bloom filters ─▶ groups worth a look
 *  layer 1: MACs, 4 groups ─▶ layer 2: port, type, VLAN, 8 ─▶ layer 3: addresses, 4 ─▶ layer 4: priority, ToS
 *  extra tree (wild in MACs, type, VLAN): addresses, 4 ─▶ port, priority, ToS, 8
 * </pre>
 *
 * <p>Where the paper slips or is silent, our reading:
 *
 * <ul>
 *   <li>hash tables of 65,526 entries are of 65,536;
 *   <li>the mask of the example rule R1 has 11 digits and names layer 3 for layer 2: masks have 12
 *       bits, 4 of layer 1 and 8 of layer 2;
 *   <li>its extra tree's second layer has 'all these 4 groups' of three fields: 8;
 *   <li>the search of layer 1 keeps one final match, but compares an unset one where no bucket was
 *       found: a miss there changes nothing;
 *   <li>hashing the upper 16 bits of two equal addresses cancels them: the destination's are
 *       rotated;
 *   <li>a threshold is not given: an option, 16 by default;
 *   <li>tables are as large as the paper's only where that many rules came: they start with 16
 *       entries and double;
 *   <li>a MAC address under a mask counts as wild.
 * </ul>
 *
 * <p>Memory: some 220 to 450 bytes a rule, filters counted. Update: in place; twelve counters an
 * entry stand behind the filters. On a GPU the paper's three kernels repeat updates rule by rule
 * where asked to; buckets are lists there, which are never full. Plain 5-tuple rules all fall into
 * the extra tree, whose first 16 address bits tell few of them apart: its worst case, never chosen.
 * Supports every match; IPv6 addresses and ports are looked at in the bucket only.
 */
@NullMarked
package dev.sluice.engine.hashtree;

import org.jspecify.annotations.NullMarked;
