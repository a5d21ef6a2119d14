/**
 * Explanations of a packet's verdict: the path through chains and stages, the deciding rule of
 * each, and what a packet would need for another rule to decide.
 *
 * <pre>
 * words ─▶ PacketLine: header ─▶ Explainer ─▶ Explanation: ways, stages, rules met and missed
 *                                          └▶ WhyNot: the changes that let a line decide
 * </pre>
 *
 * <p>The verdict is that of the look-ups that {@code classify} makes, by linear search. The path is
 * the {@link dev.sluice.policy.flatten.PacketWalk} through the rules as their user wrote them.
 *
 * <p>A <b>need</b> is a field in which a packet misses a rule, with its value and what the rule
 * wants. Of a condition that holds in one of several ways, the needs are those of the way with the
 * fewest fields. A rule with one need <b>could have been meant</b>: one other field, and it had
 * acted.
 *
 * <p>Nothing here is thread-safe.
 */
@NullMarked
package dev.sluice.policy.explain;

import org.jspecify.annotations.NullMarked;
