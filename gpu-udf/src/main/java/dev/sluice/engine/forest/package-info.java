/**
 * Decision forest (ours; the cutting idea goes back to P. Gupta and N. McKeown, "Packet
 * classification using hierarchical intelligent cuttings", Hot Interconnects 1999): a tree whose
 * nodes choose a child by a window of adjacent bits of one header word, and may each have a rest, a
 * further tree for the rules that the window does not divide.
 *
 * <pre>
 *  root:  descriptor --> [rest | next rest] table of 2^width descriptors --> ... --> leaf
 *  descriptor, 2 words:  rest? (1 bit) offset | best position below (18) . shift (5) . word (5) . width (4)
 *  width 0: a leaf, its positions best first, the last one marked by its sign bit
 * rules in total order: W values | W masks | source, destination port range
 * </pre>
 *
 * <p>A rule that does not name all bits of a node's window belongs to several children. It may
 * become a limited number of copies on its way from the root, its quota, which is divided among its
 * copies at every node; one that would need more goes to the node's rest, which is cut by other
 * windows. A rest knows what the nodes above know, so rules that are short in one field and long in
 * others are not looked for from the root again; there are as many rests around a header as its
 * rules have shapes there, not as the whole set has. Port ranges are cut as ranges: a rule goes to
 * the children that its range meets, and where it holds in the whole child, it divides no more.
 * Where a rule matches every header that reaches a node, the worse rules of that node are dropped.
 *
 * <p>The window, and whether there is a rest, are those of the cheapest search by an estimate from
 * the lengths of the children's lists, against copies and tables. When the budget of copies is used
 * up, nodes stay uncut: their lists are longer, but verdicts stay exact. A base is built on all
 * processors: lists of some thousand items are divided into runs of parts, each of which has a
 * budget of its own, so that the image is the same on any number of threads; one behind an overlay
 * is built on one thread. Besides the image a build holds its plan and the lists of the nodes above
 * those that are cut. 1 to 2 CPU seconds for 100,000 rules, 15 to 20 for a million.
 *
 * <p>Look-up: from the root to a leaf, then to the rest of the nearest node passed that has one,
 * and so on. Each rest names the one that follows it, so that a search needs no stack; one whose
 * best rule is no better than the best match so far is skipped. On policies of many kinds of
 * services 7 to 12 nodes, 2 leaves and 2 or 3 rules a header. Memory: 80 to 150 bytes a rule.
 * Supports every match.
 *
 * <p>Update: behind an overlay; the next base copies the subtrees of the last one that no change
 * reaches, keeps the windows of the nodes above the others and builds only those anew, until a
 * twelfth of the rules has changed ({@link dev.sluice.engine.forest.ForestCompiler#growing}).
 * Images are static. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.forest;

import org.jspecify.annotations.NullMarked;
