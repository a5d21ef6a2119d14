/**
 * Decision forest (ours; the cutting idea goes back to P. Gupta and N. McKeown, "Packet
 * classification using hierarchical intelligent cuttings", Hot Interconnects 1999): a few trees
 * whose nodes choose a child by a window of adjacent bits of one header word.
 *
 * <pre>
 *  tree t:  descriptor --> table of 2^width descriptors --> ... --> leaf
 *  descriptor, 2 words:  offset | best position below (18 bits) . shift (5) . word (5) . width (4)
 *  width 0: a leaf, its positions best first, the last one marked by its sign bit
 * rules in total order: W values | W masks | source, destination port range
 * </pre>
 *
 * <p>A rule that does not name all bits of a node's window belongs to several children, and is
 * copied. To keep this small, an entry may make a limited number of copies in one tree, its quota,
 * which is divided among its copies at every node; an entry that would need more leaves this tree
 * for the next one. Where a rule matches every header that reaches a node, the worse rules of that
 * node are dropped; children with equal lists are one. When the budget of copies is used up, nodes
 * stay uncut: their lists are longer, but verdicts stay exact. Forests of different quotas are
 * compared by the reads that headers made from the rules cost, and the cheapest is kept.
 *
 * <p>Port ranges enter the trees as prefixes and are verified exactly in the leaves. Supports every
 * match. Update: behind an overlay; the next base copies the subtrees of the last one that no
 * change reaches, keeps the windows of the nodes above the others and builds only those anew, until
 * a twelfth of the rules has changed ({@link dev.sluice.engine.forest.ForestCompiler#growing}).
 * Images are static. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.forest;

import org.jspecify.annotations.NullMarked;
