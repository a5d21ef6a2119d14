/**
 * H-HashTree (Y.-T. Lin et al., "Hierarchical hash tree for OpenFlow packet classification on
 * GPUs", JPDC 2022, §4): rules are grouped by which fields they name, each group has a hash table,
 * and a bucket with too many rules becomes a node of the next layer, with groups by other fields.
 *
 * <pre>
 *  extended Bloom filters ─▶ groups worth a look
 *  layer 1: MACs, 4 groups ─▶ layer 2: port, type, VLAN, 8 ─▶ layer 3: addresses, 4 ─▶ layer 4: priority, ToS
 *  extra tree (wild in MACs, type, VLAN): addresses, 4 ─▶ port, priority, ToS, 8
 * </pre>
 *
 * <p>Our reading where the paper contradicts itself or does not say:
 *
 * <ul>
 *   <li>its hash tables of 65,526 entries have 65,536;
 *   <li>the example rule R1's mask has 11 digits and is said to be of layer 3: masks have 12 bits,
 *       4 of layer 1 and 8 of layer 2;
 *   <li>the extra tree's second layer is said to have 4 groups, but three fields make 8;
 *   <li>the search of layer 1 compares with its best match even where no bucket was found: a bucket
 *       that is missing leaves the best match as it is;
 *   <li>the hash is the exclusive or of the upper 16 bits of both addresses, 0 where they are
 *       equal: we rotate the destination's first;
 *   <li>the number of rules at which a bucket becomes a node is not given: an option, 16 by
 *       default;
 *   <li>tables start with 16 entries and double up to the paper's size as rules come;
 *   <li>a MAC address under a mask counts as wild.
 * </ul>
 *
 * <p>Memory: some 220 to 450 bytes a rule. Update: a new build, behind an overlay. The paper's
 * kernels that update a table on the GPU are gone (decision 0137). Plain 5-tuple rules all fall
 * into the extra tree, whose first 16 address bits tell few of them apart: its worst case, never
 * chosen. Supports every match; IPv6 addresses and ports are looked at in the bucket only.
 */
@NullMarked
package dev.sluice.engine.hashtree;

import org.jspecify.annotations.NullMarked;
