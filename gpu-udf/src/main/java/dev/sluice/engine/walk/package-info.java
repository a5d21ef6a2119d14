/**
 * Walk of a packet through a policy of chains, whose rules are {@link
 * dev.sluice.engine.rules.Step}s: one rule set holds the whole policy, so that versions, deltas and
 * messages of rules carry it as they carry any other.
 *
 * <pre>
 * RuleSet ─▶ Walk: segments, stages, answers ─▶ Part: first-match list of boxes, an engine each
 *                                        packet ─▶ Walker: position in each part ─▶ answer
 * </pre>
 *
 * <p>A <b>segment</b> is a part of a chain: boxes of which the first that holds a packet decides,
 * returns, calls another segment or goes to one. Where none does, the walk goes on at the segment
 * behind. The walk is the kernel's own through chains, a segment a step.
 *
 * <p>An <b>unknown condition</b> holds or does not. The lower reading takes all unknown denials and
 * no unknown permission, the upper reading the opposite. Whatever the truth is, it permits what
 * lower permits and denies what upper denies; where the two differ the packet depends. A chain that
 * is entered under an unknown condition is read in <b>doubt</b>: all that it decides is unknown.
 * Packets that no unknown decision can hold, as most are no later fragments, are read once. The
 * boxes that a reading takes of a segment are a <b>part</b>; readings of the same boxes share it.
 *
 * <p>A <b>possible world</b> settles unknown conditions that are the same for several rules.
 * Packets whose readings differ take the ways through all worlds, and depend only if these differ,
 * too.
 *
 * <p><b>Leading boxes</b> ask for the state of a packet's connection alone, or for another single
 * word before that: a packet that they hold needs no look-up.
 *
 * <p>Boxes may ask for a <b>set</b> of packets by a bit of a header word. The set's elements are a
 * part of their own; whoever looks packets up in a part first looks them up in the sets that its
 * boxes ask for, and writes the bits.
 *
 * <p>A <b>whole list</b> has the walk of regions of packets in advance: one look-up tells what
 * comes of a packet. Policies of few regions have one, whose packets need not walk; regions that
 * change no answer are left out.
 *
 * <p>Nothing here is specific to a format of policies, and nothing allocates memory a packet.
 */
@NullMarked
package dev.sluice.engine.walk;

import org.jspecify.annotations.NullMarked;
