/**
 * Policies as look-ups: first-match lists of boxes that the engine's rule sets hold.
 *
 * <p>A <b>box</b> is a {@link dev.sluice.engine.rules.Match}: masked words and port ranges. A rule
 * becomes one box for each <b>alternative</b> of its condition's disjunctive normal form.
 *
 * <p>A chain that is small, or called once, is put in place of the jump that calls it. Any other
 * chain is cut behind each of its jumps into <b>segments</b>, and each segment is a look-up of its
 * own: a list whose rules decide, return, call another segment or go to one. So a chain called from
 * a hundred places is one look-up, and RETURN needs no complement of its condition. A packet's walk
 * from look-up to look-up is the kernel's own, a segment a step.
 *
 * <p>A large condition that many boxes would repeat is a <b>set</b>: its boxes stand once, and
 * those of rules ask for a bit.
 *
 * <p>The rest of a chain behind a rule that sets a <b>mark</b> stands once for each mark of
 * packets. A stage whose rules ask for marks of earlier stages begins with the chains of these,
 * which lead to a copy of the stage for each mark, and decide nothing.
 *
 * <p>An <b>unknown condition</b> holds or does not. The lower reading takes all unknown denials and
 * no unknown permission, the upper reading the opposite. Whatever the truth is, it permits what
 * lower permits and denies what upper denies; where the two differ the packet depends. A chain that
 * is entered under an unknown condition is read in <b>doubt</b>: all that it decides is unknown.
 *
 * <p>A <b>possible world</b> settles interfaces that nobody names, and conditions that several
 * rules ask for alike. Packets that depend are judged in each.
 */
@NullMarked
package dev.sluice.policy.flatten;

import org.jspecify.annotations.NullMarked;
