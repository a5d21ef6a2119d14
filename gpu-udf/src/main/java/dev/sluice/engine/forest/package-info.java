/**
 * Decision forest (ours; the cutting idea goes back to P. Gupta and N. McKeown, "Packet
 * classification using hierarchical intelligent cuttings", Hot Interconnects 1999): a few trees
 * whose nodes jump by a window of adjacent bits anywhere in one header word.
 *
 * <pre>
 *  tree t:  descriptor --> table of 2^width descriptors --> ... --> leaf
 *  descriptor, 2 words:  offset | best position below (18 bits) . shift (5) . word (5) . width (4)
 *  width 0: a leaf, its positions best first, the last one marked by its sign bit
 * rules in total order: W values | W masks | source, destination port range
 * </pre>
 *
 * <p>A rule that is wild in a window is copied to several children. Each rule has a quota of
 * copies, divided at every cut; a copy whose share is used up leaves this tree, and its rule goes
 * to the next one. Rules behind one that covers a node's whole region are dropped there, and equal
 * children are shared. The builder stops cutting when its budget of copies is used up: leaves grow
 * then, answers stay exact. Builds with different quotas are judged by counted reads on headers
 * made from the rules, and the better one is kept.
 *
 * <p>Port ranges enter the trees as prefixes and are verified exactly in the leaves. Supports every
 * match. Update: behind an overlay; the next base keeps the windows of the last one on the way to
 * the rules that came or went, builds the subtrees there anew and copies the others, until a
 * twelfth of the rules has changed ({@link dev.sluice.engine.forest.ForestCompiler#growing}).
 * Images are static. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.forest;

import org.jspecify.annotations.NullMarked;
