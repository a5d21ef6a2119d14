/**
 * Questions about rules that need no traffic: which rules no packet reaches, and which change
 * nothing.
 *
 * <pre>
 * rules ─▶ MatchEntry: first-match list of boxes ─▶ HeaderSpace: coordinates ─▶ IndexedList
 *                                                     Lint: witness, else CoverProof ─▶ finding
 * </pre>
 *
 * <p><b>Header space.</b> A dimension is a run of bits in which every mask is a prefix, or a port.
 * Its coordinates are the intervals between the bounds that rules name, so that a bound is an int
 * whatever the field's width is, and a mask with holes is a product of intervals. Protocol, IP
 * version, fragment, the presence of ports and TCP flags depend on each other: they are one
 * dimension of <b>kinds</b>, the classes of possible packets that no rule tells apart. So a packet
 * without ports, such as a later fragment, is a kind of its own.
 *
 * <p><b>Witness first.</b> The corners of a box and two random points settle 99 of 100 rules: the
 * index tells which rule wins a point. Else a <b>cover proof</b> subtracts the boxes before from
 * the rule's box. A region is covered if a box spans it, or intervals of boxes that span all other
 * dimensions do; it is open if one dimension has a coordinate of no box. Else the box of the
 * largest share is subtracted, and what is left is proven piece by piece. The set that covers a
 * rule is minimal by inclusion: no rule of it can be left out. Covering by boxes in any dimension
 * is co-NP-hard, so that the proofs about a rule have a budget; what exceeds it is told as
 * undecided.
 *
 * <p><b>Redundancy.</b> A rule is needed if and only if a later rule of another action wins a
 * packet that the rule wins now. Each rule is judged alone: of two redundant rules one may be
 * needed once the other is gone.
 *
 * <p><b>Hidden packets.</b> A box of a chain does not get the packets that left the chain by a
 * RETURN before it. For a question about the box the RETURN covers them; the box covers a region
 * only where none of them lie, else the proof cuts the region at one of them.
 *
 * <p><b>Differences.</b> Two policies share a space. A header that meets only boxes which both have
 * in the same order has one outcome in both. So the packets of the other boxes alone are walked
 * through both policies, cut into pieces of one answer each, and counted by the pair of lines that
 * decide. A region that many boxes overlap is halved first. A piece has a set of coordinates in
 * each dimension, so that a subtraction leaves one piece a dimension, not one on either side of the
 * box.
 *
 * <p>The index lists the prefixes of two dimensions as trees. Boxes that overlap a box have an
 * ancestor or a descendant of its prefix in both. Memory is O(boxes), a point costs the product of
 * the two depths.
 *
 * <p>Nothing here is thread-safe.
 */
@NullMarked
package dev.sluice.policy.questions;

import org.jspecify.annotations.NullMarked;
